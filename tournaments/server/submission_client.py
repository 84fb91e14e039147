"""A client of SubmissionService, which knows the methods of LeagueService too.

with SubmissionClient("league.example:7000", token) as client:
    submission = client.upload("spring", packed)
    for now in client.watch(submission["id"]):
        …
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from highstreet.v1 import submission_pb2 as pb

from tournaments.server.league_client import LeagueClient
from tournaments.server.package_upload import LARGEST_CHUNK, LONGEST_UPLOAD
from tournaments.server.service_client import LeagueClientError, Values, plain_values
from tournaments.submissions import PackageLimits, package_hash

CHUNK: Final = LARGEST_CHUNK


class SubmissionClient(LeagueClient):
    """Calls the methods of SubmissionService and of LeagueService."""

    # Accounts -----------------------------------------------------------------------------------

    def sign_up(self, league: str, name: str, code: str = "") -> tuple[Values, str]:
        """Make an account; return it with its token."""
        said = self._call("SignUp", league=league, name=name, code=code)
        return plain_values(said.account), said.token

    def reissue_author_token(self, league: str, name: str = "") -> tuple[str, str]:
        """Return an author, and a new token of it; its old ones are revoked."""
        said = self._call("ReissueAuthorToken", league=league, name=name)
        return said.name, said.token

    def accounts(self, league: str) -> Iterator[Values]:
        """Return the accounts of a league."""
        return self._all("ListAccounts", "accounts", league=league)

    def approve(self, league: str, name: str) -> Values:
        """Let an author submit bots."""
        return plain_values(self._call("ApproveAccount", league=league, name=name).account)

    def block(self, league: str, name: str, reason: str) -> Values:
        """Refuse everything from an author."""
        said = self._call("BlockAccount", league=league, name=name, reason=reason)
        return plain_values(said.account)

    # Packages -----------------------------------------------------------------------------------

    def upload(
        self, league: str, packed: bytes, sent: Callable[[int], object] = lambda _bytes: None
    ) -> Values:
        """Upload a package from where an earlier upload of it was cut; return the submission.

        ``sent`` is called with the number of bytes that have been sent.
        """
        package = package_hash(packed)
        offset = self._call("GetUpload", league=league, package=package).offset
        header = pb.UploadHeader(league=league, package=package, size=len(packed), offset=offset)

        def parts() -> Iterator[pb.UploadPackageRequest]:
            yield pb.UploadPackageRequest(header=header)
            for start in range(offset, len(packed), CHUNK):
                sent(start)
                yield pb.UploadPackageRequest(chunk=packed[start : start + CHUNK])
            sent(len(packed))

        said = self._send("UploadPackage", parts(), LONGEST_UPLOAD)
        return plain_values(said.submission)

    def download(self, package: str) -> bytes:
        """Return a package; raises LeagueClientError if it is not the one that was asked for."""
        packed = bytearray()
        for part in self._stream("DownloadPackage", package=package):
            packed += part.chunk
            if len(packed) > PackageLimits().packed:
                break
        if package_hash(bytes(packed)) != package:
            raise LeagueClientError(f"{self._server} sent another package than {package}.")
        return bytes(packed)

    # Submissions --------------------------------------------------------------------------------

    def submission(self, id_: int) -> Values:
        """Return a submission."""
        return plain_values(self._call("GetSubmission", id=id_).submission)

    def watch(self, id_: int) -> Iterator[Values]:
        """Yield a submission as it is now, and after every change until its stages are over."""
        for said in self._stream("WatchSubmission", id=id_):
            yield plain_values(said.submission)

    def submissions(self, league: str, bot: str = "", author: str = "") -> Iterator[Values]:
        """Return submissions, the newest first."""
        return self._all("ListSubmissions", "submissions", league=league, bot=bot, author=author)

    def reports(self, id_: int) -> list[Values]:
        """Return how a submission did at each stage."""
        return list(map(plain_values, self._call("GetSubmissionReports", id=id_).reports))

    def faults(self, id_: int) -> dict[str, int]:
        """Return in how many matches a version had each fault, the most frequent one first."""
        said = self._call("GetSubmissionReports", id=id_)
        return {each.fault: each.matches for each in said.faults}

    def match_logs(self, league: str, bot: str) -> list[Values]:
        """Return what a bot wrote to its standard error in its newest matches."""
        return list(map(plain_values, self._call("ListMatchLogs", league=league, bot=bot).logs))

    def activate(self, id_: int) -> Values:
        """Let a version play."""
        return plain_values(self._call("ActivateVersion", id=id_).submission)

    def retire(self, league: str, bot: str) -> None:
        """Let no version of a bot play."""
        self._call("RetireBot", league=league, bot=bot)
