"""Finals in the store: published, published again, and kept whatever a retention rule removes."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.tournaments.leagues import FRESH, LEAGUE, Hours, begin, commit, finished, seat, take
from tests.tournaments.store.test_retention import record
from tournaments.model import NotFoundError, PublishedFinal, Retention
from tournaments.store import Store

MATCHES = {f"{number:03}-1": record(f"{number:03}-1") for number in range(150)}
"""More than are read at once."""


def publish(
    store: Store, commitment: str = "ab", document: str = "{}", season: int | None = None
) -> PublishedFinal:
    return store.publish_final(
        LEAGUE, commitment, document, MATCHES.items(), season=season, text="It is published."
    )


def test_a_final_is_numbered_and_the_same_one_again_replaces_it(store: Store, hours: Hours) -> None:
    begin(store, "ann", "bob")
    first = publish(store)
    assert first == PublishedFinal(LEAGUE, 1, None, hours.time, "{}")
    assert publish(store, "cd").number == 2
    hours.pass_by(60)
    again = publish(store, document='{"title": "Cup"}')
    assert (again.number, again.published_at) == (1, hours.time)
    assert [each.number for each in store.finals(LEAGUE)] == [2, 1]
    assert store.finals(LEAGUE)[1] == again
    assert dict(store.final_records(LEAGUE, 1)) == MATCHES
    publish(store, document='{"title": "Cup"}')
    entries = [entry.text for entry in store.journal(LEAGUE) if entry.kind == "final"]
    assert entries == ["It is published."] * 3, "nothing has changed the last time"
    assert store.finals("other") == ()


def test_a_final_belongs_to_the_newest_season_or_to_the_one_that_is_named(store: Store) -> None:
    begin(store, "ann", "bob")
    with pytest.raises(NotFoundError, match='"autumn" has no season 1'):
        publish(store, season=1)
    store.start_season(LEAGUE)
    store.end_season(LEAGUE, another=True)
    store.archive_season(LEAGUE, 0, (), {})
    assert publish(store).season == 2
    assert publish(store, "cd", season=1).season == 1
    assert publish(store, "cd", document="[]").season == 1, "as it was published before"
    with pytest.raises(NotFoundError, match="has no season 3"):
        publish(store, season=3)
    with pytest.raises(NotFoundError):
        store.publish_final("other", "ab", "{}", (), text="")


def test_no_rule_removes_the_records_of_a_final(store: Store, hours: Hours) -> None:
    begin(store, "ann", "bob", settings=FRESH)
    (match,) = seat(store, "ann", "bob")
    claim = take(store, match)
    assert commit(store, "one", match.id, claim.attempt, finished(2), record(match.id))
    publish(store)
    hours.pass_by(timedelta(days=1000).total_seconds())
    rule = Retention(keep_days=1, keep_every=0)
    assert store.planned_thinning(LEAGUE, rule).removed == 1
    assert [done.removed for done in store.thin_records(LEAGUE, rule)] == [1]
    assert store.record(match.id) is None
    assert dict(store.final_records(LEAGUE, 1)) == MATCHES
