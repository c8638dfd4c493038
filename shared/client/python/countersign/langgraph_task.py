"""Has the calls that LangGraph runs as one task suspend and begin together."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

from langchain_core.messages import AIMessage
from langgraph.errors import GraphInterrupt
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import interrupt

from .errors import InvalidSettingError
from .wire import Json

#: Of the interrupts of a task, each resume answers one.
_INTERRUPTING = threading.Lock()


def calls_of_task(request: ToolCallRequest) -> Iterator[Any]:
    """The calls that begin anew with this one when their task is resumed, this one first.

    A `Send` of one call makes a task of it. Any other `ToolNode` runs a whole turn as one task.
    """
    own, state, sent = request.tool_call, request.state, _sent(request)
    yield own
    if isinstance(sent, dict) and sent.get("__type") == "tool_call_with_context":
        return
    calls: Any = sent
    if not (isinstance(sent, list) and sent and isinstance(sent[-1], dict)):
        lists = [state] if isinstance(state, list) else (state if isinstance(state, dict) else vars(state)).values()
        messages = [message for each in lists if isinstance(each, list) for message in each]
        turns = [message.tool_calls for message in messages if isinstance(message, AIMessage)]
        calls = next((turn for turn in reversed(turns) if any(call["id"] == own["id"] for call in turn)), [])
    yield from (call for call in calls if call["id"] != own["id"])


def _sent(request: ToolCallRequest) -> Any:
    """What a `Send` gave the task, where LangGraph's own `ToolNode` reads it. None for others, and without notes."""
    config = request.runtime.config
    try:
        kind, index, *_ = config["metadata"]["langgraph_path"]
        sends = config["configurable"]["__pregel_read"].args[1]["__pregel_tasks"].get()
        return sends[index].arg if kind == "__pregel_push" else None
    except Exception:
        return None


def look_again(request: ToolCallRequest, value: Json, is_alone: bool) -> None:
    """Interrupts the task until it is resumed. One of its calls finds the answer, and the others see that it came."""
    with _INTERRUPTING:
        try:
            interrupt(value)
        except GraphInterrupt:
            if not _is_resumed(request):
                raise
        if not is_alone and not _is_resumed(request):
            # Without the notes the others would interrupt the task again, and this one would have run.
            raise InvalidSettingError("langgraph", "is of a version that is not supported: nothing was run")


def _is_resumed(request: ToolCallRequest) -> bool:
    task = request.runtime.config["configurable"].get("__pregel_scratchpad")
    return bool(getattr(task, "resume", None))
