"""How the tables of a league server came to be, step by step."""
