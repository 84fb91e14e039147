"""Accounts of authors, and the way of a package from its receipt to the tables."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.tournaments.leagues import (
    BEGINNING,
    FRESH,
    LEAGUE,
    Hours,
    add_set,
    begin,
    commit,
    finished,
    play,
    seat,
    take,
)
from tournaments.model import (
    AccountState,
    ConflictError,
    Enrolment,
    FaultNote,
    FullError,
    InvalidError,
    LeagueSettings,
    Manifest,
    NotAllowedError,
    NotFoundError,
    Role,
    Stage,
    StageReport,
    Submission,
    SubmissionState,
)
from tournaments.store import Store
from tournaments.store.submissions import LONGEST_LOG, MATCH_LOGS

OPEN = replace(FRESH, enrolment=Enrolment.OPEN)
MANIFEST = Manifest("crow", ("glastonbury",), ("./bot",), "go", version="1.2")
PASSED = (Stage.UNPACKED, Stage.BUILT, Stage.CHECKED, Stage.TRIED)


def report(stage: Stage, *, passed: bool = True, log: str = "") -> StageReport:
    return StageReport(stage, passed, f"{stage}.", log, 1.5, 0.5, 1000)


def passed(store: Store, submission: Submission) -> Submission:
    """Take a submission through all stages."""
    assert store.claim_submission("here", 60.0) is not None
    for stage in PASSED:
        assert store.report_stage("here", submission.id, report(stage)) is not None
    return store.submission(submission.id)


def ann(store: Store, settings: LeagueSettings = OPEN) -> str:
    """Make a league with the author ann, and return her token."""
    store.create_league(LEAGUE, settings)
    return store.sign_up(LEAGUE, "ann", settings.enrolment_code)[1]


# Accounts ---------------------------------------------------------------------------------------


def test_a_token_identifies_its_author_in_its_league_only(store: Store) -> None:
    token = ann(store)
    who = store.identify(token)
    assert (who.role, who.league, who.author, who.entrant) == (Role.AUTHOR, LEAGUE, "ann", "")
    assert store.account(LEAGUE, "ann").state is AccountState.ACTIVE


def test_a_new_token_ends_the_old_one(store: Store) -> None:
    old = ann(store)
    new = store.reissue_account(LEAGUE, "ann")
    assert store.identify(old).role == Role.ANYONE
    assert store.identify(new).author == "ann"


@pytest.mark.parametrize(
    ("enrolment", "code", "expected"),
    [
        (Enrolment.OPEN, "", AccountState.ACTIVE),
        (Enrolment.CODE, "right", AccountState.ACTIVE),
        (Enrolment.CODE, "wrong", None),
        (Enrolment.CODE, "", None),
        (Enrolment.APPROVAL, "", AccountState.PENDING),
        (Enrolment.CLOSED, "", None),
    ],
)
def test_the_enrolment_decides_who_gets_an_account(
    store: Store, enrolment: Enrolment, code: str, expected: AccountState | None
) -> None:
    own = "right" if enrolment is Enrolment.CODE else ""
    store.create_league(LEAGUE, replace(FRESH, enrolment=enrolment, enrolment_code=own))
    if expected is None:
        with pytest.raises(NotAllowedError):
            store.sign_up(LEAGUE, "ann", code)
    else:
        assert store.sign_up(LEAGUE, "ann", code)[0].state is expected
    assert store.sign_up(LEAGUE, "bob", by=Role.ORGANISER)[0].state is AccountState.ACTIVE


@pytest.mark.parametrize("name", ["ann", "Ann", "\uff21nn"])
def test_names_of_authors_that_look_alike_are_refused(store: Store, name: str) -> None:
    ann(store)
    with pytest.raises(ConflictError, match="there is an author"):
        store.sign_up(LEAGUE, name)


def test_an_author_who_waits_or_is_blocked_cannot_submit(store: Store) -> None:
    ann(store, replace(FRESH, enrolment=Enrolment.APPROVAL))
    with pytest.raises(NotAllowedError, match="waits for the approval"):
        store.submit(LEAGUE, "ann", MANIFEST, b"package")
    store.approve_account(LEAGUE, "ann")
    made = store.activate(passed(store, store.submit(LEAGUE, "ann", MANIFEST, b"package")).id)
    assert store.playing(LEAGUE) == (made,)
    store.block_account(LEAGUE, "ann", "spam")
    with pytest.raises(NotAllowedError, match="is blocked: spam"):
        store.submit(LEAGUE, "ann", MANIFEST, b"another")
    assert store.playing(LEAGUE) == ()


def test_accounts_are_listed_page_by_page(store: Store) -> None:
    ann(store)
    for name in ("bob", "eve"):
        store.sign_up(LEAGUE, name)
    first = store.accounts(LEAGUE, 2)
    rest = store.accounts(LEAGUE, 2, first.next)
    assert [each.name for each in (*first.items, *rest.items)] == ["ann", "bob", "eve"]
    assert rest.next == ""


def test_what_is_not_there_is_said_so(store: Store) -> None:
    ann(store)
    questions: list[Callable[[], object]] = [
        lambda: store.sign_up("spring", "ann"),
        lambda: store.account(LEAGUE, "bob"),
        lambda: store.submit(LEAGUE, "bob", MANIFEST, b""),
        lambda: store.check_upload(LEAGUE, "bob", 1),
        lambda: store.submission(7),
        lambda: store.activate(7),
        lambda: store.package("0" * 64),
        lambda: store.retire(LEAGUE, "crow"),
        lambda: store.match_logs(LEAGUE, "crow"),
    ]
    for question in questions:
        with pytest.raises(NotFoundError):
            question()


# Submissions ------------------------------------------------------------------------------------


def test_a_submission_is_read_as_it_was_made(store: Store) -> None:
    ann(store)
    made = store.submit(LEAGUE, "ann", replace(MANIFEST, public=True), b"package")
    digest = hashlib.sha256(b"package").hexdigest()
    assert (made.bot, made.author, made.package, made.label) == ("crow", "ann", digest, "1.2")
    assert (made.state, made.stage) == (SubmissionState.PROCESSING, Stage.RECEIVED)
    assert (made.games, made.public, made.size) == (("glastonbury",), True, 7)
    assert made.version == digest[:12]
    assert store.submission(made.id) == made
    assert store.package(digest) == b"package"
    assert store.entrant(LEAGUE, "crow").author == "ann"


def test_the_same_package_again_is_the_same_submission(store: Store) -> None:
    ann(store)
    made = store.submit(LEAGUE, "ann", MANIFEST, b"package")
    assert store.submit(LEAGUE, "ann", MANIFEST, b"package") == made


def test_a_package_that_failed_can_be_submitted_again(store: Store) -> None:
    ann(store)
    made = store.submit(LEAGUE, "ann", MANIFEST, b"package")
    store.claim_submission("here", 60.0)
    store.report_stage("here", made.id, report(Stage.UNPACKED, passed=False))
    failed = store.submission(made.id)
    assert (failed.state, failed.failed_at) == (SubmissionState.FAILED, Stage.UNPACKED)
    again = store.submit(LEAGUE, "ann", MANIFEST, b"package")
    assert (again.id, again.state, again.reason) == (made.id, SubmissionState.PROCESSING, "")


def test_the_name_of_a_bot_belongs_to_its_author(store: Store) -> None:
    ann(store)
    store.sign_up(LEAGUE, "bob")
    store.submit(LEAGUE, "ann", MANIFEST, b"package")
    for name in ("crow", "Crow"):
        with pytest.raises(NotAllowedError, match="belongs to a bot of another author"):
            store.submit(LEAGUE, "bob", replace(MANIFEST, name=name), b"other")
    store.enter(LEAGUE, "dove", "bob")  # it dials in
    with pytest.raises(NotAllowedError, match="belongs to a bot of another author"):
        store.submit(LEAGUE, "bob", replace(MANIFEST, name="dove"), b"other")


def test_a_bot_of_other_games_is_refused(store: Store) -> None:
    ann(store)
    with pytest.raises(InvalidError, match="crow none of these"):
        store.submit(LEAGUE, "ann", replace(MANIFEST, games=("gargon",)), b"package")
    assert store.entrants(LEAGUE).items == ()


def test_the_limits_of_an_author(store: Store, hours: Hours) -> None:
    ann(store, replace(OPEN, bots_per_author=2, submissions_per_day=3, storage_per_author=1))
    with pytest.raises(FullError, match="more than 1 MiB"):
        store.submit(LEAGUE, "ann", MANIFEST, bytes(2**20 + 1))
    for name in ("crow", "dove"):
        store.submit(LEAGUE, "ann", replace(MANIFEST, name=name), name.encode())
    with pytest.raises(FullError, match="has 2 bots"):
        store.submit(LEAGUE, "ann", replace(MANIFEST, name="hawk"), b"hawk")
    store.submit(LEAGUE, "ann", MANIFEST, b"another crow")
    with pytest.raises(FullError, match="3 packages in 24 hours"):
        store.check_upload(LEAGUE, "ann", 1)
    hours.pass_by(25 * 3600)
    store.submit(LEAGUE, "ann", MANIFEST, b"a third crow")


def fail(store: Store, submission: Submission) -> None:
    """Let the next submission fail at its first stage."""
    claimed = store.claim_submission("here", 60.0)
    assert claimed is not None
    assert claimed.id == submission.id
    store.report_stage("here", submission.id, report(Stage.UNPACKED, passed=False))


def test_a_package_that_is_submitted_again_counts_again(store: Store, hours: Hours) -> None:
    """A package that fails slowly must not keep a server busy without end."""
    ann(store, replace(OPEN, submissions_per_day=3))
    for _ in range(3):
        fail(store, store.submit(LEAGUE, "ann", MANIFEST, b"package"))
    with pytest.raises(FullError, match="3 packages in 24 hours"):
        store.check_upload(LEAGUE, "ann", 7)
    with pytest.raises(FullError, match="3 packages in 24 hours"):
        store.submit(LEAGUE, "ann", MANIFEST, b"package")
    hours.pass_by(25 * 3600)
    fail(store, store.submit(LEAGUE, "ann", MANIFEST, b"package"))


# Stages -----------------------------------------------------------------------------------------


def test_a_submission_is_held_by_one_server_until_its_lease_ends(
    store: Store, hours: Hours
) -> None:
    ann(store)
    made = store.submit(LEAGUE, "ann", MANIFEST, b"package")
    claimed = store.claim_submission("first", 60.0)
    assert claimed is not None
    assert claimed.id == made.id
    assert store.claim_submission("second", 60.0) is None
    hours.pass_by(3600)
    assert store.claim_submission("second", 60.0) is not None
    assert store.report_stage("first", made.id, report(Stage.UNPACKED)) is None
    assert store.renew_submission("first", made.id, 60.0) is False
    assert store.report_stage("second", made.id, report(Stage.UNPACKED)) is not None


def test_authors_take_turns(store: Store, hours: Hours) -> None:
    """One who submits a lot at once does not keep the others waiting."""
    ann(store)
    store.sign_up(LEAGUE, "bob")
    store.sign_up(LEAGUE, "eve")
    made = {
        store.submit(LEAGUE, author, replace(MANIFEST, name=bot), bot.encode()).id: bot
        for author, bot in [
            ("ann", "a1"), ("ann", "a2"), ("ann", "a3"), ("bob", "b1"), ("bob", "b2"), ("eve", "e1")
        ]
    }  # fmt: skip
    order = []
    for _ in made:
        hours.pass_by(1)
        claimed = store.claim_submission("here", 60.0)
        assert claimed is not None
        order.append(made[claimed.id])
        store.report_stage("here", claimed.id, report(Stage.UNPACKED, passed=False))
    assert order == ["a1", "b1", "e1", "a2", "b2", "a3"]


def test_a_server_that_starts_again_goes_on(store: Store) -> None:
    ann(store)
    made = store.submit(LEAGUE, "ann", MANIFEST, b"package")
    store.claim_submission("here", 60.0)
    store.report_stage("here", made.id, report(Stage.UNPACKED))
    assert store.release_submissions("here") == 1
    again = store.claim_submission("here", 60.0)
    assert again is not None
    assert (again.id, again.stage) == (made.id, Stage.UNPACKED)


def test_reports_are_kept_in_order_and_bounded(store: Store) -> None:
    ann(store)
    made = store.submit(LEAGUE, "ann", MANIFEST, b"package")
    store.claim_submission("here", 60.0)
    store.report_stage("here", made.id, report(Stage.UNPACKED))
    long = "x" * LONGEST_LOG + "\0the end"
    store.report_stage("here", made.id, report(Stage.BUILT, passed=False, log=long))
    first, second = store.stage_reports(made.id)
    assert (first.stage, first.passed, first.seconds) == (Stage.UNPACKED, True, 1.5)
    assert (second.stage, second.passed, len(second.log)) == (Stage.BUILT, False, LONGEST_LOG)
    assert second.log.endswith("�the end")
    assert store.submission(made.id).failed_at is Stage.BUILT


# Versions that play -----------------------------------------------------------------------------


def test_a_failure_leaves_the_version_before_it_active(store: Store) -> None:
    ann(store)
    first = store.activate(passed(store, store.submit(LEAGUE, "ann", MANIFEST, b"one")).id)
    second = store.submit(LEAGUE, "ann", MANIFEST, b"two")
    with pytest.raises(ConflictError, match="has not passed all stages"):
        store.activate(second.id)
    store.claim_submission("here", 60.0)
    store.report_stage("here", second.id, report(Stage.UNPACKED, passed=False))
    assert [each.id for each in store.playing(LEAGUE)] == [first.id]


def test_a_new_version_replaces_the_old_one_which_can_be_activated_again(store: Store) -> None:
    ann(store)
    first = store.activate(passed(store, store.submit(LEAGUE, "ann", MANIFEST, b"one")).id)
    second = store.activate(passed(store, store.submit(LEAGUE, "ann", MANIFEST, b"two")).id)
    assert store.submission(first.id).state is SubmissionState.RETIRED
    assert [each.id for each in store.playing(LEAGUE)] == [second.id]
    store.activate(first.id)
    assert [each.id for each in store.playing(LEAGUE)] == [first.id]
    assert store.entrant(LEAGUE, "crow").versions == (first.version, second.version)
    store.retire(LEAGUE, "crow")
    assert store.playing(LEAGUE) == ()


def test_a_bot_that_was_sent_away_does_not_play(store: Store) -> None:
    ann(store)
    made = passed(store, store.submit(LEAGUE, "ann", MANIFEST, b"one"))
    store.withdraw(LEAGUE, "crow")
    with pytest.raises(ConflictError, match="crow is withdrawn"):
        store.activate(made.id)
    with pytest.raises(ConflictError, match="crow is withdrawn"):
        store.submit(LEAGUE, "ann", MANIFEST, b"two")


def test_submissions_are_listed_by_author_and_by_bot(store: Store) -> None:
    ann(store)
    store.sign_up(LEAGUE, "bob")
    ids = [
        store.submit(LEAGUE, author, replace(MANIFEST, name=bot), f"{bot}{n}".encode()).id
        for n, (author, bot) in enumerate([("ann", "crow"), ("bob", "dove"), ("ann", "hawk")])
    ]
    assert [each.id for each in store.submissions(LEAGUE, author="Ann").items] == [ids[2], ids[0]]
    assert [each.id for each in store.submissions(LEAGUE, bot="dove").items] == [ids[1]]
    page = store.submissions(LEAGUE, page_size=2)
    rest = store.submissions(LEAGUE, page_size=2, page_token=page.next)
    assert [each.id for each in (*page.items, *rest.items)] == ids[::-1]
    assert store.submissions(LEAGUE, author="\0").items == ()


def test_a_backup_has_packages_and_reports(store: Store, tmp_path: Path) -> None:
    token = ann(store)
    made = passed(store, store.submit(LEAGUE, "ann", MANIFEST, bytes(range(256))))
    store.backup(tmp_path / "backup.zip")
    url = f"sqlite:///{tmp_path / 'restored.db'}"
    Store.restore(tmp_path / "backup.zip", url)
    with Store.open(url) as restored:
        assert restored.package(made.package) == bytes(range(256))
        assert restored.stage_reports(made.id) == store.stage_reports(made.id)
        assert restored.identify(token).author == "ann"


def test_the_faults_of_a_version_are_counted(store: Store) -> None:
    """Those of another version of the same bot, and of the other seat, are not among them."""
    ann(store)
    store.enter(LEAGUE, "dove", "")
    store.see_version(LEAGUE, "dove", "1")
    first = store.activate(passed(store, store.submit(LEAGUE, "ann", MANIFEST, b"one")).id)
    second = store.activate(passed(store, store.submit(LEAGUE, "ann", MANIFEST, b"two")).id)

    def played(version: str, *faults: tuple[str, str]) -> None:
        table = [("crow", version), ("dove", "1")]
        (match,) = add_set(store, LEAGUE, "glastonbury", "plain", table, why="they are here")
        attempt = take(store, match).attempt
        notes = [FaultNote(match.id, *fault, "bot", "", BEGINNING) for fault in faults]
        assert commit(store, "one", match.id, attempt, finished(2), b"", notes)

    for fault in ("time_out", "crash", "time_out"):
        played(first.version, ("crow", fault))
    played(first.version, ("dove", "illegal_move"))
    played(second.version, ("crow", "illegal_move"))
    assert list(store.fault_counts(first).items()) == [("time_out", 2), ("crash", 1)]
    assert store.fault_counts(second) == {"illegal_move": 1}


def test_the_standard_error_of_the_newest_matches_is_kept(store: Store, hours: Hours) -> None:
    begin(store, "crow", "dove")
    for number in range(MATCH_LOGS + 2):
        (match,) = seat(store, "crow", "dove")
        play(store, match)
        store.keep_match_log(match.id, LEAGUE, "crow", f"line {number}\0")
        hours.pass_by(1)
    kept = [text for _, text in store.match_logs(LEAGUE, "crow")]
    assert kept == [f"line {number}�" for number in range(MATCH_LOGS + 1, 1, -1)]
    assert store.match_logs(LEAGUE, "dove") == []
