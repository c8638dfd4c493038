"""Holds doubles of the suites: a clock that only sleeping moves, and a gate of prepared rows.

Controls the local gate, too.
"""

from __future__ import annotations

import json
import os
import threading
import urllib.request
from collections.abc import Callable
from typing import Any

from countersign import Call, CountersignClient, Settings
from countersign.aws import Row
from countersign.read_decision import read_decision
from countersign.wire import Json, action_digest

SETTINGS = Settings(agent="coder", deployment="prod", queue_url="https://queue.example", audit_table="audit")
REDEEMING = Settings(
    agent="coder",
    deployment="prod",
    queue_url="https://queue.example",
    audit_table="audit",
    redeem_function="redeem",
    outcomes_queue_url="https://outcomes.example",
)
#: 2026-11-21T09:00:00Z
START = 1_795_251_600.0
REFUND = Call("Refund", {"orderId": "o-1", "amount": 25}, call_id="c-1")
DIGEST = action_digest("Refund", {"orderId": "o-1", "amount": 25})


class Clock:
    """Moves only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = START
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float, _: threading.Event) -> None:
        self.slept.append(seconds)
        self.now += seconds


class Never:
    """A tool that may not run."""

    def __init__(self) -> None:
        self.inputs: list[Json] = []

    def __call__(self, action_input: Json, _: object) -> Json:
        self.inputs.append(action_input)
        return action_input


class ScriptedGate:
    """Answers reads with what `row` makes of them and redemptions with `answer`; takes down what is published."""

    def __init__(
        self, row: Callable[[str, str], Row | None] = lambda pid, sort: None, answer: Json | None = None
    ) -> None:
        self.row = row
        #: Of reads that need not be the latest; the same unless a test says otherwise.
        self.row_of_likely: Callable[[str, str], Row | None] | None = None
        self.answer = answer
        self.reads: list[tuple[str, str]] = []
        self.latest: list[bool] = []
        self.sent: list[Json] = []
        self.reports: list[Json] = []
        self.redeemed: list[Json] = []

    def publish(self, queue_url: str, body: str, agent: str) -> None:
        (self.reports if "outcomes" in queue_url else self.sent).append(json.loads(body))

    def read(self, table: str, agent: str, pid: str, sort: str, latest: bool) -> Row | None:
        self.reads.append((pid, sort))
        self.latest.append(latest)
        return (self.row if latest else self.row_of_likely or self.row)(pid, sort)

    def redeem(self, function: str, request: Json) -> Json:
        self.redeemed.append(request)
        if self.answer is None:
            raise ConnectionError("the gate cannot be reached")
        return self.answer

    @property
    def cancelled(self) -> list[str]:
        return [message["cancels"] for message in self.sent if message["kind"] == "cancel"]


def client_of(gate: ScriptedGate, clock: Clock | None = None, settings: Settings = SETTINGS) -> CountersignClient:
    time = clock or Clock()
    ids = iter(f"id-{number}" for number in range(1, 1000))
    return CountersignClient(
        settings, gate=gate, clock=time, sleep=time.sleep, new_id=lambda: next(ids), jitter=lambda: 0.5
    )


def stored_decision(digest: str, call_id: str = "call", **changes: Any) -> Json:
    """A decision as its row holds it: approved, with a permit for the action of this digest."""
    permit = {"permitId": "a" * 32, "issuedAt": "2026-11-21T09:00:00.000Z", "expiresAt": "2026-11-21T09:15:00.000Z"}
    return {
        "proposalId": "p-1",
        "outcome": "approved",
        "message": "Run it now.",
        "reasonCode": "approved",
        "decidedBy": {"type": "human", "id": "T1/U2"},
        "policyVersion": "0" * 64,
        "actionDigest": digest,
        "decidedAt": "2026-11-21T09:00:00.000Z",
        "calls": [{"id": call_id, "permit": permit}],
        **changes,
    }


def always(verdict: str, stored: Json | None, sort_of: str | None = None) -> Callable[[str, str], Row | None]:
    """One row for every read, or for reads of one sort."""
    row = Row(verdict, None if stored is None else read_decision(stored))
    return lambda pid, sort: row if sort_of in (None, sort) else None


def approving(tool_name: str, action_input: Json, call_id: str = "call", **changes: Any) -> Callable[[str, str], Row]:
    """Rows of a gate that allows exactly this call."""
    stored = stored_decision(action_digest(tool_name, action_input), call_id, **changes)
    return lambda pid, sort: Row("allow", read_decision(stored))


def control(fault: Json | None = None) -> list[str]:
    """The operations that the local gate was called with since the last time; the next ones end in the fault."""
    request = urllib.request.Request(
        f"{os.environ['AWS_ENDPOINT_URL']}/control",
        data=json.dumps({"fault": fault} if fault else {}).encode(),
        method="POST",
    )
    with urllib.request.urlopen(request) as response:
        calls: list[str] = json.load(response)["calls"]
    return calls
