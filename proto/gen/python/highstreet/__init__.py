"""The contract between bots and referee, generated from proto/."""
