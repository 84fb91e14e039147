"""Who may download a package."""

from __future__ import annotations

from collections.abc import Sequence

from tournaments.model import AccountState, Identity, Role, Submission
from tournaments.store import Store


def may_download(store: Store, who: Identity, submissions: Sequence[Submission]) -> bool:
    """Return whether a caller may have the package of these submissions, which are all it has.

    Anyone may if one of them is published; organisers may, and authors of one of them whose
    account is active.
    """
    if who.role == Role.ORGANISER or any(each.published for each in submissions):
        return True
    authors = {(each.league, each.author) for each in submissions}
    if who.role != Role.AUTHOR or (who.league, who.author) not in authors:
        return False
    return store.account(who.league, who.author).state is AccountState.ACTIVE
