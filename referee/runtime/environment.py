"""The environment variables that must be set before gRPC is loaded."""

from __future__ import annotations

import os


def prepare_environment() -> None:
    """Disable gRPC's fork handlers, unless the user has set the variable.

    Starting a bot forks, and the child executes another program at once. gRPC's fork handlers
    serve children that continue to use gRPC, and sometimes crash others. gRPC reads the variable
    when it is loaded, so an entry point calls this before it imports a transport.
    """
    os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
