"""The endpoints for authors: accounts, packages, submissions, and the page on which they take part.

There are no cookies: a token comes with each request, as a bearer token, so that no other site can
make a browser send one.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from engine import HighstreetError
from referee.transports import TokenBuckets
from tournaments.model import (
    Account,
    ConflictError,
    InvalidError,
    NotFoundError,
    Role,
    Submission,
    SubmissionState,
)
from tournaments.server import ENTRIES
from tournaments.store import Store
from tournaments.submissions import SubmissionQueue, receive_package
from tournaments.web.authorization import Authorization, bearer_token
from tournaments.web.concurrency_limits import ConcurrencyLimit, LimitedResponse
from tournaments.web.documents import Document
from tournaments.web.metrics import WebMetrics
from tournaments.web.middleware import CLIENT, LONGEST_BODY
from tournaments.web.responses import NO_STORE, PageThreads, json_response
from tournaments.web.stream import HEADERS, HEARTBEAT, encode_event
from tournaments.web.submission_documents import (
    account_document,
    log_text,
    submission_document,
    take_part_document,
)
from tournaments.web.upload import Upload, UploadLimits

CHECKING: Final = 2
"""How many packages are checked at once while they are received."""
MOST_DOWNLOADS: Final = 16
MOST_DOWNLOADS_PER_CLIENT: Final = 2
CHUNK: Final = 256 * 1024
STDERR_BYTES: Final = 32 * 1024
"""How much of a standard error is shown, from the end."""

ErrorLog = Callable[[str, str], Path | None]
"""Returns the file with the standard error of an entrant of a league, if the server runs it."""


class SubmissionPages:
    """All endpoints that are for authors."""

    def __init__(
        self,
        store: Store,
        metrics: WebMetrics,
        threads: PageThreads,
        streams: ConcurrencyLimit,
        *,
        error_log: ErrorLog,
        queue: SubmissionQueue | None,
        address: str,
        limits: UploadLimits,
    ) -> None:
        self._store = store
        self._metrics = metrics
        self._in_thread, self._page = threads.run, threads.page
        self._streams = streams
        self._error_log = error_log
        self._queue = queue
        self._address = address
        self._limits = limits
        self._authorization = Authorization(store)
        self._sign_ups = TokenBuckets(ENTRIES)
        refusal = "too many packages are uploaded at once; try again in a moment."
        self._uploads = ConcurrencyLimit(limits.at_once, limits.at_once_per_author, refusal)
        refusal = "too many downloads at once; try again in a moment."
        self._downloads = ConcurrencyLimit(MOST_DOWNLOADS, MOST_DOWNLOADS_PER_CLIENT, refusal)
        self._checking = ThreadPoolExecutor(CHECKING, "packages")

    def close(self) -> None:
        """End the threads."""
        self._checking.shutdown(wait=False, cancel_futures=True)

    # Accounts -----------------------------------------------------------------------------------

    async def take_part(self, request: Request) -> Response:
        """Show what an author needs to know, and the forms."""
        id_, takes_packages = request.path_params["league"], self._queue is not None

        def document() -> Document:
            league = self._store.league(id_)
            return take_part_document(league, takes_packages=takes_packages, address=self._address)

        return await self._page(request, "take_part", document)

    async def sign_up(self, request: Request) -> Response:
        """Make an account, and send its token, once."""
        given = await _read_json(request)
        name, code = given.get("name", ""), given.get("code", "")
        if not (isinstance(name, str) and isinstance(code, str)):
            raise InvalidError("name and code must be texts.")
        role = Role.ANYONE
        if bearer_token(request.headers) is not None:
            holder = await self._in_thread(self._authorization.holder, request.headers)
            role = Role(holder.role)
        if role is not Role.ORGANISER:
            self._sign_ups.take(request.scope[CLIENT])
        league = request.path_params["league"]
        account, token = await self._in_thread(self._store.sign_up, league, name, code, by=role)
        made = {"league": league, "name": account.name, "state": account.state, "token": token}
        return json_response(made, 201)

    async def account(self, request: Request) -> Response:
        """Send the account of an author, with all bots and submissions."""
        league = request.path_params["league"]

        def document() -> Document:
            account = self._authorization.account(request.headers, league)
            return account_document(self._store, account)

        return json_response(await self._in_thread(document))

    # Packages -----------------------------------------------------------------------------------

    async def upload(self, request: Request) -> Response:
        """Receive a package."""
        upload = Upload(request, self._limits)
        try:
            submission = await self._received(request, upload)
        except (HTTPException, HighstreetError):
            await upload.discard()
            raise
        location = {"Location": f"/submissions/{submission.id}.json", **NO_STORE}
        return json_response(submission_document(submission), 202, location)

    async def _received(self, request: Request, upload: Upload) -> Submission:
        league = request.path_params["league"]
        size = int(request.headers.get("content-length", "0"))

        def checked() -> Account:
            account = self._authorization.active_account(request.headers, league)
            self._store.check_upload(league, account.name, size)
            return account

        account = await self._in_thread(checked)
        queue = self._required_queue()
        client = f"{league}/{account.name}"
        self._uploads.acquire(client)
        try:
            packed, loop = await upload.read(), asyncio.get_running_loop()
            submission = await loop.run_in_executor(
                self._checking, receive_package, self._store, league, account.name, packed
            )
        finally:
            self._uploads.release(client)
        queue.notify()
        return submission

    def _required_queue(self) -> SubmissionQueue:
        if self._queue is None:
            raise ConflictError("this server takes no packages: ask its organiser.")
        return self._queue

    async def package(self, request: Request) -> Response:
        """Send a package: to everyone if it is public, else to its author and organisers."""
        hash_ = request.path_params["hash"]

        def content() -> tuple[bytes, bool]:
            found = self._store.submissions_of(hash_)
            if not self._authorization.may_download(request.headers, found):
                raise NotFoundError("there is no package with that hash.")
            public = any(each.published for each in found)
            return self._store.package(hash_), public

        packed, public = await self._in_thread(content)
        kept = "public, max-age=31536000, immutable" if public else "no-store"
        name = f'attachment; filename="{hash_}.tar.gz"'
        headers = {"Cache-Control": kept, "Content-Disposition": name, "Vary": "Authorization"}
        headers |= {"Content-Length": str(len(packed)), "ETag": f'"{hash_}"'}
        return LimitedResponse(
            self._downloads,
            request.scope[CLIENT],
            lambda: _chunks(packed),
            headers,
            "application/gzip",
        )

    # Submissions --------------------------------------------------------------------------------

    async def submission(self, request: Request) -> Response:
        """Send the state of a submission."""
        submission = await self._own(request)
        return json_response(await self._in_thread(self._document, submission))

    async def events(self, request: Request) -> Response:
        """Stream the changes of a submission until it has passed all stages or failed."""
        queue, submission = self._required_queue(), await self._own(request)
        return LimitedResponse(
            self._streams,
            request.scope[CLIENT],
            lambda: self._changes(queue, submission),
            HEADERS,
            "text/event-stream",
        )

    async def _changes(self, queue: SubmissionQueue, shown: Submission) -> AsyncIterator[bytes]:
        self._metrics.open_streams.inc()
        try:
            yield await self._event(shown)
            while shown.state is SubmissionState.PROCESSING:
                changed = await queue.wait_for_change(shown, HEARTBEAT)
                same = (changed.stage, changed.state) == (shown.stage, shown.state)
                yield b": nothing has changed\n\n" if same else await self._event(changed)
                shown = changed
        finally:
            self._metrics.open_streams.dec()

    async def _event(self, submission: Submission) -> bytes:
        return encode_event("submission", await self._in_thread(self._document, submission))

    async def log(self, request: Request) -> Response:
        """Send the logs of all stages of a submission as text."""
        submission = await self._own(request)
        reports = await self._in_thread(self._store.stage_reports, submission.id)
        return PlainTextResponse(log_text(submission, reports), headers=NO_STORE)

    async def activate(self, request: Request) -> Response:
        """Let a version play that has passed all stages."""
        submission = await self._own(request)
        active = await self._in_thread(self._store.activate, submission.id)
        self._playing_changed(active.league)
        return json_response(await self._in_thread(self._document, active))

    async def retire(self, request: Request) -> Response:
        """Seat no version of a bot until one is activated again."""
        league, name = request.path_params["league"], request.path_params["name"]

        def retire() -> None:
            self._authorization.check_bot(request.headers, league, name)
            if not self._store.submissions(league, bot=name, page_size=1).items:
                raise ConflictError(f"{name} was not submitted as a package: withdraw it instead.")
            self._store.retire(league, name)

        await self._in_thread(retire)
        self._playing_changed(league)
        return json_response({"league": league, "bot": name})

    def _playing_changed(self, league: str) -> None:
        if self._queue is not None:
            self._queue.on_playing_changed(league)

    async def stderr(self, request: Request) -> Response:
        """Send the end of a bot's standard error to its author or to an organiser."""
        league, name = request.path_params["league"], request.path_params["name"]

        def document() -> Document:
            self._authorization.check_bot(request.headers, league, name)
            matches = self._store.match_logs(league, name)
            text = _end_of(self._error_log(league, name))
            if text is None and not self._store.submissions(league, bot=name, page_size=1).items:
                raise NotFoundError(
                    "this bot does not run on the server's machine: read its own log."
                )
            if text is None:
                text = "".join(f"== {match}\n{log}\n" for match, log in reversed(matches))
            logs = [{"match": match, "stderr": log} for match, log in matches]
            shown = text[-STDERR_BYTES:]
            return {"league": league, "entrant": name, "stderr": shown, "matches": logs}

        return json_response(await self._in_thread(document))

    async def _own(self, request: Request) -> Submission:
        number = request.path_params["number"]
        return await self._in_thread(self._authorization.submission, request.headers, number)

    def _document(self, submission: Submission) -> Document:
        return submission_document(submission, self._store.stage_reports(submission.id))


async def _read_json(request: Request) -> dict[str, Any]:
    """Return the JSON object of a request.

    A form of another site cannot have that content type, so that it cannot make accounts.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HTTPException(415, "Send JSON, with the header Content-Type: application/json.")
    body = await Upload(request, UploadLimits(size=LONGEST_BODY)).read()
    try:
        given = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise InvalidError(f"the JSON cannot be read: {error}.") from None
    if not isinstance(given, dict):
        raise InvalidError('the JSON must be an object, such as {"name": "Ada"}.')
    return given


async def _chunks(packed: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(packed), CHUNK):
        yield packed[start : start + CHUNK]


def _end_of(path: Path | None) -> str | None:
    """Return the end of a file as text; None if it cannot be read."""
    if path is None:
        return None
    try:
        with path.open("rb") as file:
            length = file.seek(0, 2)
            file.seek(max(0, length - STDERR_BYTES))
            return file.read(STDERR_BYTES).decode(errors="replace")
    except OSError:
        return None
