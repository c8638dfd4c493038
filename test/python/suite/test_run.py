"""Runs calls under redeemed permits: a busy tool is waited for, and a tool within knows of its run."""

from __future__ import annotations

import asyncio
import math
import subprocess
import sys
import threading
import time
import unittest
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from botocore.exceptions import ClientError
from countersign import Call, CountersignClient, DigestMismatchError, Guard, GuardrailError
from countersign.aws import Row
from countersign.errors import (
    CountersignError,
    InvalidSettingError,
    NoDecisionError,
    StoppedError,
)
from countersign.outer import Until, outer_run
from countersign.threads import in_thread
from countersign.wire import Json, action_digest, pid_of

from .doubles import (
    DIGEST,
    REDEEMING,
    REFUND,
    SETTINGS,
    START,
    Clock,
    Never,
    ScriptedGate,
    approving,
    client_of,
    stored_decision,
)

ASKED = Call("Refund", {"orderId": "o-2", "amount": 25}, call_id="c-2")
GRANTED: Json = {"granted": True, "timeoutMs": 5000, "idempotencyKey": "k" * 32}


class Run(unittest.TestCase):
    def test_a_tool_under_a_permit_tells_what_it_does_that_it_cannot_begin_anew_and_when_its_time_is_over(self) -> None:
        gate = ScriptedGate(approving("Refund", {"orderId": "o-1", "amount": 25}), GRANTED)
        guard = client_of(gate, settings=REDEEMING).guard("r")
        told = guard.run(REFUND, lambda given, context: outer_run())
        assert told is not None
        self.assertTrue(told.is_set())

        async def tool(given: Json, context: Any) -> Any:
            return outer_run()

        awaited = asyncio.run(guard.run_async(REFUND, tool))
        self.assertTrue(awaited is not None and awaited.is_set())
        self.assertIsNone(outer_run())

    def test_a_wait_ends_with_a_loop_that_is_closed_and_with_a_process_that_ends(self) -> None:
        ended = threading.Event()
        loop = asyncio.new_event_loop()

        def work(stop: threading.Event) -> None:
            stop.wait()
            ended.set()

        # Held, as by whoever made it: nothing cancels it.
        task = loop.create_task(in_thread(work))
        loop.run_until_complete(asyncio.sleep(0.01))
        loop.close()
        self.assertTrue(ended.wait(10))
        self.assertFalse(task.done())
        program = "\n".join(
            [
                "import asyncio, sys, threading",
                "from countersign.threads import in_thread",
                "loop = asyncio.new_event_loop()",
                "task = loop.create_task(in_thread(lambda stop: print(stop.wait(float(sys.argv[2])))))",
                "if sys.argv[1] == 'main':",
                "    loop.run_until_complete(asyncio.sleep(0.01))",
                "else:",
                "    threading.Thread(target=loop.run_until_complete, args=[task]).start()",
                "    threading.Event().wait(0.3)",
            ]
        )
        # A process goes on for a thread of its own, whose loop still awaits the call.
        for thread, seconds, is_stopped in (("main", "60", "True"), ("own", "1", "False")):
            with self.subTest(thread):
                command = [sys.executable, "-c", program, thread, seconds]
                ran = subprocess.run(command, stdout=subprocess.PIPE, timeout=30, check=True)
                self.assertEqual(ran.stdout.decode(), f"{is_stopped}\n")

    def test_the_time_out_and_the_stop_of_a_guard_hold_for_each_of_its_calls(self) -> None:
        gate = ScriptedGate()
        guard = client_of(gate).guard("r", timeout=5)
        with self.assertRaises(NoDecisionError):
            guard.run(REFUND, Never())
        with self.assertRaises(NoDecisionError):
            guard.asks(REFUND)
        stop = threading.Event()
        stop.set()
        stopped = client_of(gate).guard("r", stop=stop)
        for given in (None, threading.Event()):
            with self.assertRaises(StoppedError):
                stopped.run(REFUND, Never(), stop=given)
            with self.assertRaises(StoppedError):
                stopped.asks(REFUND, stop=given)
        with self.assertRaises(StoppedError):
            asyncio.run(stopped.asks_async(REFUND))

    def test_a_call_waits_where_its_tool_takes_fewer_at_a_time(self) -> None:
        error = {"category": "RateError", "code": "ConcurrencyLimited", "message": "Too many calls."}
        busy: Json = {"granted": False, "permit": "usable", "error": error}
        gate, clock = ScriptedGate(approving("Refund", {"orderId": "o-1", "amount": 25})), Clock()
        answers = iter([busy, busy, GRANTED])

        def redeem(function: str, request: Json) -> Json:
            gate.redeemed.append(request)
            return next(answers)

        gate.redeem = redeem  # type: ignore[method-assign]
        client_of(gate, clock, settings=REDEEMING).guard("r").run(REFUND, lambda given, context: None)
        self.assertEqual((len(gate.redeemed), clock.slept), (3, [0.5, 0.5]))

    def test_a_call_waits_for_the_rate_of_its_tool_and_no_longer_than_a_minute(self) -> None:
        def limited(**details: object) -> Json:
            error = {"category": "PolicyError", "code": "RateLimited", "message": "Too many.", "details": details}
            return {"granted": False, "permit": "usable", "error": error}

        gate, clock = ScriptedGate(approving("Refund", {"orderId": "o-1", "amount": 25})), Clock()
        answers = iter([limited(retryAfterMs=800), limited(retryAfterMs=900), GRANTED])
        gate.redeem = lambda function, request: next(answers)  # type: ignore[method-assign]
        client_of(gate, clock, settings=REDEEMING).guard("r").run(REFUND, lambda given, context: None)
        self.assertEqual(clock.slept, [0.8, 1.4])
        for refusal in (limited(retryAfterMs=61_000), limited(), {**limited(retryAfterMs=800), "permit": "spent"}):
            gate = ScriptedGate(approving("Refund", {"orderId": "o-1", "amount": 25}), refusal)
            with self.assertRaises(GuardrailError):
                client_of(gate, settings=REDEEMING).guard("r").run(REFUND, Never())
            self.assertEqual(len(gate.redeemed), 1)

    def test_of_many_calls_that_wait_for_a_busy_tool_one_comes_again_at_a_time(self) -> None:
        gate, lock = ScriptedGate(approving("Refund", {"orderId": "o-1", "amount": 25})), threading.Lock()
        began, granted = time.monotonic(), list[str]()

        def redeem(function: str, request: Json) -> Json:
            with lock:
                gate.redeemed.append(request)
                wait = began + 0.25 * len(granted) - time.monotonic()
                granted.extend([request["proposalId"]] if wait <= 0 else [])
            details = {"retryAfterMs": wait * 1000}
            error = {"category": "PolicyError", "code": "RateLimited", "message": "Too many.", "details": details}
            return GRANTED if wait <= 0 else {"granted": False, "permit": "usable", "error": error}

        gate.redeem = redeem  # type: ignore[method-assign]
        guard = CountersignClient(REDEEMING, gate=gate, clock=lambda: START).guard("r")

        def run(number: int) -> None:
            guard.run(replace(REFUND, call_id=f"c-{number}"), lambda given, context: None)

        threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
            time.sleep(0.02)
        for thread in threads:
            thread.join(10)
        self.assertEqual(granted, [f"r:c-{number}" for number in range(8)])
        self.assertLess(len(gate.redeemed), 4 * 8)
        self.assertLess(time.monotonic() - began, 5)

    def test_a_call_of_a_busy_tool_ends_with_its_permit(self) -> None:
        error = {"category": "RateError", "code": "ConcurrencyLimited", "message": "Too many calls."}
        busy: Json = {"granted": False, "permit": "usable", "error": error}
        gate = ScriptedGate(approving("Refund", {"orderId": "o-1", "amount": 25}), busy)
        with self.assertRaises(GuardrailError) as caught:
            client_of(gate, settings=REDEEMING).guard("r").run(REFUND, Never())
        self.assertEqual(caught.exception.code, "ConcurrencyLimited")

    def test_the_time_of_a_call_ends_its_wait_for_a_busy_tool(self) -> None:
        error = {"category": "PolicyError", "code": "ConcurrencyLimited", "message": "Too many calls."}
        busy: Json = {"granted": False, "permit": "usable", "error": error}
        for guard_timeout, timeout in ((None, 1.2), (1.2, None)):
            gate, clock = ScriptedGate(approving("Refund", {"orderId": "o-1", "amount": 25}), busy), Clock()
            guard = client_of(gate, clock, settings=REDEEMING).guard("r", timeout=guard_timeout)
            with self.assertRaises(GuardrailError) as caught:
                guard.run(REFUND, Never(), timeout=timeout)
            self.assertEqual((caught.exception.code, clock.slept), ("ConcurrencyLimited", [0.5, 0.5]))

    def test_the_event_of_a_guard_ends_the_wait_for_a_busy_tool_in_a_loop_too(self) -> None:
        error = {"category": "PolicyError", "code": "ConcurrencyLimited", "message": "Too many calls."}
        busy: Json = {"granted": False, "permit": "usable", "error": error}
        gate, stop = ScriptedGate(approving("Refund", {"orderId": "o-1", "amount": 25}), busy), threading.Event()
        guard = client_of(gate, settings=REDEEMING).guard("r", stop=stop)

        def redeem(function: str, request: Json) -> Json:
            stop.set()
            return busy

        async def tool(given: Json, context: object) -> None:
            self.fail("the tool may not run")

        gate.redeem = redeem  # type: ignore[method-assign]
        with self.assertRaises(StoppedError):
            asyncio.run(guard.run_async(REFUND, tool))

    def test_a_busy_tool_that_took_the_permit_is_not_asked_again(self) -> None:
        error = {"category": "RateError", "code": "ConcurrencyLimited", "message": "Too many calls."}
        spent: Json = {"granted": False, "permit": "spent", "error": error}
        gate = ScriptedGate(approving("Refund", {"orderId": "o-1", "amount": 25}), spent)
        with self.assertRaises(GuardrailError):
            client_of(gate, settings=REDEEMING).guard("r").run(REFUND, Never())
        self.assertEqual(len(gate.redeemed), 1)

    def test_a_call_of_the_tool_that_makes_it_does_not_wait_for_itself(self) -> None:
        error = {"category": "RateError", "code": "ConcurrencyLimited", "message": "Too many calls."}
        busy: Json = {"granted": False, "permit": "usable", "error": error}
        gate, clock = ScriptedGate(approving("Refund", {"orderId": "o-1", "amount": 25})), Clock()
        answers = iter([GRANTED, busy])
        gate.redeem = lambda function, request: next(answers)  # type: ignore[method-assign]
        guard = client_of(gate, clock, settings=REDEEMING).guard("r")

        def tool(given: Json, context: Any) -> str:
            with self.assertRaises(GuardrailError) as caught:
                guard.run(REFUND, Never())
            return caught.exception.code

        self.assertEqual(guard.run(REFUND, tool), "ConcurrencyLimited")
        self.assertEqual(clock.slept, [])

    def test_a_tool_that_hands_on_the_refusal_of_a_call_of_its_own_may_have_done_something(self) -> None:
        error = {"category": "PolicyError", "code": "BudgetExceeded", "message": "No room."}
        gate = ScriptedGate(approving("Refund", {"orderId": "o-1", "amount": 25}))
        answers = iter([GRANTED, {"granted": False, "permit": "usable", "error": error}])
        gate.redeem = lambda function, request: next(answers)  # type: ignore[method-assign]
        guard = client_of(gate, settings=REDEEMING).guard("r")
        with self.assertRaises(GuardrailError):
            guard.run(REFUND, lambda given, context: guard.run(REFUND, Never()))
        self.assertEqual([report["status"] for report in gate.reports], ["unknown"])

    def assert_ends_with_its_tool(self, call_within: Callable[[Guard, Never], object]) -> None:
        """The call within is one that nobody answers."""
        rows = approving("Refund", {"orderId": "o-1", "amount": 25})
        gate, never, ended = ScriptedGate(answer={**GRANTED, "timeoutMs": 300}), Never(), threading.Event()
        guard = CountersignClient(REDEEMING, gate=gate, clock=lambda: START).guard("r")
        asked = pid_of("prod", "coder", guard.proposal_id(ASKED))
        gate.row = lambda pid, sort: Row("ask", None) if pid == asked else rows(pid, sort)

        def tool(given: Json, context: Any) -> None:
            try:
                call_within(guard, never)
            except StoppedError:
                ended.set()

        with self.assertRaises(GuardrailError):
            guard.run(REFUND, tool)
        self.assertTrue(ended.wait(5))
        self.assertEqual((never.inputs, gate.cancelled), ([], [guard.proposal_id(ASKED)]))

    def test_a_call_that_people_are_asked_about_ends_with_the_tool_that_made_it(self) -> None:
        self.assert_ends_with_its_tool(lambda guard, never: guard.run(ASKED, never))

    def test_a_call_of_an_event_loop_ends_with_the_tool_that_began_the_loop(self) -> None:
        async def awaited(guard: Guard, never: Never) -> None:
            async def tool(given: Json, context: Any) -> None:
                never(given, context)

            await guard.run_async(ASKED, tool)

        self.assert_ends_with_its_tool(lambda guard, never: asyncio.run(awaited(guard, never)))

    def test_a_plain_function_of_an_event_loop_runs_once_and_its_output_counts(self) -> None:
        def tool(given: Json, context: Any) -> Any:
            return given["orderId"]

        for settings, statuses in ((SETTINGS, []), (REDEEMING, ["succeeded"])):
            gate = ScriptedGate(approving("Refund", {"orderId": "o-1", "amount": 25}), GRANTED)
            guard = client_of(gate, settings=settings).guard("r")
            self.assertEqual(asyncio.run(guard.run_async(REFUND, tool)), "o-1")
            self.assertEqual([report["status"] for report in gate.reports], statuses)

    def test_a_coroutine_function_that_nothing_would_await_is_refused_before_people_are_asked(self) -> None:
        async def tool(given: Json, context: Any) -> None:
            return None

        class Tool:
            async def __call__(self, given: Json, context: Any) -> None:
                return None

        for untyped in (tool, Tool(), partial(tool)):
            gate = ScriptedGate()
            run: Any = client_of(gate).guard("r").run
            with self.assertRaisesRegex(InvalidSettingError, "run_async"):
                run(REFUND, untyped)
            self.assertEqual(gate.sent, [])

    def test_a_generator_which_would_begin_after_its_run_is_refused(self) -> None:
        gate = ScriptedGate(approving("Refund", {"orderId": "o-1", "amount": 25}), GRANTED)
        guard = client_of(gate, settings=REDEEMING).guard("r")

        def outputs(given: Json, context: object) -> Any:
            yield 1

        async def async_outputs(given: Json, context: object) -> Any:
            yield 1

        def run_async(tool: Any) -> Any:
            return asyncio.run(guard.run_async(REFUND, tool))

        def returning(late: Any) -> Any:
            return lambda given, context: late(given, context)

        for tool in (outputs, async_outputs):
            for run in (partial(guard.run, REFUND), run_async):
                with self.assertRaisesRegex(InvalidSettingError, "is a generator"):
                    run(tool)
        self.assertEqual((len(gate.sent), len(gate.redeemed)), (0, 0))
        for run in (partial(guard.run, REFUND), run_async):
            with self.assertRaisesRegex(InvalidSettingError, "returned a generator"):
                run(lambda given, context: outputs(given, context))
        self.assertEqual([report["status"] for report in gate.reports], ["unknown", "unknown"])
        unguarded = client_of(ScriptedGate(approving("Refund", {"orderId": "o-1", "amount": 25}))).guard("r")
        for late in (outputs, async_outputs):
            with self.assertRaisesRegex(InvalidSettingError, "returned a generator"):
                unguarded.run(REFUND, returning(late))

    def test_a_coroutine_that_a_tool_returns_is_not_reported_as_its_success(self) -> None:
        async def tool() -> None:
            raise AssertionError("nothing awaits it")

        def untyped(given: Json, context: Any) -> Any:
            return tool()

        gate = ScriptedGate(approving("Refund", {"orderId": "o-1", "amount": 25}), GRANTED)
        with self.assertRaisesRegex(InvalidSettingError, "run_async"):
            client_of(gate, settings=REDEEMING).guard("r").run(REFUND, untyped)
        self.assertEqual([report["status"] for report in gate.reports], ["unknown"])

    def test_limits_that_no_message_holds_are_named_before_people_are_asked(self) -> None:
        for value in (math.nan, 2**60):
            gate = ScriptedGate()
            limited = replace(REFUND, limits={"timeoutMs": value})
            with self.assertRaises(InvalidSettingError) as raised:
                client_of(gate, settings=REDEEMING).guard("r").run(limited, Never())
            self.assertEqual((raised.exception.setting, gate.sent), ("limits.timeoutMs", []))
        none: Any = "timeoutMs"
        with self.assertRaisesRegex(InvalidSettingError, "limits"):
            client_of(ScriptedGate(), settings=REDEEMING).guard("r").run(replace(REFUND, limits=none), Never())

    def test_a_second_call_under_the_same_id_is_told_to_take_its_own(self) -> None:
        gate = ScriptedGate(approving("Refund", {"orderId": "o-1", "amount": 25}))
        with self.assertRaisesRegex(DigestMismatchError, "If another call had this id, propose this one under its own"):
            client_of(gate).guard("r").run(Call("Refund", {"orderId": "o-2"}, call_id="c-1"), Never())

    def test_an_edit_whose_reader_finds_nothing_ends_the_call_of_an_event_loop(self) -> None:
        edited = {"orderId": "o-1", "amount": 5}
        (packed,) = stored_decision(action_digest("Refund", edited), "call")["calls"]
        call = {**packed, "effective": {"input": edited, "proposedDigest": DIGEST}}
        gate = ScriptedGate(approving("Refund", edited, calls=[call]))

        async def tool(given: Json, context: Any) -> None:
            raise AssertionError("the edit was not read")

        def read_edit(given: Json) -> Json:
            return next(order for order in [given] if order["orderId"] == "o-2")

        async def run() -> None:
            await asyncio.wait_for(client_of(gate).guard("r").run_async(REFUND, tool, read_edit=read_edit), 5)

        with self.assertRaises(RuntimeError) as caught:
            asyncio.run(run())
        self.assertIsInstance(caught.exception.__cause__, StopIteration)

    def test_an_event_is_set_once_another_one_is(self) -> None:
        other = threading.Event()
        both = Until(None, other)
        self.assertFalse(both.wait(0.01))
        threading.Timer(0.05, other.set).start()
        began = time.monotonic()
        self.assertTrue(both.wait(10) and both.is_set())
        self.assertLess(time.monotonic() - began, 5)

    def test_a_gate_that_is_away_is_told_without_the_words_of_aws(self) -> None:
        away = ClientError({"Error": {"Code": "AccessDenied", "Message": "arn:aws:iam::123456789012:x"}}, "Invoke")

        def fail(*_: object) -> Any:
            raise away

        for service in ("publish", "redeem"):
            gate = ScriptedGate(approving("Refund", {"orderId": "o-1", "amount": 25}), GRANTED)
            setattr(gate, service, fail)
            with self.assertRaises(CountersignError) as caught:
                client_of(gate, settings=REDEEMING).guard("r").run(REFUND, Never())
            told = caught.exception
            self.assertEqual((told.code, told.__cause__), ("gate_unreachable", away))
            self.assertEqual(str(told), "the tool was not run, for the gate could not be reached (AccessDenied)")
