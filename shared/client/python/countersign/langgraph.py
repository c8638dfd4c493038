"""Puts the tool calls of a LangGraph agent behind the gate."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeGuard, cast

from langchain_core.messages import ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command, interrupt

from . import Call, CountersignClient, RunContext, with_change
from .errors import ENDS_OF_CALL, InvalidProposalError
from .wire import Json

Result = ToolMessage | Command[Any]
Handler = Callable[[ToolCallRequest], Result]


class _ToolFailed(Exception):
    """Carries the message of a tool that failed past the report of its run, which is no success then."""

    def __init__(self, result: Result) -> None:
        super().__init__("the tool failed")
        self.result = result


def _told(message: ToolMessage, change: str | None) -> ToolMessage:
    """The message with the sentence about changed arguments behind all that it holds, images as well."""
    if change is None:
        return message
    content = message.content
    if isinstance(content, str):
        return message.model_copy(update={"content": with_change(content, change)})
    return message.model_copy(update={"content": [*content, {"type": "text", "text": change}]})


def _messages_in(result: Result) -> list[Any]:
    """The message of a call, or those of a command."""
    if isinstance(result, ToolMessage):
        return [result]
    update = result.update
    messages = update.get("messages") if isinstance(update, dict) else None
    return messages if isinstance(messages, list) else []


def _is_own(message: Any, call_id: str) -> TypeGuard[ToolMessage]:
    return isinstance(message, ToolMessage) and message.tool_call_id == call_id


def has_failed(result: Result, call_id: str) -> bool:
    """Whether the message of the call says that its tool failed, alone or in a command."""
    return any(_is_own(each, call_id) and each.status == "error" for each in _messages_in(result))


def told_in(result: Result, call_id: str, change: str | None) -> Result:
    """A command holds the message of the call among those of others."""
    if isinstance(result, ToolMessage):
        return _told(result, change)
    messages = _messages_in(result)
    if change is None or not messages:
        return result
    told = [_told(each, change) if _is_own(each, call_id) else each for each in messages]
    return replace(result, update={**cast("dict[str, Any]", result.update), "messages": told})


def gated_calls(client: CountersignClient) -> Callable[[ToolCallRequest, Handler], Result]:
    """For `ToolNode(tools, wrap_tool_call=gated_calls(client))`, or the same of an agent's middleware.

    Interrupts the graph only where people are asked. Resume with any value: the permit decides. A thread is a run.
    """

    def wrap(request: ToolCallRequest, handler: Handler) -> Result:
        tool_call = request.tool_call
        name, call_id = tool_call["name"], tool_call["id"] or ""
        guard = client.guard(request.runtime.config["configurable"]["thread_id"])
        call = Call(name, tool_call["args"], call_id)

        def run(given: Json, gate: RunContext) -> Result:
            result = handler(request.override(tool_call={**tool_call, "args": given}))
            result = told_in(result, call_id, gate.change)
            if has_failed(result, call_id):
                raise _ToolFailed(result)
            return result

        is_asked = False
        # Nobody can be asked about a call that the gate cannot read. It ends where it would run.
        with contextlib.suppress(InvalidProposalError):
            is_asked = guard.asks(call)
        if is_asked:
            interrupt({"countersign": guard.proposal_id(call)})
        try:
            return guard.run(call, run)
        except ENDS_OF_CALL as refusal:
            return ToolMessage(str(refusal), name=name, tool_call_id=call_id, status="error")
        except _ToolFailed as failed:
            return failed.result

    return wrap
