"""Promises of the sample bots in every language."""
