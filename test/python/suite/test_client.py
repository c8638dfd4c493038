"""Runs the client against a scripted gate: its settings, its proposals and its waits, which all end."""

from __future__ import annotations

import copy
import pickle
import threading
import unittest
from collections import OrderedDict
from dataclasses import replace
from http import HTTPStatus
from typing import Any

from botocore.exceptions import ClientError
from countersign import (
    Call,
    CountersignError,
    DigestMismatchError,
    GivenUpError,
    GuardrailError,
    InvalidProposalError,
    InvalidSettingError,
    NoDecisionError,
    NotApprovedError,
    PermitExpiredError,
    PlaceChangedError,
    SchemaError,
    StoppedError,
    settings_from,
)
from countersign.aws import Row
from countersign.read_decision import read_decision
from countersign.wire import Json, pid_of, sha256_hex

from .doubles import DIGEST, REFUND, START, Clock, Never, ScriptedGate, approving, client_of, stored_decision


def client_error(code: str, status: int) -> ClientError:
    return ClientError({"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}, "GetItem")


class Errors(unittest.TestCase):
    def test_every_error_comes_out_of_another_process_as_it_went_in(self) -> None:
        verdict = read_decision(stored_decision(DIGEST, "call", outcome="denied", message="No.", calls=[]))
        errors: list[CountersignError] = [
            CountersignError("client_closed", "closed"),
            DigestMismatchError("p-1"),
            GuardrailError("PolicyError", "RateLimited", "Later.", {"retryAfterMs": 3}, is_retryable=True),
            InvalidProposalError("not_json", "input.to", "is a set"),
            InvalidSettingError("run", "is empty"),
            NoDecisionError("p-1", unanswered=True),
            GivenUpError("p-1"),
            NotApprovedError(verdict, "p-1"),
            PermitExpiredError("p-1"),
            PlaceChangedError("p-1"),
            SchemaError("amount: is too small"),
            StoppedError("p-1"),
        ]
        kinds = {*CountersignError.__subclasses__(), *NoDecisionError.__subclasses__()}
        self.assertEqual({type(error) for error in errors} - {CountersignError}, kinds)
        for error in errors:
            for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
                with self.subTest(type(error).__name__):
                    self.assertIs(type(again), type(error))
                    self.assertEqual((str(again), vars(again)), (str(error), vars(error)))

    def test_an_expired_permit_tells_what_to_do_and_that_a_wrong_clock_looks_the_same(self) -> None:
        error = PermitExpiredError("p1")
        self.assertEqual(error.code, "permit_expired")
        self.assertEqual(
            str(error),
            "the permit of p1 has expired: propose the call again under a new id. "
            "If it was approved just now, the clock of this machine is wrong: set it",
        )


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
            ({"s": "x" * 262_144}, "too_large", "input.s"),
            ({"a": [1, {"b": "x" * 262_144}]}, "too_large", "input.a[1].b"),
            ({"a": ["x" * 999] * 400}, "too_large", "input.a"),
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
        self.assertEqual(raised.exception.code, "not_json")
        self.assertEqual(
            str(raised.exception), "input.a[0]: contains itself, which JSON cannot hold: leave it out there"
        )
        deep: Any = 1
        for _ in range(70):
            deep = [deep]
        with self.assertRaises(InvalidProposalError) as raised:
            client_of(ScriptedGate()).propose(Call("T", {"a": deep}))
        self.assertEqual(raised.exception.code, "too_deep")
        self.assertEqual(str(raised.exception), "input.a: is nested deeper than 64 levels: make it flatter")

    def test_a_refused_input_is_told_with_its_reason_and_the_next_step(self) -> None:
        large = "has most of the bytes, and the message has more than 262144 bytes: shorten it, or send it in parts"
        cases: list[tuple[Any, str]] = [
            ({"s": "x" * 262_144}, f"input.s: {large}"),
            ({"at": OrderedDict(b=1)}, "input.at: is of the type OrderedDict, a subclass of dict: pass a plain dict"),
            ({"at": HTTPStatus.OK}, "input.at: is of the type HTTPStatus, a subclass of int: pass a plain int"),
            ({"at": {1}}, "input.at: is of the type set, which JSON cannot hold: pass its text or its fields"),
        ]
        for given, message in cases:
            with self.subTest(message), self.assertRaises(InvalidProposalError) as raised:
                client_of(ScriptedGate()).propose(Call("T", given))
            self.assertEqual(str(raised.exception), message)

    def test_a_field_that_the_gate_would_not_read_is_named_and_nothing_is_sent(self) -> None:
        cases: list[tuple[dict[str, Any], str]] = [
            ({"tool_name": None}, "tool_name"),
            ({"input": None}, "input"),
            ({"call_id": None}, "call_id"),
            ({"call_id": "\ud83d"}, "call_id"),
            ({"session_id": "a b"}, "session_id"),
            ({"idempotency_key": 5}, "idempotency_key"),
            ({"annotations": {"readOnlyHint": "yes"}}, "annotations.readOnlyHint"),
            ({"annotations": "destructive"}, "annotations"),
            ({"starts": "helper"}, "starts"),
            ({"expires_at": "2026-11-21T23:59:60Z"}, "expires_at"),
        ]
        for changes, field in cases:
            with self.subTest(field):
                gate = ScriptedGate()
                with self.assertRaises(InvalidProposalError) as raised:
                    client_of(gate).propose(replace(REFUND, **changes))
                self.assertEqual((raised.exception.field, gate.sent), (field, []))
        # Under a new id each time the same call would be asked about twice.
        with self.assertRaisesRegex(InvalidProposalError, "^proposal_id: must"):
            client_of(ScriptedGate()).propose(REFUND, "")
        with self.assertRaisesRegex(InvalidProposalError, "^proposal_id: must"):
            client_of(ScriptedGate()).ask("Which?", proposal_id="")

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
        over = "2026-11-21T08:00:00Z"
        for expires_at, longest in (("2026-11-21T10:00:00Z", 3600 + 900), (None, 30 * 24 * 3600 + 900), (over, 900)):
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

    def test_the_last_read_is_the_latest_and_finds_a_decision_that_all_before_it_missed(self) -> None:
        for timeout in (0, 1):
            with self.subTest(timeout):
                gate = ScriptedGate(approving("T", {}))
                gate.row_of_likely = lambda pid, sort: None
                self.assertEqual(client_of(gate).wait("p-1", timeout=timeout).outcome, "approved")
                self.assertEqual(gate.latest, [False] * (len(gate.latest) - 1) + [True])

    def test_a_signature_of_another_time_is_a_clock_that_is_wrong(self) -> None:
        for code, words in (
            ("InvalidSignatureException", "Signature expired: 20261121T085000Z is now earlier than 20261121T085500Z"),
            ("SignatureDoesNotMatch", "Signature not yet current: 20261121T091000Z is still later"),
            ("RequestTimeTooSkewed", "The difference between the request time and the current time is too large."),
        ):
            with self.subTest(code):
                response = {"Error": {"Code": code, "Message": words}, "ResponseMetadata": {"HTTPStatusCode": 400}}
                refusal = ClientError(response, "GetItem")

                def refuse(pid: str, sort: str, refusal: ClientError = refusal) -> Row | None:
                    raise refusal

                with self.assertRaises(NoDecisionError) as raised:
                    client_of(ScriptedGate(refuse)).wait("p-1")
                self.assertIn(f"({code}: the clock of this machine is wrong, set it)", str(raised.exception))

    def test_a_gate_that_records_nothing_for_fifty_seconds_is_named(self) -> None:
        clock = Clock()
        client = client_of(ScriptedGate(), clock)
        proposal_id = client.propose(REFUND)
        with self.assertRaises(NoDecisionError) as raised:
            client.wait(proposal_id)
        self.assertEqual(raised.exception.code, "unanswered")
        self.assertIn("ProposalsQueueUrl", str(raised.exception))
        self.assertLess(clock.now - START, 60)

    def test_a_proposal_that_a_gate_known_to_work_has_not_judged_in_a_day_is_waited_for_no_more(self) -> None:
        for timeout in (None, 20 * 24 * 3600):
            with self.subTest(timeout):
                clock = Clock()
                gate = ScriptedGate()
                client = client_of(gate, clock)
                gate.row = lambda pid, sort: Row("deny", read_decision(stored_decision(DIGEST, outcome="denied")))
                client.wait("p-of-another-process")
                gate.row = lambda pid, sort: None
                proposal_id = client.propose(REFUND)
                with self.assertRaises(NoDecisionError) as raised:
                    client.wait(proposal_id, timeout=timeout)
                self.assertEqual(raised.exception.code, "unanswered")
                self.assertIn("propose it again under a new id", str(raised.exception))
                self.assertAlmostEqual(clock.now - START, 24 * 3600 + 15 * 60, delta=1)

    def test_an_answer_to_unreadable_bytes_is_found_under_their_digest(self) -> None:
        gate = ScriptedGate()
        clock = Clock()
        client = client_of(gate, clock)
        bodies: list[str] = []
        gate.publish = lambda queue_url, body, agent: bodies.append(body)  # type: ignore[method-assign]
        refusal: Json = {"outcome": "error", "calls": [], "actionDigest": None, "reasonCode": "invalid_json"}
        decided = Row("error", read_decision(stored_decision(DIGEST, **refusal)))
        gate.row = lambda pid, sort: (
            decided if pid == pid_of("prod", "coder", f"unreadable:{sha256_hex(bodies[-1])}") else None
        )
        self.assertEqual(client.wait(client.propose(REFUND)).outcome, "error")
        # A wait that begins when nothing is judged any more finds it too.
        late = client.propose(REFUND)
        clock.now += 2 * 24 * 3600
        self.assertEqual(client.wait(late).outcome, "error")

    def test_a_wait_that_begins_days_after_people_were_asked_is_not_over_with_one_failing_read(self) -> None:
        gate = ScriptedGate()
        clock = Clock()
        client = client_of(gate, clock)
        ended: Json = {"outcome": "expired", "calls": [], "actionDigest": None, "reasonCode": "expired"}
        decided = Row("ask", read_decision(stored_decision(DIGEST, **ended)))
        gate.row = lambda pid, sort: decided
        client.wait("p-of-another-process")
        late = client.propose(REFUND)
        clock.now += 5 * 24 * 3600
        answers: list[Row | Exception] = [client_error("ThrottlingException", 400), decided]

        def read(pid: str, sort: str) -> Row:
            answer = answers.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer

        gate.row = read
        self.assertEqual(client.wait(late).outcome, "expired")

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
                # "There is no decision yet" would read as if people were still asked.
                self.assertRegex(
                    str(raised.exception),
                    r"cannot be read \((AccessDenied|ResourceNot|Provisioned|Internal|Conn|Value)\w*\)",
                )
                self.assertIn("role of its agent", str(raised.exception))
                self.assertLessEqual(clock.now - START, longest)
                self.assertGreaterEqual(clock.now - START, longest - 5)

    def test_a_laptop_that_slept_for_hours_goes_on_waiting_though_its_network_is_a_moment_behind(self) -> None:
        ended: Json = {"outcome": "expired", "calls": [], "actionDigest": None, "reasonCode": "expired"}
        asked, decided = Row("ask", None), Row("ask", read_decision(stored_decision(DIGEST, **ended)))
        clock = Clock()
        reads = 0

        def row(pid: str, sort: str) -> Row | None:
            nonlocal reads
            reads += 1
            if reads == 4:
                clock.now += 3 * 3600
            if reads in (4, 5):
                raise ConnectionError("no route")
            return decided if reads > 6 else asked if sort == "evaluated" else None

        self.assertEqual(client_of(ScriptedGate(row), clock).wait("p-1").outcome, "expired")

    def test_a_time_that_is_over_meanwhile_is_no_word_that_there_is_no_decision(self) -> None:
        def row(pid: str, sort: str) -> Row | None:
            raise ConnectionError("reset")

        with self.assertRaisesRegex(NoDecisionError, r"cannot be read \(ConnectionError\)"):
            client_of(ScriptedGate(row)).wait("p-1", timeout=3)

    def test_a_proposal_that_could_not_be_withdrawn_may_be_approved_yet(self) -> None:
        class Offline(ScriptedGate):
            def publish(self, queue_url: str, body: str, agent: str) -> None:
                if '"cancels"' in body:
                    raise ConnectionError("no route")
                super().publish(queue_url, body, agent)

        guard = client_of(Offline(lambda pid, sort: Row("ask", None) if sort == "evaluated" else None)).guard("r")
        with self.assertRaises(NoDecisionError) as raised:
            guard.run(REFUND, Never(), timeout=30)
        self.assertIs(type(raised.exception), NoDecisionError)

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
