"""Checks that wrong settings, limits and ids are named before people are asked."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime
import functools
import threading
import unittest
from collections.abc import Callable
from typing import Any

from countersign import (
    Call,
    CountersignClient,
    CountersignError,
    InvalidProposalError,
    InvalidSettingError,
    NoDecisionError,
    RunContext,
)
from countersign.wire import Json

from .doubles import REDEEMING, REFUND, Never, ScriptedGate, client_of


class Stating(unittest.TestCase):
    def test_a_wrong_limit_is_named_before_people_are_asked(self) -> None:
        cases: list[tuple[dict[str, Any], str]] = [
            ({"timeout": 5}, "limits.timeout: is no limit of a call: there are timeoutMs, maxRetries"),
            ({"timeoutMs": "5"}, "limits.timeoutMs: must be a number$"),
            ({"timeoutMs": 0}, "limits.timeoutMs: must be above 0"),
            ({"maxRetries": -1}, "limits.maxRetries: must be at least 0"),
            ({"maxRetries": 21}, "limits.maxRetries: must be at most 20"),
            ({"ratePerSecond": 1e-9}, "limits.ratePerSecond: must be at least 1e-06"),
            ({"burst": 1.5}, "limits.burst: must be a whole number"),
            ({"timeoutMs": float("nan")}, "limits.timeoutMs: must be a number$"),
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

    def test_settings_that_would_fail_once_people_have_answered_are_refused_before(self) -> None:
        gate = ScriptedGate()
        client = client_of(gate)
        guard = client.guard("r")
        wrong: list[tuple[str, Callable[..., Any], tuple[Any, ...], Json]] = [
            ("tool", guard.run, (REFUND, lambda given: given), {}),
            ("read_edit", guard.run, (REFUND, Never()), {"read_edit": "x"}),
            ("stop", guard.run, (REFUND, Never()), {"stop": True}),
            ("stop", guard.asks, (REFUND,), {"stop": True}),
            ("stop", guard.asks, (REFUND,), {"stop": asyncio.Event()}),
            ("stop", client.guard, ("r",), {"stop": threading.Event}),
            ("call", guard.asks, ({"tool": "Refund"},), {}),
            ("on_abort", client.guard, ("r",), {"on_abort": "cancle"}),
            ("on_abort", client.ask, ("Which?",), {"on_abort": "cancle"}),
            ("stop", client.wait, ("p",), {"stop": 5}),
        ]
        for setting, method, given, named in wrong:
            with self.subTest(setting, method=method), self.assertRaises(InvalidSettingError) as caught:
                method(*given, **named)
            self.assertEqual((caught.exception.setting, gate.sent), (setting, []))
        with self.assertRaisesRegex(InvalidProposalError, "cwd: must be text"):
            guard.run(dataclasses.replace(REFUND, cwd=5), Never())  # type: ignore[arg-type]

    def test_a_tool_that_a_decorator_made_another_function_of_takes_its_call(self) -> None:
        @functools.wraps(len)
        def counted(given: Json, context: RunContext) -> int:
            return len(given)

        class Unreadable:
            @property
            def __signature__(self) -> Any:
                # As Python 3.14 does for an annotation that names a type of its checker alone.
                raise NameError("Json")

            __call__ = staticmethod(counted)

        for tool in (counted, Unreadable()):
            with self.subTest(tool), self.assertRaises(NoDecisionError):
                client_of(ScriptedGate()).guard("r").run(REFUND, tool, timeout=1)

    def test_a_setting_that_is_no_text_is_named(self) -> None:
        for field in ("deployment", "queue_url", "redeem_function"):
            with self.subTest(field), self.assertRaisesRegex(InvalidSettingError, f"^{field}: 5 is no text: it is the"):
                dataclasses.replace(REDEEMING, **{field: 5})  # type: ignore[arg-type]
            with self.subTest(field), self.assertRaisesRegex(InvalidSettingError, f"^{field}: is empty: it is the"):
                dataclasses.replace(REDEEMING, **{field: " "})
        for agent, problem in ((5, "5 cannot be a name"), ("a b", '"a b" cannot be a name'), ("", "is missing")):
            with (
                self.subTest(agent),
                self.assertRaisesRegex(InvalidSettingError, f"^agent: {problem}: it is the agent"),
            ):
                dataclasses.replace(REDEEMING, agent=agent)  # type: ignore[arg-type]
        for url in ("abc", "ftp://q", "https://", "http://[q"):
            with self.subTest(url), self.assertRaisesRegex(InvalidSettingError, "^queue_url: .* is no URL: it is the"):
                dataclasses.replace(REDEEMING, queue_url=url)
        with self.assertRaisesRegex(InvalidSettingError, "^settings: a dict is no Settings: pass"):
            CountersignClient({"agent": "a"})  # type: ignore[arg-type]
        with self.assertRaisesRegex(InvalidSettingError, "^call: None is no Call: pass"):
            client_of(ScriptedGate()).propose(None)  # type: ignore[arg-type]
        for session in ("a b", "", 5):
            with self.subTest(session), self.assertRaisesRegex(InvalidSettingError, "^session_id: .* cannot be a name"):
                CountersignClient(REDEEMING, session_id=session, gate=ScriptedGate())  # type: ignore[arg-type]

    def test_what_a_client_is_made_of_and_given_is_named(self) -> None:
        gate = ScriptedGate()
        client = client_of(gate)
        guard: Any = client.guard("r")
        numbered = dataclasses.replace(REFUND, idempotency_key=42)  # type: ignore[arg-type]
        made: list[tuple[str, Callable[[], object]]] = [
            ("gate: 0 is something else: it is a Gate", lambda: CountersignClient(REDEEMING, gate=0)),  # type: ignore[arg-type]
            ("clock: 5 is something else: it is a function", lambda: CountersignClient(REDEEMING, gate=gate, clock=5)),  # type: ignore[arg-type]
            ("call: a dict is no Call", lambda: guard.proposal_id({"call_id": "c"})),
            ("stop: is of the type bool", lambda: guard.run(REFUND, Never(), stop=False)),
            ("reason: 0 is no text", lambda: client.cancel("p-1", 0)),  # type: ignore[arg-type]
            (
                "limits: has no effect on propose",
                lambda: client.propose(dataclasses.replace(REFUND, limits={"burst": 1})),
            ),
            ("idempotency_key: must be text", lambda: guard.run(numbered, Never())),
            ("proposal_id: must be 1 to 128", lambda: client.wait(["p-1"])),  # type: ignore[arg-type]
        ]
        for problem, make in made:
            with self.subTest(problem), self.assertRaisesRegex(CountersignError, f"^{problem}"):
                make()
        self.assertEqual(gate.sent, [])

    def test_what_is_no_event_is_told_what_to_pass(self) -> None:
        wait = client_of(ScriptedGate()).wait
        for length in (5, 0.5, "5s", datetime.timedelta(seconds=5)):
            with (
                self.subTest(length),
                self.assertRaisesRegex(InvalidSettingError, "^stop: .*: state seconds as timeout"),
            ):
                wait("p-1", stop=length)  # type: ignore[arg-type]
        with self.assertRaisesRegex(
            InvalidSettingError, r"^stop: is of the type asyncio\S+ and no .*: pass a threading"
        ):
            wait("p-1", stop=asyncio.Event())  # type: ignore[arg-type]

    def test_a_call_without_an_id_is_no_call_of_a_guard(self) -> None:
        gate = ScriptedGate()
        with self.assertRaisesRegex(InvalidSettingError, "^call_id: is empty: give the framework's id of this T call"):
            client_of(gate).guard("r").run(Call("T", {}), Never())
        self.assertEqual(gate.sent, [])

    def test_half_a_surrogate_pair_in_an_id_is_named(self) -> None:
        gate = ScriptedGate()
        with self.assertRaisesRegex(InvalidSettingError, "^run: holds half of a surrogate pair"):
            client_of(gate).guard("r\ud83d")
        with self.assertRaisesRegex(InvalidSettingError, "^call_id: holds half of a surrogate pair"):
            client_of(gate).guard("r").run(dataclasses.replace(REFUND, call_id="c\ud83d"), Never())
        with self.assertRaisesRegex(InvalidSettingError, "^deployment: holds half of a surrogate pair"):
            dataclasses.replace(REDEEMING, deployment="d\udc80")
        for wait in (client_of(gate).wait, client_of(gate).pid_of):
            with self.assertRaises(InvalidProposalError) as raised:
                wait("p\ud83d")
            self.assertEqual((raised.exception.field, gate.sent), ("proposal_id", []))
