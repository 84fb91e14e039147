"""The league in a browser: pages, replays, and what they need."""
