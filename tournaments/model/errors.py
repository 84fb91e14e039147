"""What a league refuses.

LeagueError
├── InvalidError     a value that is wrong in every state of the league
├── NotAllowedError  a request for which the token or the code is not good
├── FullError        a limit that is reached
├── NotFoundError    no league, entrant or match of that name
└── ConflictError    a request that the present state does not allow

What is wrong with the database itself is a ``StoreError``.
"""

from __future__ import annotations

from engine import UsageError


class LeagueError(UsageError):
    """A request that a league refuses."""


class InvalidError(LeagueError):
    """A value that is wrong whatever the state of the league is."""


class NotFoundError(LeagueError):
    """No league, entrant or match of that name."""


class NotAllowedError(LeagueError):
    """A request for which the token or the code is not good."""


class FullError(LeagueError):
    """A limit is reached: of entrants, of bots or submissions of an author."""


class ConflictError(LeagueError):
    """A request that the present state does not allow: a name that is taken, a closed league."""
