"""Hold naive second implementations that serve as oracles for the engine."""
