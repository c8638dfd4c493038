"""Runs guarded calls against a scripted gate: no tool runs without a decision about exactly its call."""

from __future__ import annotations

import asyncio
import contextvars
import dataclasses
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Any

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
    Settings,
    StoppedError,
)
from countersign.aws import Row
from countersign.read_decision import read_decision
from countersign.wire import Json, action_digest, sha256_hex

from .doubles import DIGEST, REDEEMING, REFUND, Never, ScriptedGate, always, approving, client_of, stored_decision


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

    def test_an_edit_is_read_before_its_permit_is_redeemed_and_one_that_cannot_be_read_ends_the_call(self) -> None:
        edited = {"orderId": "o-1", "amount": 5}
        (packed,) = stored_decision(action_digest("Refund", edited), "call")["calls"]
        call = {**packed, "effective": {"input": edited, "proposedDigest": DIGEST}}
        grant = {"granted": True, "timeoutMs": 1000, "idempotencyKey": "k"}
        gate = ScriptedGate(approving("Refund", edited, "call", calls=[call]), grant)
        guard = client_of(gate, settings=REDEEMING).guard("r")

        def refuse(_: Json) -> Json:
            raise SchemaError("amount: is too small")

        with self.assertRaises(SchemaError) as caught:
            guard.run(REFUND, Never(), read_edit=refuse)
        self.assertEqual((caught.exception.code, gate.redeemed), ("invalid_edit", []))
        read = guard.run(REFUND, Never(), read_edit=lambda given: {**given, "currency": "EUR"})
        self.assertEqual(read, {**edited, "currency": "EUR"})
        self.assertEqual(gate.redeemed[0]["input"], edited)

    def test_an_input_as_proposed_is_not_read_again(self) -> None:
        gate = ScriptedGate(approving("Refund", dict(REFUND.input)))
        ran = client_of(gate).guard("r").run(REFUND, Never(), read_edit=lambda given: {})
        self.assertEqual(ran, REFUND.input)

    def test_a_tool_that_cannot_be_called_is_refused_before_people_are_asked(self) -> None:
        gate = ScriptedGate()
        with self.assertRaises(InvalidSettingError) as caught:
            client_of(gate).guard("r").run(REFUND, "refund")  # type: ignore[arg-type]
        self.assertEqual((caught.exception.setting, gate.sent), ("tool", []))

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

                    def row(pid: str, sort: str, ending: str = ending, stop: threading.Event = stop) -> Row:
                        if ending == "interrupt":
                            raise KeyboardInterrupt
                        if ending == "stop":
                            stop.set()
                        return Row("ask", None)

                    gate = ScriptedGate(row)
                    guard = client_of(gate).guard("r", on_abort=on_abort)  # type: ignore[arg-type]
                    with self.assertRaises((NoDecisionError, StoppedError, KeyboardInterrupt)) as raised:
                        guard.run(REFUND, Never(), timeout=30, stop=stop)
                    self.assertEqual(gate.cancelled, cancelled)
                    is_given_up = f"{ending} {on_abort}" == "timeout cancel"
                    self.assertEqual(isinstance(raised.exception, GivenUpError), is_given_up)

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
        none: Any = 7
        for run, call_id in (("", "c-1"), ("r", ""), (none, "c-1"), ("r", none)):
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

    def test_the_tool_sees_the_context_variables_of_its_caller(self) -> None:
        trace: contextvars.ContextVar[str] = contextvars.ContextVar("trace", default="none")
        grant = {"granted": True, "timeoutMs": 1000, "idempotencyKey": "k"}
        gate = ScriptedGate(approving("Refund", dict(REFUND.input)), grant)
        trace.set("trace-1")
        seen = client_of(gate, settings=REDEEMING).guard("r").run(REFUND, lambda _, context: trace.get())
        self.assertEqual(seen, "trace-1")

    def test_the_key_of_the_grant_reaches_the_tool_and_the_end_is_reported(self) -> None:
        guard, gate = self.guard_with(GRANTED)
        key = guard.run(REFUND, lambda _, context: context.idempotency_key)
        self.assertEqual((key, [report["status"] for report in gate.reports]), ("k" * 32, ["succeeded"]))

    def test_nothing_runs_for_a_caller_who_stopped_before_the_tool_began(self) -> None:
        for moment, reports in (("decided", []), ("redeemed", ["failed"])):
            with self.subTest(moment):
                guard, gate = self.guard_with(GRANTED)
                stop = threading.Event()
                row, redeem = gate.row, gate.redeem

                def decided(pid: str, sort: str, row: Any = row, stop: threading.Event = stop) -> Any:
                    stop.set()
                    return row(pid, sort)

                def redeemed(function: str, request: Json, redeem: Any = redeem, stop: threading.Event = stop) -> Any:
                    stop.set()
                    return redeem(function, request)

                if moment == "decided":
                    gate.row = decided
                else:
                    gate.redeem = redeemed  # type: ignore[method-assign]
                tool = Never()
                with self.assertRaises(StoppedError):
                    guard.run(REFUND, tool, stop=stop)
                self.assertEqual((tool.inputs, [report["status"] for report in gate.reports]), ([], reports))

    def test_nothing_runs_for_a_task_that_is_cancelled_while_the_permit_is_redeemed(self) -> None:
        guard, gate = self.guard_with(GRANTED)
        asked, goes_on, redeem = threading.Event(), threading.Event(), gate.redeem

        def slow(function: str, request: Json) -> Json:
            asked.set()
            goes_on.wait(10)
            return redeem(function, request)

        gate.redeem = slow  # type: ignore[method-assign]
        tool = Never()

        async def tool_async(action_input: Json, context: Any) -> Json:
            return tool(action_input, context)

        async def play() -> None:
            task = asyncio.create_task(guard.run_async(REFUND, tool_async))
            await asyncio.to_thread(asked.wait, 10)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task

        asyncio.run(play())
        goes_on.set()
        for thread in threading.enumerate():
            if thread.name == "countersign":
                thread.join(10)
        self.assertEqual((tool.inputs, [report["status"] for report in gate.reports]), ([], ["failed"]))
        self.assertEqual(gate.reports[0]["error"]["code"], "Cancelled")

    def test_a_caller_that_gives_up_while_the_tool_runs_teaches_the_breaker_nothing(self) -> None:
        guard, gate = self.guard_with(GRANTED)

        async def play() -> None:
            began = asyncio.Event()

            async def tool(action_input: Json, context: Any) -> None:
                began.set()
                await asyncio.sleep(60)

            task = asyncio.create_task(guard.run_async(REFUND, tool))
            await began.wait()
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task

        asyncio.run(play())
        stop = threading.Event()

        def stopping(action_input: Json, context: Any) -> None:
            stop.set()
            raise RuntimeError("stopped")

        with self.assertRaises(RuntimeError):
            guard.run(dataclasses.replace(REFUND, call_id="c-2"), stopping, stop=stop)

        stop_again = threading.Event()

        def says_so(action_input: Json, context: Any) -> None:
            stop_again.set()
            raise GuardrailError("ExecutionError", "ToolFailed", "stopped before anything was done")

        with self.assertRaises(GuardrailError):
            guard.run(dataclasses.replace(REFUND, call_id="c-3"), says_so, stop=stop_again)
        reported = [(report["status"], report["error"]["code"]) for report in gate.reports]
        self.assertEqual(reported, [("unknown", "Cancelled"), ("unknown", "Cancelled"), ("failed", "Cancelled")])

    def test_a_tool_whose_own_call_is_refused_teaches_its_breaker_nothing(self) -> None:
        guard, gate = self.guard_with(GRANTED)
        denied = read_decision(stored_decision(DIGEST, outcome="denied", calls=[]))

        def tool(action_input: Json, context: Any) -> None:
            raise NotApprovedError(denied, "inner")

        with self.assertRaises(NotApprovedError):
            guard.run(REFUND, tool)
        (report,) = gate.reports
        self.assertEqual((report["status"], report["error"]["category"]), ("unknown", "AuthError"))

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
