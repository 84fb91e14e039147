"""Plays one match between bots: transports, clocks, verdicts and the record.

Import from the packages below this one: ``referee.match``, ``referee.record`` and so on.
"""
