"""Waits for rows of the record: reads the agent's own rows, often at first, then less."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from .aws import Gate, Row, is_refusal, kind_of
from .errors import NoDecisionError, StoppedError

#: Seconds between reads: these first, then every five, and every fifteen after ten minutes.
_FIRST = (0.06, 0.12, 0.25, 0.5, 1.0)
_LATER = 5.0
_MUCH_LATER = 15.0
_LONG = 600.0
#: So long reads may fail in a row before the wait ends: a throttle or a failover is over by then.
_MAX_UNREADABLE = 120.0
#: Two reads are no further apart. Where the clock leaps more the machine slept, and its network may be behind it.
_MAX_GAP = 30.0


@dataclass(frozen=True)
class Awaited:
    """Where the decision may stand."""

    agent: str
    proposal_id: str
    pid: str
    #: Of the bytes that were sent: a gate that could read no id in them files its answer there. None: sent by others.
    unreadable_pid: str | None
    #: After so long the gate judges no more, or should have judged. None: for as long as the wait lasts.
    judged_within: float | None


@dataclass(frozen=True)
class Waiter:
    """Reads until there is what is waited for. Times are seconds."""

    gate: Gate
    table: str
    clock: Callable[[], float]
    sleep: Callable[[float, threading.Event], object]
    jitter: Callable[[], float]

    def wait(
        self, awaited: Awaited, until: Literal["evaluated", "decided"], timeout: float, stop: threading.Event | None
    ) -> Row:
        """The row that says how the gate judged, or the first that holds a decision.

        Reads for half the price until the last time: a row that such a read misses is found by the next one.

        Raises NoDecisionError after the time-out, with the code `unanswered` if nothing is on record after
        `judged_within`, and with a cause if rows cannot be read; StoppedError.
        """
        began = self.clock()
        unreadable = 0.0
        failed_at: float | None = None
        event = stop or threading.Event()
        was_read = False
        is_asked = False
        reads = 0
        while True:
            if event.is_set():
                raise StoppedError(awaited.proposal_id)
            within = awaited.judged_within
            longest = timeout if is_asked or within is None else min(timeout, within)
            is_last = self.clock() - began >= longest
            try:
                row = self._read(awaited, is_asked, reads, is_last)
                unreadable, failed_at = 0.0, None
                was_read = True
                if row and (row.decision or (until == "evaluated" and row.verdict == "ask")):
                    return row
                if row and row.verdict == "ask" and not is_asked:
                    is_asked = True
                    continue
            except Exception as error:
                now = self.clock()
                unreadable += min(_MAX_GAP, now - (now if failed_at is None else failed_at))
                failed_at = now
                # There may be a decision where no read succeeded at all. One that fails at the end alone is late.
                if (is_last and not was_read) or is_refusal(error) or unreadable >= _MAX_UNREADABLE:
                    raise NoDecisionError(awaited.proposal_id, unreadable=kind_of(error)) from error
            if is_last:
                raise NoDecisionError(awaited.proposal_id, unanswered=longest < timeout)
            waited = self.clock() - began
            pause = _FIRST[reads] if reads < len(_FIRST) else _LATER if waited < _LONG else _MUCH_LATER
            self.sleep(max(0.0, min(pause * (0.8 + 0.4 * self.jitter()), longest - waited)), event)
            reads += 1

    def _read(self, awaited: Awaited, is_asked: bool, reads: int, latest: bool) -> Row | None:
        sort = "decided" if is_asked else "evaluated"
        row = self.gate.read(self.table, awaited.agent, awaited.pid, sort, latest)
        if row or is_asked or awaited.unreadable_pid is None or reads < len(_FIRST):
            return row
        return self.gate.read(self.table, awaited.agent, awaited.unreadable_pid, "evaluated", latest)
