"""Runs calls under redeemed permits: a busy tool is waited for, and a tool within knows of its run."""

from __future__ import annotations

import asyncio
import unittest
from typing import Any

from countersign import GuardrailError
from countersign.run import end_of_outer_run
from countersign.wire import Json

from .doubles import REDEEMING, REFUND, Clock, Never, ScriptedGate, approving, client_of

GRANTED: Json = {"granted": True, "timeoutMs": 5000, "idempotencyKey": "k" * 32}


class Run(unittest.TestCase):
    def test_a_tool_under_a_permit_tells_what_it_does_that_it_cannot_begin_anew_and_when_its_time_is_over(self) -> None:
        gate = ScriptedGate(approving("Refund", {"orderId": "o-1", "amount": 25}), GRANTED)
        guard = client_of(gate, settings=REDEEMING).guard("r")
        told = guard.run(REFUND, lambda given, context: end_of_outer_run())
        assert told is not None
        self.assertTrue(told.is_set())

        async def tool(given: Json, context: Any) -> Any:
            return end_of_outer_run()

        awaited = asyncio.run(guard.run_async(REFUND, tool))
        self.assertTrue(awaited is not None and awaited.is_set())
        self.assertIsNone(end_of_outer_run())

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

    def test_a_call_of_a_busy_tool_ends_with_its_permit(self) -> None:
        error = {"category": "RateError", "code": "ConcurrencyLimited", "message": "Too many calls."}
        busy: Json = {"granted": False, "permit": "usable", "error": error}
        gate = ScriptedGate(approving("Refund", {"orderId": "o-1", "amount": 25}), busy)
        with self.assertRaises(GuardrailError) as caught:
            client_of(gate, settings=REDEEMING).guard("r").run(REFUND, Never())
        self.assertEqual(caught.exception.code, "ConcurrencyLimited")

    def test_a_busy_tool_that_took_the_permit_is_not_asked_again(self) -> None:
        error = {"category": "RateError", "code": "ConcurrencyLimited", "message": "Too many calls."}
        spent: Json = {"granted": False, "permit": "spent", "error": error}
        gate = ScriptedGate(approving("Refund", {"orderId": "o-1", "amount": 25}), spent)
        with self.assertRaises(GuardrailError):
            client_of(gate, settings=REDEEMING).guard("r").run(REFUND, Never())
        self.assertEqual(len(gate.redeemed), 1)
