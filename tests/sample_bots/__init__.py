"""Promises of the sample bots."""
