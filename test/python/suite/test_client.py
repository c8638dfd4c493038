"""The client against a scripted gate: nothing runs without a decision about exactly this call, and waits end."""

from __future__ import annotations

import dataclasses
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError
from countersign import (
    Call,
    CountersignError,
    DigestMismatchError,
    GuardrailError,
    InvalidProposalError,
    InvalidSettingError,
    NoDecisionError,
    NotApprovedError,
    PermitExpiredError,
    PlaceChangedError,
    Settings,
    StoppedError,
    settings_from,
)
from countersign.aws import Row
from countersign.decision import read_decision
from countersign.wire import Json, action_digest, pid_of, sha256_hex

from .doubles import REDEEMING, START, Clock, ScriptedGate, always, approving, client_of, stored_decision

REFUND = Call("Refund", {"orderId": "o-1", "amount": 25}, call_id="c-1")
DIGEST = action_digest("Refund", {"orderId": "o-1", "amount": 25})


def client_error(code: str, status: int) -> ClientError:
    return ClientError({"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}, "GetItem")


class Never:
    """A tool that may not run."""

    def __init__(self) -> None:
        self.inputs: list[Json] = []

    def __call__(self, action_input: Json, _: object) -> Json:
        self.inputs.append(action_input)
        return action_input


class Proposing(unittest.TestCase):
    def test_whatever_json_cannot_hold_is_refused_with_its_path_and_nothing_is_sent(self) -> None:
        circle: list[Any] = []
        circle.append(circle)
        cases: list[tuple[Any, str, str]] = [
            ({"x": {1, 2}}, "not_json", "input.x"),
            ({"x": b"bytes"}, "not_json", "input.x"),
            ({"list": [0, float("nan")]}, "not_json", "input.list[1]"),
            ({"a": {"b": float("-inf")}}, "not_json", "input.a.b"),
            ({"a": {1: "x"}}, "not_json", "input.a"),
            ({"a": object()}, "not_json", "input.a"),
            ({"n": 2**53}, "unsafe_number", "input.n"),
            ({"n": -1e300}, "unsafe_number", "input.n"),
            ({"n": 10**400}, "unsafe_number", "input.n"),
            ({"s": ["\ud83d"]}, "lone_surrogate", "input.s[0]"),
            ({"\udc00": 1}, "lone_surrogate", "input.?"),
            ({"a": {"__proto__": 1}}, "forbidden_key", "input.a.__proto__"),
            ({"s": "x" * 262_144}, "too_large", ""),
            ("no object", "invalid_proposal", "input"),
        ]
        for given, code, field in cases:
            with self.subTest(code=code, field=field):
                gate = ScriptedGate()
                with self.assertRaises(InvalidProposalError) as raised:
                    client_of(gate).propose(Call("T", given))
                self.assertEqual((raised.exception.code, raised.exception.field), (code, field))
                self.assertEqual(gate.sent, [])
        with self.assertRaises(InvalidProposalError) as raised:
            client_of(ScriptedGate()).propose(Call("T", {"a": circle}))
        self.assertEqual(raised.exception.code, "too_deep")

    def test_the_message_holds_what_the_call_states_and_when_it_was_sent(self) -> None:
        gate = ScriptedGate()
        call = Call("T", {"b": 1.0, "a": (1, 2)}, title="Do", expires_at="2026-11-21T10:00:00Z", session_id="s-2")
        proposal_id = client_of(gate).propose(call)
        (message,) = gate.sent
        self.assertEqual(proposal_id, "id-1")
        self.assertEqual(message["calls"], [{"id": "call", "toolName": "T", "input": {"b": 1, "a": [1, 2]}}])
        self.assertEqual(list(message["calls"][0]["input"]), ["b", "a"])
        envelope = {key: message[key] for key in ("kind", "title", "expiresAt", "sessionId", "sentAt")}
        expected = {"kind": "tool-call", "title": "Do", "expiresAt": "2026-11-21T10:00:00Z", "sessionId": "s-2"}
        self.assertEqual(envelope, {**expected, "sentAt": "2026-11-21T09:00:00.000Z"})

    def test_a_later_change_of_the_callers_object_does_not_count(self) -> None:
        gate = ScriptedGate(approving("Refund", {"orderId": "o-1", "amount": 25}, "call"))
        given = {"orderId": "o-1", "amount": 25}

        def tool(action_input: Json, _: object) -> Json:
            return action_input

        original = gate.publish

        def publish(queue_url: str, body: str, agent: str) -> None:
            original(queue_url, body, agent)
            given["amount"] = 10_000

        gate.publish = publish  # type: ignore[method-assign]
        self.assertEqual(client_of(gate).guard("r").run(Call("Refund", given, call_id="c-1"), tool)["amount"], 25)


class Waiting(unittest.TestCase):
    def test_it_ends_when_people_can_no_longer_answer(self) -> None:
        for expires_at, longest in (("2026-11-21T10:00:00Z", 3600 + 900), (None, 30 * 24 * 3600 + 900)):
            with self.subTest(expires_at):
                clock = Clock()
                gate = ScriptedGate(lambda pid, sort: Row("ask", None) if sort == "evaluated" else None)
                client = client_of(gate, clock)
                proposal_id = client.propose(Call("T", {}, expires_at=expires_at))
                with self.assertRaises(NoDecisionError) as raised:
                    client.wait(proposal_id)
                self.assertEqual(raised.exception.code, "no_decision")
                self.assertAlmostEqual(clock.now - START, longest, delta=0.01)
                self.assertEqual(gate.cancelled, [])

    def test_reads_come_often_at_first_and_then_less(self) -> None:
        clock = Clock()
        client = client_of(ScriptedGate(lambda pid, sort: Row("ask", None) if sort == "evaluated" else None), clock)
        with self.assertRaises(NoDecisionError):
            client.wait("p-1", timeout=1000)
        self.assertEqual(clock.slept[:7], [0.06, 0.12, 0.25, 0.5, 1.0, 5.0, 5.0])
        self.assertEqual(clock.slept[-2], 15.0)

    def test_a_gate_that_records_nothing_for_fifty_seconds_is_named(self) -> None:
        clock = Clock()
        client = client_of(ScriptedGate(), clock)
        proposal_id = client.propose(REFUND)
        with self.assertRaises(NoDecisionError) as raised:
            client.wait(proposal_id)
        self.assertEqual(raised.exception.code, "unanswered")
        self.assertIn("ProposalsQueueUrl", str(raised.exception))
        self.assertLess(clock.now - START, 60)

    def test_an_answer_to_unreadable_bytes_is_found_under_their_digest(self) -> None:
        gate = ScriptedGate()
        client = client_of(gate)
        bodies: list[str] = []
        gate.publish = lambda queue_url, body, agent: bodies.append(body)  # type: ignore[method-assign]
        refusal: Json = {"outcome": "error", "calls": [], "actionDigest": None, "reasonCode": "invalid_json"}
        decided = Row("error", read_decision(stored_decision(DIGEST, **refusal)))
        gate.row = lambda pid, sort: (
            decided if pid == pid_of("prod", "coder", f"unreadable:{sha256_hex(bodies[0])}") else None
        )
        self.assertEqual(client.wait(client.propose(REFUND)).outcome, "error")

    def test_it_rides_out_two_minutes_of_failing_reads_and_a_refusal_ends_it_at_once(self) -> None:
        for error, longest in (
            (client_error("AccessDeniedException", 400), 0),
            (client_error("ResourceNotFoundException", 400), 0),
            (client_error("ProvisionedThroughputExceededException", 400), 125),
            (client_error("InternalServerError", 500), 125),
            (ConnectionError("reset"), 125),
            (ValueError("the row cannot be read"), 125),
        ):
            with self.subTest(error):
                clock = Clock()

                def row(pid: str, sort: str, error: Exception = error) -> Row | None:
                    raise error

                with self.assertRaises(NoDecisionError) as raised:
                    client_of(ScriptedGate(row), clock).wait("p-1")
                self.assertIs(raised.exception.__cause__, error)
                self.assertLessEqual(clock.now - START, longest)
                self.assertGreaterEqual(clock.now - START, longest - 5)

    def test_a_stop_ends_it(self) -> None:
        stop = threading.Event()
        stop.set()
        with self.assertRaises(StoppedError):
            client_of(ScriptedGate()).wait("p-1", stop=stop)

    def test_a_timeout_that_is_no_length_of_time_is_refused_before_anything_is_sent(self) -> None:
        for timeout in (-1, float("nan"), float("inf"), "5m", True):
            gate = ScriptedGate()
            with self.subTest(timeout), self.assertRaises(InvalidSettingError):
                client_of(gate).guard("r").run(REFUND, Never(), timeout=timeout)  # type: ignore[arg-type]
            self.assertEqual(gate.sent, [])

    def test_a_decision_about_another_call_than_was_proposed_is_refused(self) -> None:
        client = client_of(ScriptedGate(approving("Refund", {"orderId": "o-1", "amount": 26}, "c-1")))
        proposal_id = client.propose(REFUND)
        with self.assertRaises(DigestMismatchError):
            client.wait(proposal_id)


class Guarding(unittest.TestCase):
    def run_with(
        self, row: Row | None, call: Call = REFUND, settings: Settings | None = None
    ) -> tuple[Json, ScriptedGate]:
        gate = ScriptedGate(lambda pid, sort: row)
        client = client_of(gate) if settings is None else client_of(gate, settings=settings)
        return client.guard("run-7").run(call, Never(), timeout=5), gate

    def test_it_runs_exactly_the_approved_input_under_the_id_of_run_and_call(self) -> None:
        result, gate = self.run_with(Row("allow", read_decision(stored_decision(DIGEST, "call"))))
        self.assertEqual(result, {"orderId": "o-1", "amount": 25})
        self.assertEqual([message["proposalId"] for message in gate.sent], ["run-7:c-1"])

    def test_edited_input_is_run_and_the_tool_is_told(self) -> None:
        edited = {"orderId": "o-1", "amount": 5}
        digest = action_digest("Refund", edited)
        (packed,) = stored_decision(digest, "call")["calls"]
        call = {**packed, "effective": {"input": edited, "proposedDigest": DIGEST}}
        gate = ScriptedGate(approving("Refund", edited, "call", calls=[call]))
        seen: list[Any] = []
        client_of(gate).guard("r").run(
            REFUND, lambda action_input, context: seen.append((action_input, context.edited))
        )
        self.assertEqual(seen, [(edited, True)])

    def test_nothing_but_an_approval_of_exactly_this_call_runs_it(self) -> None:
        other = "b" * 64
        (call,) = stored_decision(DIGEST, "call")["calls"]
        by = {"decidedBy": {"type": "human", "id": "x"}}
        rows: list[tuple[Json, type[CountersignError]]] = [
            (stored_decision(other, "call"), DigestMismatchError),
            (stored_decision(DIGEST, "c-2"), DigestMismatchError),
            (stored_decision(DIGEST, "call", calls=[]), DigestMismatchError),
            (stored_decision(DIGEST, "call", calls=[{"id": "call"}]), DigestMismatchError),
            (
                stored_decision(DIGEST, "call", calls=[{**call, "permit": {**call["permit"], "actionDigest": other}}]),
                DigestMismatchError,
            ),
            (
                stored_decision(
                    DIGEST, "call", calls=[{**call, "effective": {"input": {"amount": 9}, "proposedDigest": DIGEST}}]
                ),
                DigestMismatchError,
            ),
            (
                stored_decision(
                    other, "call", calls=[{**call, "effective": {"input": {"amount": 9}, "proposedDigest": other}}]
                ),
                DigestMismatchError,
            ),
            (stored_decision(DIGEST, "call", calls=[{**call, "outcome": "denied"}]), NotApprovedError),
            (
                stored_decision(
                    DIGEST,
                    "call",
                    calls=[{**call, "permit": {**call["permit"], "expiresAt": "2026-11-21T09:00:00.000Z"}}],
                ),
                PermitExpiredError,
            ),
            *(
                (stored_decision(DIGEST, "call", outcome=outcome, **by), NotApprovedError)
                for outcome in ("denied", "expired", "cancelled", "superseded", "answered", "error")
            ),
        ]
        for stored, expected in rows:
            with self.subTest(stored=stored):
                tool = Never()
                gate = ScriptedGate(always("allow", stored))
                with self.assertRaises(expected):
                    client_of(gate).guard("run-7").run(REFUND, tool)
                self.assertEqual((tool.inputs, gate.cancelled), ([], []))

    def test_a_decision_that_this_version_cannot_read_is_no_decision(self) -> None:
        good = stored_decision(DIGEST, "call")
        for change in ({"outcome": "granted"}, {"decidedBy": None}, {"policyVersion": "x"}, {"message": 7}):
            with self.subTest(change), self.assertRaises(ValueError):
                read_decision({**good, **change})

    def test_a_refusal_carries_the_text_for_the_model(self) -> None:
        denied = {"outcome": "denied", "message": "Too much.", "reasonCode": "rejected", "answer": "no"}
        row = Row("deny", read_decision(stored_decision(DIGEST, "call", **denied)))
        with self.assertRaises(NotApprovedError) as raised:
            self.run_with(row)
        error = raised.exception
        self.assertEqual((str(error), error.code, error.reason_code), ("Too much.", "denied", "rejected"))

    def test_it_withdraws_what_nobody_waits_for_any_more_unless_it_is_left_to_others(self) -> None:
        for on_abort, cancelled in (("cancel", ["r:c-1"]), ("leave", [])):
            for ending in ("timeout", "stop", "interrupt"):
                with self.subTest(on_abort=on_abort, ending=ending):
                    stop = threading.Event()
                    reads: list[str] = []

                    def row(pid: str, sort: str, ending: str = ending, stop: threading.Event = stop) -> Row:
                        if ending == "interrupt":
                            raise KeyboardInterrupt
                        if ending == "stop":
                            stop.set()
                        return Row("ask", None)

                    gate = ScriptedGate(row)
                    guard = client_of(gate).guard("r", on_abort=on_abort)  # type: ignore[arg-type]
                    with self.assertRaises((NoDecisionError, StoppedError, KeyboardInterrupt)):
                        guard.run(REFUND, Never(), timeout=30, stop=stop)
                    self.assertEqual((gate.cancelled, reads), (cancelled, []))

    def test_asks_tells_by_the_verdict_and_the_answer_stays_the_same(self) -> None:
        for verdict, expected in (("ask", True), ("allow", False), ("deny", False), ("error", False)):
            decided = None if verdict == "ask" else stored_decision(DIGEST, "call")
            gate = ScriptedGate(always(verdict, decided, "evaluated"))
            guard = client_of(gate).guard("r")
            with self.subTest(verdict):
                self.assertEqual([guard.asks(REFUND), guard.asks(REFUND)], [expected, expected])
                self.assertEqual([message["proposalId"] for message in gate.sent], ["r:c-1"])

    def test_a_call_is_sent_again_only_where_it_is_another_one(self) -> None:
        gate = ScriptedGate(always("ask", None, "evaluated"))
        guard = client_of(gate).guard("r")
        for call in (REFUND, REFUND, dataclasses.replace(REFUND, input={"amount": 1}), REFUND):
            self.assertTrue(guard.asks(call))
        self.assertEqual([message["calls"][0]["input"].get("orderId") for message in gate.sent], ["o-1", None, "o-1"])

    def test_ids_that_are_none_for_the_gate_are_named_by_their_digest(self) -> None:
        def proposal_id(run: str, call_id: str) -> str:
            return client_of(ScriptedGate()).guard(run).proposal_id(Call("T", {}, call_id=call_id))

        self.assertEqual(proposal_id("r" * 63, "c-1"), f"{'r' * 63}:c-1")
        self.assertEqual(proposal_id("user 7", "c" * 64), f"{sha256_hex('user 7')[:63]}:{sha256_hex('c' * 64)[:63]}")
        for run, call_id in (("", "c-1"), ("r", "")):
            with self.assertRaises(InvalidSettingError):
                proposal_id(run, call_id)

    def test_what_a_call_states_beside_its_input_reaches_the_gate(self) -> None:
        gate = ScriptedGate(always("ask", None, "evaluated"))
        stated = {"urgency": "high", "idempotency_key": "k-1", "annotations": {"readOnlyHint": True}}
        client_of(gate).guard("r").asks(dataclasses.replace(REFUND, **stated))  # type: ignore[arg-type]
        (message,) = gate.sent
        self.assertEqual((message["urgency"], message["idempotencyKey"]), ("high", "k-1"))
        self.assertEqual(message["calls"][0]["annotations"], {"readOnlyHint": True})
        for wrong in ({"urgency": "now"}, {"idempotency_key": "a b"}):
            with self.assertRaises(InvalidProposalError):
                client_of(ScriptedGate()).propose(dataclasses.replace(REFUND, **wrong))  # type: ignore[arg-type]

    def test_limits_go_with_the_redemption_and_are_refused_where_nothing_is_redeemed(self) -> None:
        call = dataclasses.replace(REFUND, limits={"timeoutMs": 500})
        row = approving("Refund", {"orderId": "o-1", "amount": 25})
        gate = ScriptedGate(row, GRANTED)
        client_of(gate, settings=REDEEMING).guard("r").run(call, Never())
        self.assertEqual(gate.redeemed[0]["limits"], {"timeoutMs": 500})
        with self.assertRaises(InvalidSettingError):
            client_of(ScriptedGate(row)).guard("r").run(call, Never())

    def test_a_folder_that_leads_elsewhere_since_is_refused(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            (root / "a").mkdir()
            (root / "b").mkdir()
            link = root / "link"
            link.symlink_to(root / "a")
            call = Call("T", {}, call_id="c-1", cwd=str(link))
            stored = stored_decision(action_digest("T", {}, str(link)), "call")

            def row(pid: str, sort: str) -> Row:
                link.unlink()
                link.symlink_to(root / "b")
                return Row("allow", read_decision(stored))

            with self.assertRaises(PlaceChangedError):
                client_of(ScriptedGate(row)).guard("r").run(call, Never())
            link.unlink()
            link.symlink_to(root / "a")
            gate = ScriptedGate(row, answer={"granted": False, "error": {"category": "AuthError", "code": "revoked"}})
            with self.assertRaises(GuardrailError):
                client_of(gate, settings=REDEEMING).guard("r").run(call, Never())
            self.assertEqual(gate.redeemed[0]["fs"], {"symlinks": {str(link): str(root / "b")}})


GRANTED: Json = {"granted": True, "timeoutMs": 5000, "idempotencyKey": "k" * 32}


class Redeeming(unittest.TestCase):
    def guard_with(self, answer: Json | None) -> tuple[Any, ScriptedGate]:
        gate = ScriptedGate(approving("Refund", {"orderId": "o-1", "amount": 25}, "call"), answer)
        return client_of(gate, settings=REDEEMING).guard("r"), gate

    def test_an_answer_that_does_not_grant_runs_nothing(self) -> None:
        for answer in (
            None,
            {},
            {"granted": True},
            {"granted": "yes"},
            {"granted": True, "timeoutMs": 0},
            {"granted": False},
        ):
            with self.subTest(answer):
                guard, gate = self.guard_with(answer)
                tool = Never()
                with self.assertRaises((CountersignError, ConnectionError)):
                    guard.run(REFUND, tool)
                self.assertEqual((tool.inputs, gate.reports), ([], []))

    def test_the_key_of_the_grant_reaches_the_tool_and_the_end_is_reported(self) -> None:
        guard, gate = self.guard_with(GRANTED)
        key = guard.run(REFUND, lambda _, context: context.idempotency_key)
        self.assertEqual((key, [report["status"] for report in gate.reports]), ("k" * 32, ["succeeded"]))

    def test_a_tool_that_is_late_is_left_behind_and_told(self) -> None:
        guard, gate = self.guard_with({**GRANTED, "timeoutMs": 30})
        told = threading.Event()

        def tool(action_input: Json, context: Any) -> None:
            for _ in range(200):
                if context.is_stopped():
                    told.set()
                    return
                threading.Event().wait(0.01)

        with self.assertRaises(GuardrailError) as raised:
            guard.run(REFUND, tool)
        self.assertEqual(raised.exception.code, "Timeout")
        self.assertTrue(told.wait(2))
        self.assertEqual([report["status"] for report in gate.reports], ["unknown"])


class Configuring(unittest.TestCase):
    def test_a_missing_setting_is_named_with_its_output_and_its_variable(self) -> None:
        whole = {
            "COUNTERSIGN_AGENT": "coder",
            "COUNTERSIGN_DEPLOYMENT": "prod",
            "COUNTERSIGN_QUEUE_URL": "https://queue.example",
            "COUNTERSIGN_AUDIT_TABLE": "audit",
        }
        self.assertEqual(settings_from(whole).agent, "coder")
        for variable in whole:
            for value in (None, ""):
                with self.subTest(variable), self.assertRaises(InvalidSettingError) as raised:
                    settings_from({name: text for name, text in {**whole, variable: value}.items() if text is not None})
                self.assertIn(variable, str(raised.exception))
        half = {**whole, "COUNTERSIGN_REDEEM_FUNCTION": "redeem"}
        with self.assertRaises(InvalidSettingError) as raised:
            settings_from(half)
        self.assertEqual(raised.exception.setting, "outcomes_queue_url")
