"""Declares one tool call as an agent states it, and what a tool learns besides its input."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .decision import DecidedBy
from .wire import Json, canonical_json


@dataclass(frozen=True)
class Call:
    """One tool call. `input` may hold dicts with text keys, lists, texts, finite numbers, booleans and None."""

    tool_name: str
    input: Mapping[str, Any]
    #: Unique within its run or conversation, as models and frameworks number their calls.
    call_id: str = "call"
    #: Folder in which the call runs; rules on paths count from it.
    cwd: str | None = None
    #: First line of the card, at most 200 characters. Description and reason, at most 3000 each, stand below it.
    title: str | None = None
    description: str | None = None
    reason: str | None = None
    #: ISO 8601 in UTC. The wait for people ends then at the latest.
    expires_at: str | None = None
    #: At most 4096 characters that the decision repeats.
    state: str | None = None
    #: Conversation in which denials and approvals are counted. Default: the client's.
    session_id: str | None = None
    #: Session of a sub-agent that this call starts, as `{"agentId": …, "sessionId": …}`.
    starts: Mapping[str, str] | None = None

    def to_message(self) -> Json:
        """The fields of its proposal, without those that are None."""
        envelope = {
            "title": self.title,
            "description": self.description,
            "reason": self.reason,
            "expiresAt": self.expires_at,
            "state": self.state,
            "sessionId": self.session_id,
            "starts": None if self.starts is None else dict(self.starts),
        }
        # A dict alone is what JSON calls an object; other mappings are refused with their path.
        call = {"id": self.call_id, "toolName": self.tool_name, "input": self.input, "cwd": self.cwd}
        return {"kind": "tool-call", **_stated(envelope), "calls": [_stated(call)]}


def _stated(fields: Json) -> Json:
    return {name: value for name, value in fields.items() if value is not None}


@dataclass(frozen=True)
class RunContext:
    """Facts that a tool gets besides its input."""

    proposal_id: str
    #: 32 hex digits, the same whenever this call is run again: pass it on to services that take such a key.
    idempotency_key: str
    #: Whether the input is not the one that was proposed: a person edited it, or the gate printed its command anew.
    edited: bool
    decided_by: DecidedBy
    #: True once the caller gives up, or the deadline of the guardrails is over.
    is_stopped: Callable[[], bool]


def edit_note(tool_name: str, action_input: Json) -> str:
    """One sentence for the model, which otherwise never learns that other arguments ran than its own."""
    return f"{tool_name} ran with other arguments than you gave, as the gate decided: {canonical_json(action_input)}"
