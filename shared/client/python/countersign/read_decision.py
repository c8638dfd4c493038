"""Reads decisions out of rows of the record, and checks them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .decision import CallDecision, DecidedBy, Decision, Permit
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
