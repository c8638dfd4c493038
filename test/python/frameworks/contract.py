"""Declares the behaviour of every adapter: a tool runs only under a permit, whatever the framework."""

from __future__ import annotations

import dataclasses
import json
import os
import unittest
import zlib
from dataclasses import dataclass, field
from typing import Protocol

from countersign import CountersignClient, Settings, settings_from
from countersign.aws import AwsGate
from countersign.wire import Json

AWS = AwsGate()


class Reporting(AwsGate):
    """Keeps the reports of runs besides."""

    def __init__(self) -> None:
        super().__init__()
        self.statuses: list[str] = []

    def publish(self, queue_url: str, body: str, agent: str) -> None:
        super().publish(queue_url, body, agent)
        if queue_url.endswith("-outcomes"):
            self.statuses.append(json.loads(body)["status"])


def client_of(settings: Settings, session_id: str, gate: AwsGate = AWS) -> CountersignClient:
    """Reads often: the client's own pace is made for waits of minutes. A session remembers what people refused."""
    return CountersignClient(
        settings, session_id=session_id, gate=gate, sleep=lambda seconds, stop: stop.wait(min(seconds, 0.05))
    )


def redeeming() -> Settings:
    queue = os.environ["COUNTERSIGN_QUEUE_URL"].replace("-proposals", "-outcomes")
    more = {"redeem_function": "countersign-dev-redeem", "outcomes_queue_url": queue}
    return Settings(**{**dataclasses.asdict(settings_from()), **more})


@dataclass(frozen=True)
class ToolCall:
    """One call of the fake model. Tools: `Refund` is asked about, `Lookup` allowed, `Delete` denied.

    To look up `fails` fails.
    """

    id: str
    tool: str
    input: Json


@dataclass
class Ran:
    """How far a run came: the calls that it is suspended for, and the text that the model saw of each call."""

    suspended: set[str] = field(default_factory=set)
    outputs: dict[str, str] = field(default_factory=dict)


class Driver(Protocol):
    """One framework with a fake model that makes the given calls in one turn, and tools that note what they ran."""

    #: Inputs that tools really ran with, in the order of their ends.
    ran: list[Json]

    def start(self, calls: list[ToolCall]) -> Ran:
        """Runs until it ends or is suspended, and keeps its state as text or in a store."""

    def resume(self) -> Ran:
        """Goes on from that state with new objects of the framework, and approves whatever it is suspended for."""


class Contract:
    """The cases. A framework's test case adds `unittest.TestCase` and its driver."""

    def driver(self, client: CountersignClient, run: str) -> Driver:
        raise NotImplementedError

    def make(self, settings: Settings | None = None, gate: AwsGate = AWS) -> Driver:
        assert isinstance(self, unittest.TestCase)
        run = self.id()[-90:]
        return self.driver(client_of(settings or settings_from(), run, gate), run)

    def order(self, number: int) -> str:
        """Of this test alone: what a person refused once is refused for all sessions of the agent."""
        assert isinstance(self, unittest.TestCase)
        return f"{zlib.crc32(self.id().encode()):x}-{number}"

    def refund(self, number: int, person: str) -> ToolCall:
        return ToolCall(f"c-{number}", "Refund", {"orderId": self.order(number), "amount": 25, "person": person})

    def test_a_call_that_a_rule_allows_runs_without_a_pause(self) -> None:
        driver = self.make()
        ended = driver.start([ToolCall("c-1", "Lookup", {"q": "orders"})])
        assert ended == Ran(outputs={"c-1": "Lookup orders"}), ended
        assert driver.ran == [{"q": "orders"}], driver.ran

    def test_a_call_that_a_rule_denies_ends_without_a_pause_and_the_model_reads_why(self) -> None:
        driver = self.make()
        ended = driver.start([ToolCall("c-1", "Delete", {"all": "yes"})])
        assert ended == Ran(outputs={"c-1": "Denied by the rule Delete (project)."}), ended
        assert driver.ran == [], driver.ran

    def test_a_call_that_a_person_approves_runs_after_the_pause(self) -> None:
        driver = self.make()
        assert driver.start([self.refund(1, "approves")]).suspended == {"c-1"}
        assert driver.ran == [], driver.ran
        ended = driver.resume()
        assert ended.outputs["c-1"] == f"Refund {self.order(1)}: 25", ended
        assert len(driver.ran) == 1, driver.ran

    def test_a_call_that_a_person_rejects_never_runs_though_the_framework_approves_it(self) -> None:
        driver = self.make()
        assert driver.start([self.refund(1, "rejects")]).suspended == {"c-1"}
        ended = driver.resume()
        assert "Too much for one order." in ended.outputs["c-1"], ended
        assert driver.ran == [], driver.ran

    def test_a_call_that_a_person_edits_runs_as_edited_and_the_model_is_told(self) -> None:
        driver = self.make()
        driver.start([self.refund(1, "edits")])
        ended = driver.resume()
        given = f'{{"amount":5,"orderId":"{self.order(1)}"}}'
        change = f"This call ran with {given} in place of the arguments that you proposed."
        assert ended.outputs["c-1"] == f"Refund {self.order(1)}: 5\n\n{change}", ended
        assert [given["amount"] for given in driver.ran] == [5], driver.ran

    def test_a_call_that_the_gate_cannot_read_ends_alone_and_the_model_reads_why(self) -> None:
        driver = self.make()
        unreadable = ToolCall("c-1", "Refund", {"orderId": self.order(1), "amount": 2**53 + 2})
        ended = driver.start([unreadable, ToolCall("c-2", "Lookup", {"q": "x"})])
        assert ended.suspended == set(), ended
        assert "input.amount" in ended.outputs["c-1"], ended
        assert ended.outputs["c-2"] == "Lookup x", ended
        assert driver.ran == [{"q": "x"}], driver.ran

    def test_of_calls_in_one_turn_each_ends_as_its_own_person_decided(self) -> None:
        driver = self.make()
        people = ("approves", "rejects", "edits")
        asked = [self.refund(number, person) for number, person in enumerate(people, 1)]
        calls = [*asked, ToolCall("c-4", "Lookup", {"q": "x"})]
        assert driver.start(calls).suspended == {"c-1", "c-2", "c-3"}
        ended = driver.resume()
        assert ended.outputs["c-1"] == f"Refund {self.order(1)}: 25", ended
        assert "Too much" in ended.outputs["c-2"], ended
        assert ended.outputs["c-3"].startswith(f"Refund {self.order(3)}: 5\n"), ended
        amounts = sorted(given["amount"] for given in driver.ran if "amount" in given)
        assert amounts == [5, 25], driver.ran

    def test_a_tool_that_fails_is_not_reported_as_a_success(self) -> None:
        gate = Reporting()
        ended = self.make(redeeming(), gate).start([ToolCall("c-1", "Lookup", {"q": "fails"})])
        assert gate.statuses == ["unknown"], (gate.statuses, ended)

    def test_a_run_that_is_resumed_twice_runs_its_call_once_where_permits_are_redeemed(self) -> None:
        driver = self.make(redeeming())
        driver.start([self.refund(1, "approves")])
        assert driver.resume().outputs["c-1"] == f"Refund {self.order(1)}: 25"
        again = driver.resume()
        assert f"Refund {self.order(1)}" not in again.outputs.get("c-1", ""), again
        assert len(driver.ran) == 1, driver.ran
