"""Runs the client with boto3 against a whole gate on this machine.

Covers rules, people, permits and faults of the services.
"""

from __future__ import annotations

import asyncio
import dataclasses
import os
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from countersign import (
    Call,
    CountersignClient,
    DecidedBy,
    GuardrailError,
    NoDecisionError,
    NotApprovedError,
    RunContext,
    Settings,
    settings_from,
)
from countersign.aws import AwsGate
from countersign.wire import Json

from .doubles import control


def whole(action_input: Json, context: RunContext) -> tuple[Json, RunContext]:
    return action_input, context


async def whole_async(action_input: Json, context: RunContext) -> tuple[Json, RunContext]:
    return action_input, context


def refund(call_id: str, **fields: Any) -> Call:
    return Call("Refund", {"orderId": "o-1", "amount": 25.5, **fields}, call_id=call_id)


#: Its boto3 clients serve every test: making them takes longer than a decision.
AWS = AwsGate()


def client_of(settings: Settings) -> CountersignClient:
    """Reads often: the client's own pace is made for waits of minutes."""
    return CountersignClient(settings, gate=AWS, sleep=lambda seconds, stop: stop.wait(min(seconds, 0.05)))


def redeeming() -> CountersignClient:
    queue = os.environ["COUNTERSIGN_QUEUE_URL"].replace("-proposals", "-outcomes")
    more = {"redeem_function": "countersign-dev-redeem", "outcomes_queue_url": queue}
    stated = {**dataclasses.asdict(settings_from()), **more}
    return client_of(Settings(**stated))


class Deciding(unittest.TestCase):
    def setUp(self) -> None:
        self.client = client_of(settings_from())
        self.guard = self.client.guard(self.id().rsplit(".", 1)[-1][:80])

    def test_a_rule_allows_without_asking_anybody(self) -> None:
        call = Call("Lookup", {"q": "naïve 😀", "n": 1e-7}, call_id="c-1")
        self.assertFalse(self.guard.asks(call))
        action_input, context = self.guard.run(call, whole)
        self.assertEqual(action_input, {"q": "naïve 😀", "n": 1e-7})
        self.assertEqual((context.edited, context.decided_by), (False, DecidedBy("rule", "project:3")))

    def test_a_rule_denies_with_a_text_for_the_model(self) -> None:
        call = Call("Delete", {"all": True}, call_id="c-1")
        self.assertFalse(self.guard.asks(call))
        with self.assertRaises(NotApprovedError) as raised:
            self.guard.run(call, whole)
        self.assertEqual(raised.exception.code, "denied")

    def test_a_person_approves_and_asks_stays_true_after_that(self) -> None:
        call = refund("c-1", person="approves")
        self.assertTrue(self.guard.asks(call))
        action_input, context = self.guard.run(call, whole)
        self.assertEqual((action_input["amount"], context.decided_by), (25.5, DecidedBy("human", "T1/U2")))
        self.assertTrue(self.guard.asks(call))

    def test_a_person_edits_and_the_edited_input_runs(self) -> None:
        action_input, context = self.guard.run(refund("c-1", person="edits"), whole)
        self.assertEqual(action_input, {"orderId": "o-1", "amount": 5})
        self.assertTrue(context.edited)

    def test_a_person_rejects_with_a_reason_that_reaches_the_model(self) -> None:
        with self.assertRaises(NotApprovedError) as raised:
            self.guard.run(refund("c-1", person="rejects"), whole)
        self.assertIn("Too much for one order.", str(raised.exception))

    def test_a_person_answers_with_words(self) -> None:
        with self.assertRaises(NotApprovedError) as raised:
            self.guard.run(refund("c-1", person="answers"), whole)
        self.assertEqual(raised.exception.code, "answered")
        self.assertIn("voucher", str(raised.exception))

    def test_when_nobody_answers_in_time_the_proposal_is_withdrawn(self) -> None:
        call = refund("c-1")
        with self.assertRaises(NoDecisionError):
            self.guard.run(call, whole, timeout=0.5)
        decision = self.client.wait(self.guard.proposal_id(call), timeout=10)
        self.assertEqual(decision.outcome, "cancelled")

    def test_three_asked_at_once_end_each_as_its_own_person_decided(self) -> None:
        calls = [refund(f"c-{n}", person=person) for n, person in enumerate(("approves", "rejects", "edits"))]
        with ThreadPoolExecutor(3) as pool:
            runs = [pool.submit(self.guard.run, call, whole) for call in calls]
        ended = [run.exception() or run.result()[0]["amount"] for run in runs]
        self.assertEqual([ended[0], ended[2]], [25.5, 5])
        self.assertIsInstance(ended[1], NotApprovedError)

    def test_another_process_under_the_same_run_gets_the_same_decision(self) -> None:
        call = refund("c-1", person="approves")
        first = self.guard.run(call, whole)
        other = client_of(settings_from()).guard(self.guard.proposal_id(call).rsplit(":", 1)[0])
        self.assertEqual(other.run(call, whole)[0], first[0])

    def test_the_same_id_with_another_input_runs_nothing(self) -> None:
        self.guard.run(refund("c-1", person="approves"), whole)
        with self.assertRaises(Exception) as raised:
            self.guard.run(refund("c-1", person="approves", orderId="o-2"), whole)
        self.assertIn(type(raised.exception).__name__, ("DigestMismatchError", "NotApprovedError"))

    def test_a_question_is_answered_with_one_of_its_choices(self) -> None:
        self.assertEqual(self.client.ask("Which warehouse?", choices=["Oslo", "Berlin"], timeout=10), "Berlin")
        with self.assertRaises(NoDecisionError):
            self.client.ask("Anything else?", timeout=0.5)


class DecidingInAnEventLoop(unittest.IsolatedAsyncioTestCase):
    async def test_many_calls_wait_at_once_without_keeping_each_other_from_threads(self) -> None:
        guard = client_of(settings_from()).guard("many")
        silent = [asyncio.create_task(guard.run_async(refund(f"s-{n}"), whole_async)) for n in range(15)]
        action_input, _ = await asyncio.wait_for(guard.run_async(refund("c-1", person="approves"), whole_async), 20)
        self.assertEqual(action_input["amount"], 25.5)
        for task in silent:
            task.cancel()
        ended = await asyncio.gather(*silent, return_exceptions=True)
        self.assertEqual({type(error) for error in ended}, {asyncio.CancelledError})

    async def test_a_cancelled_task_withdraws_its_proposal(self) -> None:
        client = client_of(settings_from())
        guard = client.guard("cancelled")
        call = refund("c-1")
        task = asyncio.create_task(guard.run_async(call, whole_async))
        self.assertTrue(await guard.asks_async(call))
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        decision = await asyncio.to_thread(client.wait, guard.proposal_id(call), timeout=10)
        self.assertEqual(decision.outcome, "cancelled")

    async def test_a_permit_is_redeemed_and_the_deadline_cancels_the_tool(self) -> None:
        guard = redeeming().guard("redeemed-async")
        action_input, _ = await guard.run_async(Call("Lookup", {"q": 1}, call_id="c-1"), whole_async)
        self.assertEqual(action_input, {"q": 1})
        ended = asyncio.Event()

        async def slow(*_: object) -> None:
            try:
                await asyncio.sleep(30)
            except asyncio.CancelledError:
                ended.set()
                raise

        with self.assertRaises(GuardrailError) as raised:
            await guard.run_async(Call("Slow", {}, call_id="c-2"), slow)
        self.assertEqual(raised.exception.code, "Timeout")
        await asyncio.wait_for(ended.wait(), 5)


class Redeeming(unittest.TestCase):
    def test_a_permit_runs_once(self) -> None:
        guard = redeeming().guard("redeemed")
        call = Call("Lookup", {"q": 1}, call_id="c-1")
        control()
        _, context = guard.run(call, whole)
        self.assertRegex(context.idempotency_key, r"\A[0-9a-f]{32}\Z")
        self.assertEqual([name for name in control() if name != "GetItem"], ["SendMessage", "Invoke", "SendMessage"])
        with self.assertRaises(GuardrailError) as raised:
            guard.run(call, whole)
        self.assertEqual(raised.exception.code, "already_consumed")

    def test_a_redeem_function_that_fails_is_asked_once_and_runs_nothing(self) -> None:
        guard = redeeming().guard("unredeemed")
        ran: list[Json] = []
        control({"operation": "Invoke", "times": 1, "status": 500, "code": "ServiceException"})
        with self.assertRaises(Exception):  # noqa: B017  # boto3's own error
            guard.run(Call("Lookup", {"q": 1}, call_id="c-1"), lambda action_input, _: ran.append(action_input))
        self.assertEqual((ran, control().count("Invoke")), ([], 1))

    def test_a_redeem_function_that_lambda_was_too_busy_to_start_is_asked_again(self) -> None:
        guard = redeeming().guard("busy")
        control({"operation": "Invoke", "times": 1, "status": 429, "code": "TooManyRequestsException"})
        self.assertEqual(guard.run(Call("Lookup", {"q": 1}, call_id="c-1"), whole)[0], {"q": 1})
        self.assertEqual(control().count("Invoke"), 2)


class Failing(unittest.TestCase):
    def test_a_fault_of_the_services_is_tried_again(self) -> None:
        for operation, status, code in (
            ("SendMessage", 500, "InternalError"),
            ("GetItem", 400, "ProvisionedThroughputExceededException"),
        ):
            with self.subTest(operation):
                control({"operation": operation, "times": 2, "status": status, "code": code})
                guard = client_of(settings_from()).guard(f"fault-{operation}")
                self.assertEqual(guard.run(Call("Lookup", {"q": 1}, call_id="c-1"), whole)[0], {"q": 1})

    def test_a_missing_right_ends_the_wait_at_once(self) -> None:
        other = client_of(dataclasses.replace(settings_from(), agent="somebody-else"))
        with self.assertRaises(NoDecisionError) as raised:
            other.wait("p-1")
        self.assertIn("AccessDenied", str(raised.exception.__cause__))

    def test_a_stop_wakes_a_sleeping_wait(self) -> None:
        client = client_of(settings_from())
        stop = threading.Event()
        threading.Timer(0.3, stop.set).start()
        with self.assertRaises(Exception) as raised:
            client.guard("stopped").run(refund("c-1"), whole, stop=stop)
        self.assertEqual(type(raised.exception).__name__, "StoppedError")
