"""Runs blocking work beside an event loop, each in a thread of its own."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import Callable
from typing import TypeVar

from .outer import Until, outer_run

Output = TypeVar("Output")


class _WhileAwaited(Until):
    """Is set besides once nobody can await the work any more: the process would not end before it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(outer_run())
        self._loop = loop
        self._thread = threading.current_thread()

    def is_set(self) -> bool:
        # A process goes on for a thread with a loop of its own once its main thread is over.
        is_ending = not (threading.main_thread().is_alive() or self._thread.is_alive())
        return super().is_set() or self._loop.is_closed() or is_ending


async def in_thread(work: Callable[[threading.Event], Output]) -> Output:
    """Runs `work` with an event that is set once the task is cancelled, or the loop or the tool is over that made it.

    The loop's own pool has a few threads only, and calls that wait for people for hours would take them all.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Output] = loop.create_future()
    stop = _WhileAwaited(loop)

    def finish(result: Output | None, error: BaseException | None) -> None:
        if future.done():
            return
        if isinstance(error, StopIteration):
            # No future takes one, and its task would wait for ever. A coroutine that raises it ends so, too.
            stopped = RuntimeError("the work of a thread raised StopIteration")
            stopped.__cause__ = error
            future.set_exception(stopped)
        elif error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)  # type: ignore[arg-type]  # None only where it is the work's own result.

    def target() -> None:
        outcome: tuple[Output | None, BaseException | None]
        try:
            outcome = (work(stop), None)
        except BaseException as error:
            outcome = (None, error)
        # The loop may be closed: nobody waits any more.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(finish, *outcome)

    # Traces of the caller go on in the thread.
    within = contextvars.copy_context()
    threading.Thread(target=lambda: within.run(target), name="countersign").start()
    try:
        return await future
    finally:
        stop.set()
