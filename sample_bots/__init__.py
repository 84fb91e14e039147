"""The same bot in every language, and bots that misbehave on purpose."""
