"""One match: seats, clocks, verdicts, record."""
