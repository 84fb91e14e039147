"""SubmissionService: accounts of authors, and bots as packages, over gRPC."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Final

import grpc
from highstreet.v1 import submission_pb2 as pb

from referee.transports import CallLimit, Rate, Reason, TokenBuckets, address_of, read_within
from tournaments.model import Identity, Role, Submission, SubmissionState
from tournaments.server.package_upload import PackageUpload, read_header
from tournaments.server.store_service import (
    Answer,
    Code,
    Context,
    Refusal,
    StoreService,
    encoded,
    in_thread,
    not_allowed,
    organisers_only,
    read_page_size,
    read_reason,
)
from tournaments.server.submission_messages import (
    account_message,
    report_message,
    submission_message,
)
from tournaments.store import Store
from tournaments.submissions import SubmissionQueue, Uploads, may_download, receive_package

SERVICE: Final = pb.DESCRIPTOR.services_by_name["SubmissionService"].full_name
UPLOADS: Final = Rate(per_second=1 / 10, burst=30, patience=0)
"""How many uploads an author may begin."""
CHUNK: Final = 32 * 1024
READ_WITHIN: Final = 30.0
"""Within how many seconds a client must read a chunk of a download."""
WATCH: Final = 60.0
"""Seconds between two looks at a submission that does not change."""

_OF_AUTHOR: Final = (
    pb.ReissueAuthorTokenRequest,
    pb.ApproveAccountRequest,
    pb.BlockAccountRequest,
)
_OF_BOT: Final = (pb.ListMatchLogsRequest, pb.RetireBotRequest)
_OF_LEAGUE: Final = (
    pb.SignUpRequest,
    pb.ListAccountsRequest,
    pb.GetUploadRequest,
    pb.ListSubmissionsRequest,
    pb.UploadPackageRequest,
)


@dataclass(frozen=True, slots=True)
class PackageIntake:
    """What a server needs to take packages: the queue of submissions, and a place for uploads."""

    queue: SubmissionQueue
    uploads: Uploads


class SubmissionService(StoreService):
    """Implements SubmissionService; without an intake every method is refused."""

    creating: ClassVar = (pb.SignUpRequest,)
    limited: ClassVar = (pb.SignUpRequest,)

    def __init__(self, store: Store, intake: PackageIntake | None, pages: str = "") -> None:
        """Make the service; ``pages`` is the address of the server's pages, or nothing."""
        super().__init__(store)
        self._intake = intake
        self._pages = pages
        self._begun = TokenBuckets(UPLOADS)
        self._uploading = CallLimit("uploads of one author", of_one=2, of_all=16)
        self._watching = CallLimit("calls of WatchSubmission with one token", of_one=8, of_all=256)
        self._downloading = CallLimit("downloads of one address", of_one=2, of_all=16)

    def add_to(self, server: grpc.aio.Server) -> None:
        """Add the service to a server."""
        answers: dict[str, Answer] = {
            "SignUp": self._sign_up,
            "ReissueAuthorToken": self._reissue,
            "ListAccounts": self._accounts,
            "ApproveAccount": self._approve,
            "BlockAccount": self._block,
            "GetUpload": self._get_upload,
            "GetSubmission": self._get,
            "ListSubmissions": self._list,
            "GetSubmissionReports": self._reports,
            "ListMatchLogs": self._match_logs,
            "ActivateVersion": self._activate,
            "RetireBot": self._retire,
        }
        handlers = self._unary(pb, "SubmissionService", answers)
        handlers["UploadPackage"] = grpc.stream_unary_rpc_method_handler(
            self._upload_stream, pb.UploadPackageRequest.FromString, encoded
        )
        for name, request, answer in (
            ("WatchSubmission", pb.WatchSubmissionRequest, self._watch),
            ("DownloadPackage", pb.DownloadPackageRequest, self._download),
        ):
            handlers[name] = grpc.unary_stream_rpc_method_handler(
                partial(self._answer_stream, answer), request.FromString, encoded
            )
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))

    async def _caller(self, request: Any, context: Context) -> Identity:
        """Return the caller; a server that takes no packages refuses all of them."""
        if self._intake is None:
            detail = "this server takes no packages: enter your bot with EnterBot, and let it join."
            raise Refusal(Code.FAILED_PRECONDITION, Reason.ERROR_REASON_NO_SUBMISSIONS, detail)
        return await super()._caller(request, context)

    @property
    def _open_intake(self) -> PackageIntake:
        assert self._intake is not None  # noqa: S101  _caller comes first
        return self._intake

    def _missing(self, request: Any) -> Any:
        if isinstance(request, _OF_AUTHOR):
            return Reason.ERROR_REASON_NO_SUCH_AUTHOR
        if isinstance(request, _OF_BOT):
            return Reason.ERROR_REASON_NO_SUCH_ENTRANT
        if isinstance(request, _OF_LEAGUE):
            return Reason.ERROR_REASON_NO_SUCH_LEAGUE
        return Reason.ERROR_REASON_NO_SUCH_SUBMISSION

    # Permissions --------------------------------------------------------------------------------

    async def _permit(self, who: Identity, league: str, author: str | None) -> None:
        """Refuse all callers but organisers and the author, whose account must be active."""
        if who.role == Role.ORGANISER:
            return
        if who.role != Role.AUTHOR or (who.league, who.author) != (league, author):
            not_allowed(who, "only the author and an organiser may do that.")
        await asyncio.to_thread(self._store.active_account, league, who.author)

    async def _permit_author(self, who: Identity, league: str) -> None:
        """Refuse all callers but authors of a league whose account is active."""
        if who.role != Role.AUTHOR or who.league != league:
            not_allowed(who, "only an author with an account in this league may do that.")
        await asyncio.to_thread(self._store.active_account, league, who.author)

    async def _permitted(self, id_: int, who: Identity) -> Submission:
        """Return a submission that the caller may see and change."""
        if who.role not in (Role.AUTHOR, Role.ORGANISER):
            not_allowed(who, "only its author and an organiser may do that.")
        found = await asyncio.to_thread(self._store.submission, id_)
        await self._permit(who, found.league, found.author)
        return found

    async def _permit_bot(self, who: Identity, league: str, bot: str) -> None:
        """Refuse all callers but organisers and the author of a bot."""
        if who.role not in (Role.AUTHOR, Role.ORGANISER):
            not_allowed(who, "only its author and an organiser may do that.")
        author = await asyncio.to_thread(self._store.author_of, league, bot)
        await self._permit(who, league, author)

    # Accounts -----------------------------------------------------------------------------------

    async def _sign_up(self, request: pb.SignUpRequest, who: Identity) -> Any:
        account, token = await asyncio.to_thread(
            self._store.sign_up, request.league, request.name, request.code, by=Role(who.role)
        )
        return pb.SignUpResponse(account=account_message(account), token=token)

    async def _reissue(self, request: pb.ReissueAuthorTokenRequest, who: Identity) -> Any:
        name = request.name or who.author
        await self._permit(who, request.league, name)
        token = await asyncio.to_thread(self._store.reissue_account, request.league, name)
        return pb.ReissueAuthorTokenResponse(token=token, name=name)

    async def _accounts(self, request: pb.ListAccountsRequest, who: Identity) -> Any:
        organisers_only(who)

        def answer() -> Any:
            size = read_page_size(request.page_size)
            page = self._store.accounts(request.league, size, request.page_token)
            accounts = map(account_message, page.items)
            return pb.ListAccountsResponse(accounts=accounts, next_page_token=page.next)

        return await in_thread(answer)

    async def _approve(self, request: pb.ApproveAccountRequest, who: Identity) -> Any:
        organisers_only(who)
        account = await asyncio.to_thread(self._store.approve_account, request.league, request.name)
        return pb.ApproveAccountResponse(account=account_message(account))

    async def _block(self, request: pb.BlockAccountRequest, who: Identity) -> Any:
        organisers_only(who)
        reason = read_reason(request.reason, "the author")
        account = await asyncio.to_thread(
            self._store.block_account, request.league, request.name, reason
        )
        self._open_intake.queue.on_playing_changed(request.league)
        return pb.BlockAccountResponse(account=account_message(account))

    # Packages -----------------------------------------------------------------------------------

    async def _get_upload(self, request: pb.GetUploadRequest, who: Identity) -> Any:
        await self._permit_author(who, request.league)
        uploads = self._open_intake.uploads
        place = (request.league, who.author, request.package)
        return pb.GetUploadResponse(offset=await asyncio.to_thread(uploads.offset, *place))

    async def _upload_stream(self, _requests: AsyncIterator[Any], context: Context) -> Any:
        return await self._answer(
            partial(self._upload, context), pb.UploadPackageRequest(), context
        )

    async def _upload(self, context: Context, _request: Any, who: Identity) -> Any:
        """Take a package from a stream; what has arrived is kept if the stream is cut."""
        await self._permit_author(who, who.league)
        key = f"{who.league}/{who.author}"
        with self._uploading.hold(key):
            self._begun.take(key)
            header = await read_header(context)
            await self._permit_author(who, header.league)
            await asyncio.to_thread(
                self._store.check_upload, header.league, who.author, header.size
            )
            upload = PackageUpload(self._open_intake.uploads, who.author, header)
            packed = await upload.receive(context)
            submission = await asyncio.to_thread(
                receive_package, self._store, header.league, who.author, packed
            )
        self._open_intake.queue.notify()
        return pb.UploadPackageResponse(submission=self._message(submission))

    async def _download(
        self, request: pb.DownloadPackageRequest, who: Identity, context: Context
    ) -> AsyncIterator[Any]:
        found = await asyncio.to_thread(self._store.submissions_of, request.package)
        if not await asyncio.to_thread(may_download, self._store, who, found):
            not_allowed(who, "only the author and an organiser may do that.")
        with self._downloading.hold(address_of(context.peer())):
            content = await asyncio.to_thread(self._store.package, request.package)
            async for part in read_within(READ_WITHIN, _parts(request.package, content)):
                yield part

    # Submissions --------------------------------------------------------------------------------

    def _message(self, submission: Submission) -> pb.Submission:
        return submission_message(submission, self._pages)

    async def _get(self, request: pb.GetSubmissionRequest, who: Identity) -> Any:
        found = await self._permitted(request.id, who)
        return pb.GetSubmissionResponse(submission=self._message(found))

    async def _watch(
        self, request: pb.WatchSubmissionRequest, who: Identity, _context: Context
    ) -> AsyncIterator[Any]:
        found = await self._permitted(request.id, who)
        with self._watching.hold(f"{who.role}/{who.league}/{who.author}"):
            yield pb.WatchSubmissionResponse(submission=self._message(found))
            while found.state is SubmissionState.PROCESSING:
                known, found = found, await self._open_intake.queue.wait_for_change(found, WATCH)
                if found != known:
                    yield pb.WatchSubmissionResponse(submission=self._message(found))

    async def _list(self, request: pb.ListSubmissionsRequest, who: Identity) -> Any:
        author = request.author or who.author
        await self._permit(who, request.league, author)

        def answer() -> Any:
            self._store.league(request.league)  # raises NotFoundError
            page = self._store.submissions(
                request.league,
                author=author or None,
                bot=request.bot or None,
                page_size=read_page_size(request.page_size),
                page_token=request.page_token,
            )
            found = map(self._message, page.items)
            return pb.ListSubmissionsResponse(submissions=found, next_page_token=page.next)

        return await in_thread(answer)

    async def _reports(self, request: pb.GetSubmissionReportsRequest, who: Identity) -> Any:
        found = await self._permitted(request.id, who)

        def answer() -> Any:
            counts = self._store.fault_counts(found).items()
            return pb.GetSubmissionReportsResponse(
                submission=self._message(found),
                reports=map(report_message, self._store.stage_reports(found.id)),
                faults=[pb.FaultCount(fault=fault, matches=n) for fault, n in counts],
            )

        return await in_thread(answer)

    async def _match_logs(self, request: pb.ListMatchLogsRequest, who: Identity) -> Any:
        await self._permit_bot(who, request.league, request.bot)

        def answer() -> Any:
            kept = self._store.match_logs(request.league, request.bot)
            logs = [pb.MatchLog(match=match, text=text) for match, text in kept]
            return pb.ListMatchLogsResponse(logs=logs)

        return await in_thread(answer)

    async def _activate(self, request: pb.ActivateVersionRequest, who: Identity) -> Any:
        await self._permitted(request.id, who)
        active = await asyncio.to_thread(self._store.activate, request.id)
        self._open_intake.queue.on_playing_changed(active.league)
        return pb.ActivateVersionResponse(submission=self._message(active))

    async def _retire(self, request: pb.RetireBotRequest, who: Identity) -> Any:
        await self._permit_bot(who, request.league, request.bot)
        await asyncio.to_thread(self._store.retire, request.league, request.bot)
        self._open_intake.queue.on_playing_changed(request.league)
        return pb.RetireBotResponse()


async def _parts(package: str, content: bytes) -> AsyncIterator[pb.DownloadPackageResponse]:
    header = pb.PackageHeader(package=package, size=len(content))
    yield pb.DownloadPackageResponse(header=header)
    for start in range(0, len(content), CHUNK):
        yield pb.DownloadPackageResponse(chunk=content[start : start + CHUNK])
