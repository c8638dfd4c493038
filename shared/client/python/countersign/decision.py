"""Declares a decision as programs see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


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
    effective_input: dict[str, Any] | None
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
