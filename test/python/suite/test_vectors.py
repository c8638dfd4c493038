"""Checks the vectors that the gate's own code computed: both languages read and write alike."""

from __future__ import annotations

import base64
import json
import struct
import threading
import unittest
from pathlib import Path
from typing import Any

from countersign import GuardrailError, InvalidProposalError
from countersign.decision import DecidedBy, Permit
from countersign.read_decision import plain_value, read_decision, unpack_decision
from countersign.run import Approved, redeem_request, run_sync
from countersign.wire import (
    Json,
    action_digest,
    canonical_json,
    idempotency_key_of,
    instant_seconds,
    pid_of,
    proposal_body,
)

from .doubles import REDEEMING, Clock, ScriptedGate, client_of

FILE = Path(__file__).resolve().parents[3] / "shared/contract/schemas/vectors/wire.json"
VECTORS: dict[str, list[Any]] = json.loads(FILE.read_text("utf-8"))


class Vectors(unittest.TestCase):
    def test_there_are_vectors_of_each_kind(self) -> None:
        for kind in ("numbers", "pids", "actions", "proposals", "decisions", "permits"):
            self.assertGreater(len(VECTORS[kind]), 4, kind)

    def test_numbers_have_the_same_canonical_text(self) -> None:
        for vector in VECTORS["numbers"]:
            (number,) = struct.unpack(">d", bytes.fromhex(vector["bits"]))
            with self.subTest(vector["text"]):
                self.assertEqual(canonical_json(number), vector["text"])

    def test_pids_and_idempotency_keys_are_the_same(self) -> None:
        for vector in VECTORS["pids"]:
            with self.subTest(vector):
                pid = pid_of(vector["deployment"], vector["agent"], vector["proposalId"])
                self.assertEqual(pid, vector["pid"])
                self.assertEqual(idempotency_key_of(vector["permitId"]), vector["idempotencyKey"])

    def test_actions_have_the_same_digest(self) -> None:
        for vector in VECTORS["actions"]:
            with self.subTest(vector):
                self.assertEqual(canonical_json(vector["input"]), vector["canonicalInput"])
                action = (vector["toolName"], vector["input"], vector.get("cwd"), vector.get("starts"))
                self.assertEqual(action_digest(*action), vector["digest"])

    def test_what_the_gate_would_refuse_to_read_is_refused_before_it_is_sent(self) -> None:
        for vector in VECTORS["proposals"]:
            with self.subTest(vector["json"][:160]):
                message = json.loads(vector["json"])
                try:
                    body, _ = proposal_body(message)
                    code = None
                    self.assertEqual(json.loads(body), message)
                except InvalidProposalError as error:
                    # And it can name a key that has half of a surrogate pair.
                    if "is inf" not in str(error) and error.code != "lone_surrogate":
                        self.assertEqual(str(error), vector["message"])
                    # Python reads a number that no double holds as infinite.
                    code = "unsafe_number" if "is inf" in str(error) else error.code
                self.assertEqual(code, vector["code"])

    def test_packed_decisions_are_unpacked_to_what_the_gate_decided(self) -> None:
        for vector in VECTORS["decisions"]:
            with self.subTest(vector["name"]):
                stored = plain_value(_with_bytes(vector["stored"]))
                self.assertEqual(unpack_decision(stored), vector["decision"])
                decision = read_decision(stored)
                self.assertEqual(decision.outcome, vector["decision"]["outcome"])
                self.assertEqual(len(decision.calls), len(vector["decision"]["calls"]))

    def test_a_permit_is_redeemed_and_its_run_reported_in_the_same_words(self) -> None:
        for vector in VECTORS["permits"]:
            with self.subTest(vector["name"]):
                approved = _approved(vector)
                self.assertEqual(redeem_request(vector["agent"], approved), vector["request"])
                error, gate = _run(approved, vector)
                self.assertEqual(gate.redeemed, [vector["request"]])
                self.assertEqual(gate.reports, [vector["report"]] if vector["report"] else [])
                self.assertEqual(error, vector["error"])


def _with_bytes(attribute: Any) -> Any:
    """As boto3 gives it: bytes, and not their Base64."""
    if isinstance(attribute, list):
        return [_with_bytes(item) for item in attribute]
    if not isinstance(attribute, dict):
        return attribute
    if set(attribute) == {"B"} and isinstance(attribute["B"], str):
        return {"B": base64.b64decode(attribute["B"])}
    return {key: _with_bytes(value) for key, value in attribute.items()}


def _approved(vector: Json) -> Approved:
    permit = vector["permit"]
    return Approved(
        proposal_id=vector["proposalId"],
        call={"id": vector["callId"], **vector["call"]},
        arguments=vector["call"]["input"],
        permit=Permit(permit["permitId"], permit["actionDigest"], permit["expiresAt"]),
        edited=False,
        decided_by=DecidedBy("human", "T1/U2"),
        moved_links=vector["movedLinks"],
    )


def _run(approved: Approved, vector: Json) -> tuple[Json | None, ScriptedGate]:
    answer = vector["answer"]
    gate = ScriptedGate(answer=answer)
    clock = Clock()
    clock.now = instant_seconds("2026-11-21T09:00:01.250Z")
    ended = threading.Event()

    def tool(*_: object) -> None:
        if vector["ending"] == "late":
            clock.now += answer["timeoutMs"] / 1000
            ended.wait(10)
            return
        clock.now += 0.25
        if vector["ending"] == "unknown":
            raise RuntimeError("the connection broke")
        if vector["ending"] == "failed":
            raise GuardrailError("ExecutionError", "OrderClosed", "The order is closed.")

    if vector["ending"] == "late":
        # The thread is left behind at once; the clock tells how long that was.
        gate.answer = {**answer, "timeoutMs": 50}
    try:
        run_sync(client_of(gate, clock, REDEEMING), approved, tool, threading.Event())
    except GuardrailError as error:
        return {"code": error.code, "category": error.category}, gate
    except RuntimeError:
        return None, gate
    finally:
        ended.set()
    return None, gate


if __name__ == "__main__":
    unittest.main()
