"""What a worker says reaches its runner in order, and the worker waits for nobody."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from multiprocessing import Pipe
from multiprocessing.connection import Connection

import pytest

from tournaments.runner.jobs import Failed
from tournaments.runner.outbox import ROOM, Outbox


@pytest.fixture
def ends() -> Iterator[tuple[Connection, Connection]]:
    runner, worker = Pipe()
    yield runner, worker
    runner.close()
    worker.close()


Ends = tuple[Connection, Connection]


def test_a_message_is_there_at_once_while_the_runner_reads(ends: Ends) -> None:
    runner, worker = ends
    outbox = Outbox(worker)
    for number in range(1000):
        outbox.put(Failed(str(number)))
        assert runner.poll(0), "nobody else had to do anything for it"
        assert runner.recv() == Failed(str(number))
    assert outbox._last is None, "no thread had anything to do"


def test_a_runner_that_does_not_read_gets_everything_in_order_later(ends: Ends) -> None:
    """Far more than a connection holds: whoever sent it at once would never come to an end."""
    runner, worker = ends
    outbox = Outbox(worker)
    sent = [Failed(str(number) * 1000) for number in range(2000)]
    for message in sent:
        outbox.put(message)
    heard = [runner.recv() for _ in sent]
    outbox.close()
    assert heard == sent
    assert not runner.poll(0)


def test_once_the_runner_has_caught_up_messages_go_out_at_once_again(ends: Ends) -> None:
    runner, worker = ends
    outbox = Outbox(worker)
    for _ in range(100):
        outbox.put(Failed("x" * 10_000))
    for _ in range(100):
        runner.recv()
    assert outbox._last is not None
    outbox._last.result()
    outbox.put(Failed("again"))
    assert runner.poll(0)
    assert runner.recv() == Failed("again")


def test_a_message_larger_than_the_room_that_is_there_for_sure_goes_beside_the_loop(
    ends: Ends,
) -> None:
    runner, worker = ends
    outbox = Outbox(worker)
    large, small = Failed("x" * 20 * ROOM), Failed("small")
    outbox.put(large)
    outbox.put(small)
    assert [runner.recv(), runner.recv()] == [large, small]


def test_as_much_as_is_there_for_sure_can_be_sent_without_a_reader(ends: Ends) -> None:
    """Up to the moment in which Linux says that there is no room."""
    runner, worker = ends
    outbox = Outbox(worker)
    message = Failed("x" * (ROOM - 1000))
    count = 0
    while outbox._last is None:
        outbox.put(message)
        count += 1
    assert count > 1
    assert [runner.recv() for _ in range(count)] == [message] * count


def test_a_runner_that_is_gone_is_no_reason_to_fail(
    ends: Ends, caplog: pytest.LogCaptureFixture
) -> None:
    runner, worker = ends
    outbox = Outbox(worker)
    runner.close()
    with caplog.at_level(logging.WARNING):
        outbox.put(Failed("is anybody there?"))
        outbox.close()
    assert "the runner is gone" in caplog.text
