"""Sends the messages of one agent, and waits for what the gate records of them."""

from __future__ import annotations

import contextlib
import random
import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from .aws import AwsGate, Gate, Row
from .call import Call, body_of
from .checks import OnAbort, checked_having, checked_seconds, checked_session, checked_stop, checked_text, shown
from .decision import Decision
from .ends import GivenUpError
from .errors import DigestMismatchError, InvalidProposalError, InvalidSettingError, NoDecisionError, StoppedError
from .lines import Lines
from .settings import Settings
from .waiting import Awaited, Waiter
from .wire import (
    IDENTIFIER,
    VERSION,
    Json,
    action_digest,
    instant_seconds,
    instant_text,
    pid_of,
    sha256_hex,
)

#: Seconds that people may be waited for at most.
_MAX_APPROVAL = 30 * 24 * 3600.0
#: A proposal may wait in its queue, and its end may be told, for so long beyond the time that people have.
_GRACE = 15 * 60.0
#: A gate that works has recorded at least how it judged by then.
_UNANSWERED = 50.0
#: The gate refuses what was sent earlier.
_JUDGED_WITHIN = 24 * 3600.0
#: The oldest is forgotten then: a process that proposes and never waits does not grow.
_MAX_SENT = 10_000


@dataclass(frozen=True)
class _Sent:
    digests: Mapping[str, str]
    raw_digest: str
    sent_at: float
    ends_at: float


class Exchange:
    """One agent's messages to the gate and the gate's answers, safe for several threads."""

    def __init__(
        self,
        settings: Settings,
        *,
        session_id: str = "main",
        gate: Gate | None = None,
        clock: Callable[[], float] = time.time,
        new_id: Callable[[], str] = lambda: str(uuid.uuid4()),
        sleep: Callable[[float, threading.Event], object] = lambda seconds, stop: stop.wait(seconds),
        jitter: Callable[[], float] = random.random,
    ) -> None:
        if not isinstance(settings, Settings):
            problem = f"{shown(settings)} is no Settings: pass countersign.Settings, or use from_environment()"
            raise InvalidSettingError("settings", problem)
        if gate is not None:
            checked_having(gate, "gate", ("publish", "read", "redeem"), "a Gate with publish, read and redeem")
        functions = {"clock": clock, "new_id": new_id, "sleep": sleep, "jitter": jitter}
        for setting, function in functions.items():
            checked_having(function, setting, ("__call__",), "a function")
        self.settings = settings
        self.gate: Gate = AwsGate() if gate is None else gate
        self.clock = clock
        self.sleep = sleep
        #: Calls that wait for a busy tool.
        self.lines = Lines()
        self._session_id = checked_session(session_id)
        self._new_id = new_id
        self._waiter = Waiter(self.gate, settings.audit_table, clock, sleep, jitter)
        self._sent: OrderedDict[str, _Sent] = OrderedDict()
        self._lock = threading.Lock()
        #: Whether the gate has recorded anything under this deployment's name yet.
        self._is_known = False

    def pid_of(self, proposal_id: str) -> str:
        """The key of a proposal of this agent in the record. Raises InvalidProposalError if it can be no id."""
        if not isinstance(proposal_id, str) or IDENTIFIER.fullmatch(proposal_id) is None:
            raise InvalidProposalError("invalid_proposal", "proposal_id", "must be 1 to 128 of A-Z a-z 0-9 . _ : -")
        return pid_of(self.settings.deployment, self.settings.agent, proposal_id)

    def propose_once(self, call: Call, proposal_id: str) -> Json:
        """As `propose`, without sending again what this process has sent under the same id. Returns the message."""
        with self._lock:
            sent = self._sent.get(proposal_id)
        message = {**call.to_message(), "proposalId": proposal_id}
        if sent is not None and sent.digests:
            _, read = body_of(self._stated(message))
            if _digests_of(read) == sent.digests:
                return read
        return self.send(message)

    def cancel(self, proposal_id: str, reason: str | None = None) -> None:
        """Withdraws a proposal of this agent: its decision becomes `cancelled`, unless it was decided before."""
        if reason is not None:
            checked_text(reason, "reason")
        cancel = {"kind": "cancel", "proposalId": self._new_id(), "cancels": proposal_id}
        self.send({**cancel, **({"reason": reason} if reason else {})})

    def wait(self, proposal_id: str, *, timeout: float | None = None, stop: threading.Event | None = None) -> Decision:
        """Waits for the decision on a proposal of this agent, whichever process sent it. Withdraws nothing.

        `timeout` in seconds; by default the wait ends when people can no longer answer, which is the proposal's
        `expires_at` or 30 days, and some minutes. Raises NoDecisionError; StoppedError once `stop` is set;
        DigestMismatchError if the decision is about another action than this process proposed.
        """
        decision = self.wait_for_row(proposal_id, "decided", timeout, stop).decision
        if decision is None:
            raise NoDecisionError(proposal_id)
        return decision

    def send(self, message: Json) -> Json:
        """Sends one message, and returns what the gate reads in its bytes."""
        now = self.clock()
        body, read = body_of(self._stated(message))
        self.gate.publish(self.settings.queue_url, body, self.settings.agent)
        if message["kind"] != "cancel":
            self._remember(read, body, now)
        return read

    def _stated(self, message: Json) -> Json:
        session = {} if message["kind"] == "cancel" else {"sessionId": self._session_id}
        return {"schemaVersion": VERSION, **session, **message, "sentAt": instant_text(self.clock())}

    def _remember(self, read: Json, body: str, now: float) -> None:
        digests = _digests_of(read)
        # The gate itself tells of a proposal that is over already.
        ends_at = max(now, instant_seconds(read["expiresAt"])) if "expiresAt" in read else now + _MAX_APPROVAL
        with self._lock:
            if len(self._sent) >= _MAX_SENT:
                self._sent.popitem(last=False)
            self._sent[read["proposalId"]] = _Sent(digests, sha256_hex(body), now, ends_at)

    def wait_for_row(
        self,
        proposal_id: str,
        until: Literal["evaluated", "decided"],
        timeout: float | None,
        stop: threading.Event | None,
    ) -> Row:
        """As `wait`, or until it is known whether people are asked."""
        seconds = checked_seconds(timeout, "timeout")
        checked_stop(stop)
        pid = self.pid_of(proposal_id)
        with self._lock:
            sent = self._sent.get(proposal_id)
        if seconds is None:
            ends_at = sent.ends_at if sent else self.clock() + _MAX_APPROVAL
            seconds = max(0.0, ends_at + _GRACE - self.clock())
        awaited = Awaited(
            agent=self.settings.agent,
            proposal_id=proposal_id,
            pid=pid,
            unreadable_pid=self.pid_of(f"unreadable:{sent.raw_digest}") if sent else None,
            judged_within=self._judged_within(sent) if sent else None,
        )
        row = self._waiter.wait(awaited, until, seconds, stop)
        self._is_known = True
        for call in row.decision.calls if row.decision and sent else ():
            # The decision on a call with an effective input names what was proposed beside what may run.
            about = call.proposed_digest or call.action_digest
            if sent and about is not None and about != sent.digests.get(call.id):
                raise DigestMismatchError(proposal_id)
        return row

    def _judged_within(self, sent: _Sent) -> float:
        """A gate that has answered before is behind, not unknown. What it has not judged in a day, it never does."""
        left = sent.sent_at + _JUDGED_WITHIN + _GRACE - self.clock() if self._is_known else 0.0
        # Also of a wait that begins later one failing read is not the end: people may have been asked long ago.
        return max(_UNANSWERED, left)


@contextlib.contextmanager
def withdrawing(exchange: Exchange, proposal_id: str, on_abort: OnAbort) -> Iterator[None]:
    """Withdraws the proposal if the wait within ends without a decision: nobody may approve what nobody waits for."""
    try:
        yield
    except BaseException as error:
        is_given_up = isinstance(error, (NoDecisionError, StoppedError)) or not isinstance(error, Exception)
        if is_given_up and on_abort == "cancel":
            is_over = isinstance(error, NoDecisionError) and error.code == "no_decision" and error.__cause__ is None
            # The reason why it ended is worth more than this one's failure.
            try:
                exchange.cancel(proposal_id, "the agent no longer waits")
            except Exception:
                is_over = False
            if is_over:
                raise GivenUpError(proposal_id) from None
        raise


def _digests_of(message: Json) -> dict[str, str]:
    """Action digests by call id."""
    starts = message.get("starts")
    return {
        call["id"]: action_digest(call["toolName"], call["input"], call.get("cwd"), starts)
        for call in message.get("calls", [])
    }
