"""Declares one tool call as an agent states it, and what a tool learns besides its input."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .checks import shown
from .decision import DecidedBy
from .errors import InvalidProposalError, InvalidSettingError
from .wire import Json, json_text, proposal_body

#: Arguments of this client by the fields of the message that they become.
_ARGUMENTS = {
    "proposalId": "proposal_id",
    "cancels": "proposal_id",
    "toolName": "tool_name",
    "toolCallId": "call_id",
    "expiresAt": "expires_at",
    "sessionId": "session_id",
    "idempotencyKey": "idempotency_key",
}


def body_of(message: Json) -> tuple[str, Json]:
    """As `proposal_body`, whose errors then name the argument that the caller stated."""
    try:
        return proposal_body(message)
    except InvalidProposalError as error:
        field, *_ = re.split(r"(?=[.\[])", error.field, maxsplit=1)
        argument = _ARGUMENTS.get(field, field) + error.field[len(field) :]
        raise InvalidProposalError(error.code, argument, error.problem) from None


@dataclass(frozen=True)
class Call:
    """One tool call. `input` may hold dicts with text keys, lists, texts, finite numbers, booleans and None."""

    tool_name: str
    input: Mapping[str, Any]
    #: Unique within its run or conversation, as models and frameworks number their calls. A guard asks for it.
    call_id: str = ""
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
    #: `low`, `normal`, `high` or `critical`: shown to people as the agent's own word.
    urgency: str | None = None
    #: Hints about the tool as in MCP, such as `{"readOnlyHint": True}`: shown to people, and never trusted.
    annotations: Mapping[str, Any] | None = None
    #: Reaches the tool as its idempotency key. Two calls with the same are one to a tool that tells calls apart by it.
    idempotency_key: str | None = None
    #: Guardrail settings of this call alone, such as `{"timeoutMs": 5000}`: they only tighten. For redeemed permits.
    limits: Mapping[str, float] | None = None

    def to_message(self) -> Json:
        """The fields of its proposal, without those that are None."""
        envelope = {
            "title": self.title,
            "description": self.description,
            "reason": self.reason,
            "expiresAt": self.expires_at,
            "state": self.state,
            "sessionId": self.session_id,
            "starts": _as_object(self.starts),
            "urgency": self.urgency,
            "idempotencyKey": self.idempotency_key,
        }
        # A dict alone is what JSON calls an object; other mappings are refused with their path.
        call: Json = {"id": self.call_id if self.call_id != "" else "call", "toolName": self.tool_name}
        call.update({"input": self.input, "cwd": self.cwd, "annotations": _as_object(self.annotations)})
        return {"kind": "tool-call", **_stated(envelope), "calls": [_stated(call)]}


def checked_call(call: object) -> None:
    """Raises InvalidSettingError for anything but a Call, before anything is sent."""
    if not isinstance(call, Call):
        raise InvalidSettingError("call", f"{shown(call)} is no Call: pass a countersign.Call")


def _as_object(stated: object) -> object:
    return dict(stated) if isinstance(stated, Mapping) else stated


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
    #: One sentence for the model where the input is not the one that it proposed: it never learns of it otherwise.
    change: str | None
    decided_by: DecidedBy
    #: True once the caller gives up, or the deadline of the guardrails is over.
    is_stopped: Callable[[], bool]


#: Longer arguments are cut: the model has to learn that they differ, and how they begin.
_MAX_SHOWN = 1000


def change_of(action_input: Json, edited: bool) -> str | None:
    """The sentence that tells the model which arguments ran; None if the call ran as proposed."""
    if not edited:
        return None
    text = json_text(action_input)
    shown = f"{text[:_MAX_SHOWN]}…" if len(text) > _MAX_SHOWN else text
    return f"This call ran with {shown} in place of the arguments that you proposed."


def with_change(output: Any, change: str | None) -> Any:
    """A tool's output as the model gets it: with the sentence after a text, and beside anything else."""
    if change is None:
        return output
    return f"{output}\n\n{change}" if isinstance(output, str) else {"output": output, "note": change}
