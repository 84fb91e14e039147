"""Many matches: who plays whom, who is best; and the command line."""
