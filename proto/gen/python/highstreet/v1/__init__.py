"""Version 1 of the contract, generated from proto/highstreet/v1."""
