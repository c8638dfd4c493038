"""Reads one tool call of a LangGraph agent, and words its end for the model."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest

from . import Call, CountersignClient, Guard, InvalidSettingError, RunContext
from .langgraph_edit import fitting, misfit
from .langgraph_task import calls_of_task, look_again
from .langgraph_told import Result, has_failed, told_in
from .outer import outer_run
from .wire import Json


class ToolFailed(Exception):
    """Carries the message of a tool that failed past the report of its run, which is no success then."""

    def __init__(self, result: Result) -> None:
        super().__init__("the tool failed")
        self.result = result


class GatedCall:
    """One pass of a graph that came to a call."""

    def __init__(self, client: CountersignClient, request: ToolCallRequest, settings: Json) -> None:
        thread = request.runtime.config.get("configurable", {}).get("thread_id")
        if not thread:
            problem = 'is missing: name the conversation, as in {"configurable": {"thread_id": "conversation-7"}}'
            raise InvalidSettingError("configurable.thread_id", problem)
        self._request = request
        self.guard: Guard = client.guard(str(thread), **settings)
        self.call = _stated(request.tool_call)
        # None of the calls that begin anew together runs before people are asked about all: it would run in each pass.
        self.turn = [_stated(each) for each in calls_of_task(request)]

    def may_suspend(self) -> list[Call]:
        """The calls of which one that is asked about suspends the task: none within a tool that cannot begin anew."""
        return self.turn if outer_run() is None else []

    def misfit(self) -> str | None:
        # Calls that begin anew together propose each other, and know of their own tool alone.
        if len(self.turn) > 1:
            return None
        if self._request.tool is None:
            return f"Nothing was run: there is no tool of the name {self.call.tool_name}. Call one that you were given."
        return misfit(self._request.tool, self._request.tool_call["args"])

    def suspend(self, asked: Call) -> None:
        look_again(self._request, {"countersign": self.guard.proposal_id(asked)}, is_alone=len(self.turn) == 1)

    def given(self, arguments: Json) -> ToolCallRequest:
        return self._request.override(tool_call={**self._request.tool_call, "args": arguments})

    def read_edit(self, arguments: Json) -> Json:
        return fitting(self._request.tool, arguments)

    def ended(self, result: Result, gate: RunContext) -> Result:
        result = told_in(result, self.call.call_id or "", gate.change)
        if has_failed(result, self.call.call_id or ""):
            raise ToolFailed(result)
        return result

    def refused(self, refusal: Exception | str) -> ToolMessage:
        name, call_id = self.call.tool_name, self.call.call_id or ""
        return ToolMessage(str(refusal), name=name, tool_call_id=call_id, status="error")


def _stated(tool_call: Any) -> Call:
    return Call(tool_call["name"], tool_call["args"], tool_call["id"] or "")
