"""The pages of a league."""
