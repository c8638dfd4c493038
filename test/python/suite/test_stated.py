"""Checks that wrong limits and ids are named before people are asked."""

from __future__ import annotations

import dataclasses
import unittest
from typing import Any

from countersign import InvalidProposalError, InvalidSettingError

from .doubles import REDEEMING, REFUND, Never, ScriptedGate, client_of


class Stating(unittest.TestCase):
    def test_a_wrong_limit_is_named_before_people_are_asked(self) -> None:
        cases: list[tuple[dict[str, Any], str]] = [
            ({"timeout": 5}, "limits.timeout is no limit of a call: there are timeoutMs, maxRetries"),
            ({"timeoutMs": "5"}, "limits.timeoutMs must be a number"),
            ({"timeoutMs": 0}, "limits.timeoutMs must be above 0"),
            ({"maxRetries": -1}, "limits.maxRetries must be a number of 0 or more"),
            ({"maxRetries": 21}, "limits.maxRetries must be 0 to 20"),
            ({"ratePerSecond": 1e-9}, "limits.ratePerSecond must be 1e-06 to 1000000"),
            ({"burst": 1.5}, "limits.burst must be a whole number"),
        ]
        for limits, message in cases:
            call = dataclasses.replace(REFUND, limits=limits)
            gate = ScriptedGate()
            guard = client_of(gate, settings=REDEEMING).guard("r")
            with self.subTest(limits), self.assertRaisesRegex(InvalidSettingError, f"^{message}"):
                guard.run(call, Never())
            with self.subTest(limits), self.assertRaisesRegex(InvalidSettingError, f"^{message}"):
                guard.asks(call)
            self.assertEqual(gate.sent, [])

    def test_half_a_surrogate_pair_in_an_id_is_named(self) -> None:
        gate = ScriptedGate()
        with self.assertRaisesRegex(InvalidSettingError, "^run holds half of a surrogate pair"):
            client_of(gate).guard("r\ud83d")
        with self.assertRaisesRegex(InvalidSettingError, "^call_id holds half of a surrogate pair"):
            client_of(gate).guard("r").run(dataclasses.replace(REFUND, call_id="c\ud83d"), Never())
        with self.assertRaisesRegex(InvalidSettingError, "^deployment holds half of a surrogate pair"):
            dataclasses.replace(REDEEMING, deployment="d\udc80")
        for wait in (client_of(gate).wait, client_of(gate).pid_of):
            with self.assertRaises(InvalidProposalError) as raised:
                wait("p\ud83d")
            self.assertEqual((raised.exception.field, gate.sent), ("proposalId", []))
