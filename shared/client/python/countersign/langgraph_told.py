"""Reads what a LangGraph tool answered, a message or a command, and tells there of changed arguments."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeGuard, cast

from langchain_core.messages import ToolMessage
from langgraph.types import Command

from . import with_change

Result = ToolMessage | Command[Any]


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
