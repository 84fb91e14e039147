"""Process settings: what a program of this project sets up once, from its entry point.

No import changes any of this. The entry points (the command line, a worker process, a benchmark)
call these functions; each setting can be switched off, and each costs speed only.

========================  ==================================  ================================
call                      what it sets                        gain, and how to switch it off
========================  ==================================  ================================
``prepare_environment``   GRPC_ENABLE_FORK_SUPPORT=0          started bots never crash in gRPC's
                                                              fork handlers; set the variable
``run_async``             uvloop, with a monotonic clock      25 % of a decision over pipes;
                                                              HIGHSTREET_LOOP=asyncio
``tuned_process``         rare garbage collection,            20 % of a decision over gRPC;
                          SCHED_BATCH                         HIGHSTREET_TURNS=usual
``raise_open_files``      the soft limit of open files        more than 1024 connections
========================  ==================================  ================================
"""

from __future__ import annotations

from referee.runtime.cpu_scheduling import default_scheduling, tuned_process
from referee.runtime.event_loop import run_async
from referee.runtime.file_limits import raise_open_files
from referee.runtime.files import TEMPORARY, read_text, write_whole

__all__ = [
    "TEMPORARY",
    "default_scheduling",
    "raise_open_files",
    "read_text",
    "run_async",
    "tuned_process",
    "write_whole",
]
