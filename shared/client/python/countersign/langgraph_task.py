"""Has the calls that LangGraph runs as one task suspend and begin together."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

from langchain_core.messages import AIMessage
from langgraph.errors import GraphInterrupt
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import interrupt

from .wire import Json

#: Of the interrupts of a task, each resume answers one.
_INTERRUPTING = threading.Lock()


def calls_of_task(request: ToolCallRequest) -> Iterator[Any]:
    """The calls that begin anew with this one when their task is resumed, this one first.

    A call that came by `Send` has a task of its own. A `ToolNode` that an edge leads to runs a whole turn as one.
    """
    own, state = request.tool_call, request.state
    yield own
    path = request.runtime.config.get("metadata", {}).get("langgraph_path") or [None]
    calls: list[Any] = []
    if isinstance(state, list) and state and isinstance(state[-1], dict):
        calls = state
    elif path[0] != "__pregel_push":
        lists = [state] if isinstance(state, list) else (state if isinstance(state, dict) else vars(state)).values()
        messages = [message for each in lists if isinstance(each, list) for message in each]
        turns = [message.tool_calls for message in messages if isinstance(message, AIMessage)]
        calls = next((turn for turn in reversed(turns) if any(call["id"] == own["id"] for call in turn)), [])
    yield from (call for call in calls if call["id"] != own["id"])


def look_again(request: ToolCallRequest, value: Json) -> None:
    """Interrupts the task until it is resumed. One of its calls finds the answer, and the others see that it came."""
    with _INTERRUPTING:
        try:
            interrupt(value)
        except GraphInterrupt:
            task = request.runtime.config["configurable"].get("__pregel_scratchpad")
            if not getattr(task, "resume", None):
                raise
