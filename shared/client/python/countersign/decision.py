"""Reads decisions out of rows of the record, and checks them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .wire import MAX_SAFE_INTEGER, VERSION, Json, instant_seconds

_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)
_OUTCOMES = {"approved", "denied", "expired", "cancelled", "superseded", "answered", "error"}
_EFFECTS = ("Pure", "IdempotentWrite", "NonIdempotentWrite", "ExternalSideEffects")


def plain_value(attribute: Mapping[str, Any]) -> Any:
    """The value of a DynamoDB attribute. Digests are stored as bytes, and nothing else is."""
    ((kind, value),) = attribute.items()
    if kind in ("S", "BOOL"):
        return value
    if kind == "NULL":
        return None
    if kind == "N":
        number = float(value)
        return int(number) if number.is_integer() and abs(number) <= MAX_SAFE_INTEGER else number
    if kind == "B":
        return bytes(value).hex()
    if kind == "L":
        return [plain_value(item) for item in value]
    if kind == "M":
        return {key: plain_value(item) for key, item in value.items()}
    raise ValueError(f"a decision holds no attribute of type {kind}")


def unpack_decision(stored: Json) -> Json:
    """A decision as its row holds it, with all that its calls and permits inherit: the form of `decision.json`."""
    inherited = ("outcome", "message", "reasonCode", "decidedBy", "actionDigest")
    common = {key: stored[key] for key in inherited if key in stored}
    calls = []
    for packed in stored.get("calls", []):
        call = {**common, **packed}
        if "permit" in call:
            digest = {"actionDigest": call["actionDigest"]} if "actionDigest" in call else {}
            permit = {**digest, **call["permit"]}
            if permit.get("guardrails"):
                effect, timeout_ms, max_retries = permit["guardrails"]
                settings = {"effect": _EFFECTS[effect], "timeoutMs": timeout_ms, "maxRetries": max_retries}
                permit["guardrails"] = settings
            call["permit"] = permit
        calls.append(call)
    return {"schemaVersion": VERSION, **stored, "calls": calls}


@dataclass(frozen=True)
class DecidedBy:
    """The rule, classifier, policy, person (`human`) or part of the gate (`system`) that decided."""

    type: str
    id: str


@dataclass(frozen=True)
class Permit:
    """The right to run exactly one call, once, before `expires_at` (ISO 8601)."""

    permit_id: str
    action_digest: str
    expires_at: str
    #: As the proposal stated it: the tool gets it on every run. None: one of the call.
    idempotency_key: str | None = None


@dataclass(frozen=True)
class CallDecision:
    """How one call ended. With an `effective_input` that one runs, and not the input that was proposed."""

    id: str
    outcome: str
    message: str
    reason_code: str
    decided_by: DecidedBy
    action_digest: str | None
    effective_input: Json | None
    proposed_digest: str | None
    permit: Permit | None


@dataclass(frozen=True)
class Decision:
    """The end of a proposal. `message` is written for the model that asked; `answer` is data, not a verdict."""

    proposal_id: str | None
    outcome: str
    message: str
    reason_code: str
    decided_by: DecidedBy
    action_digest: str | None
    policy_version: str
    decided_at: str
    calls: tuple[CallDecision, ...]
    answer: Any
    state: str | None


def read_decision(stored: Json) -> Decision:
    """The decision of a row, checked. Raises ValueError for one that this version cannot read: nothing may run then."""
    decision = unpack_decision(stored)
    return Decision(
        **_verdict(decision),
        proposal_id=None if decision["proposalId"] is None else _text(decision, "proposalId"),
        policy_version=_digest(decision, "policyVersion"),
        decided_at=_text(decision, "decidedAt"),
        calls=tuple(_call_decision(call) for call in decision["calls"]),
        answer=decision.get("answer"),
        state=decision.get("state"),
    )


def _verdict(record: Json) -> Json:
    outcome = _text(record, "outcome")
    if outcome not in _OUTCOMES:
        raise ValueError("the decision has an outcome that is not known")
    by = record.get("decidedBy")
    if not isinstance(by, dict):
        raise ValueError("the decision does not hold decidedBy")
    return {
        "outcome": outcome,
        "message": _text(record, "message"),
        "reason_code": _text(record, "reasonCode"),
        "decided_by": DecidedBy(type=_text(by, "type"), id=_text(by, "id")),
        "action_digest": None if record.get("actionDigest") is None else _digest(record, "actionDigest"),
    }


def _call_decision(call: Json) -> CallDecision:
    effective, permit = call.get("effective"), call.get("permit")
    if effective is not None and not isinstance(effective.get("input"), dict):
        raise ValueError("the decision does not hold the effective input")
    return CallDecision(
        **_verdict(call),
        id=_text(call, "id"),
        effective_input=None if effective is None else effective["input"],
        proposed_digest=None if effective is None else _digest(effective, "proposedDigest"),
        permit=None if permit is None else _permit(permit),
    )


def _permit(permit: Json) -> Permit:
    expires_at = _text(permit, "expiresAt")
    instant_seconds(expires_at)
    key = None if permit.get("idempotencyKey") is None else _text(permit, "idempotencyKey")
    return Permit(_text(permit, "permitId"), _digest(permit, "actionDigest"), expires_at, key)


def _text(record: Json, field: str) -> str:
    value = record.get(field)
    if not isinstance(value, str) or value == "":
        raise ValueError(f"the gate's answer does not hold {field}")
    return value


def _digest(record: Json, field: str) -> str:
    if _DIGEST.fullmatch(_text(record, field)) is None:
        raise ValueError(f"{field} of the gate's answer is no digest")
    return _text(record, field)
