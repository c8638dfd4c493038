"""Puts the tool calls of a LangGraph agent behind the gate."""

from __future__ import annotations

import sys
import threading
from collections.abc import Awaitable, Callable
from typing import Any

from langchain_core.messages import ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest

from . import Call, CountersignClient, Guard, InvalidSettingError, RunContext
from .checks import OnAbort
from .errors import ENDS_OF_CALL, InvalidProposalError
from .langgraph_edit import fitting, misfit
from .langgraph_task import calls_of_task, look_again
from .langgraph_told import Result, has_failed, told_in
from .outer import outer_run
from .wire import Json

Handler = Callable[[ToolCallRequest], Result]
AsyncHandler = Callable[[ToolCallRequest], Awaitable[Result]]


#: Before, a task of an event loop loses the context that LangGraph interrupts by: a call waits for people there.
_LOOPS_SUSPEND = sys.version_info >= (3, 11)


class _ToolFailed(Exception):
    """Carries the message of a tool that failed past the report of its run, which is no success then."""

    def __init__(self, result: Result) -> None:
        super().__init__("the tool failed")
        self.result = result


class _GatedCall:
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
        return misfit(self._request.tool, self._request.tool_call["args"]) if len(self.turn) == 1 else None

    def suspend(self, asked: Call) -> None:
        look_again(self._request, {"countersign": self.guard.proposal_id(asked)}, is_alone=len(self.turn) == 1)

    def given(self, arguments: Json) -> ToolCallRequest:
        return self._request.override(tool_call={**self._request.tool_call, "args": arguments})

    def read_edit(self, arguments: Json) -> Json:
        return fitting(self._request.tool, arguments)

    def ended(self, result: Result, gate: RunContext) -> Result:
        result = told_in(result, self.call.call_id or "", gate.change)
        if has_failed(result, self.call.call_id or ""):
            raise _ToolFailed(result)
        return result

    def refused(self, refusal: Exception | str) -> ToolMessage:
        name, call_id = self.call.tool_name, self.call.call_id or ""
        return ToolMessage(str(refusal), name=name, tool_call_id=call_id, status="error")


def _stated(tool_call: Any) -> Call:
    return Call(tool_call["name"], tool_call["args"], tool_call["id"] or "")


def gated_calls(
    client: CountersignClient,
    *,
    on_abort: OnAbort = "cancel",
    timeout: float | None = None,
    stop: threading.Event | None = None,
) -> Callable[[ToolCallRequest, Handler], Result]:
    """For `ToolNode(tools, wrap_tool_call=gated_calls(client))`, or the same of an agent's middleware.

    Interrupts the graph only where people are asked. Resume with any value: the permit decides. A thread is a run.
    For a graph that is invoked synchronously. It ends no thread on Ctrl-C: set `stop` in a handler of SIGINT. The
    settings are those of `client.guard`.
    """
    settings: Json = {"on_abort": on_abort, "timeout": timeout, "stop": stop}
    client.guard("settings", **settings)

    def wrap(request: ToolCallRequest, handler: Handler) -> Result:
        gated = _GatedCall(client, request, settings)
        if (problem := gated.misfit()) is not None:
            return gated.refused(problem)
        for each in gated.may_suspend():
            if _is_asked(gated.guard, each):
                gated.suspend(each)
                break
        try:
            return gated.guard.run(
                gated.call,
                lambda given, gate: gated.ended(handler(gated.given(given)), gate),
                read_edit=gated.read_edit,
            )
        except ENDS_OF_CALL as refusal:
            return gated.refused(refusal)
        except _ToolFailed as failed:
            return failed.result

    return wrap


def gated_calls_async(
    client: CountersignClient, *, on_abort: OnAbort = "cancel", timeout: float | None = None
) -> Callable[[ToolCallRequest, AsyncHandler], Awaitable[Result]]:
    """As `gated_calls`, for `awrap_tool_call` and a graph that is invoked asynchronously."""
    settings: Json = {"on_abort": on_abort, "timeout": timeout}
    client.guard("settings", **settings)

    async def wrap(request: ToolCallRequest, handler: AsyncHandler) -> Result:
        gated = _GatedCall(client, request, settings)
        if (problem := gated.misfit()) is not None:
            return gated.refused(problem)
        for each in gated.may_suspend() if _LOOPS_SUSPEND else ():
            if await _is_asked_async(gated.guard, each):
                gated.suspend(each)
                break

        async def run(given: Json, gate: RunContext) -> Result:
            return gated.ended(await handler(gated.given(given)), gate)

        try:
            return await gated.guard.run_async(gated.call, run, read_edit=gated.read_edit)
        except ENDS_OF_CALL as refusal:
            return gated.refused(refusal)
        except _ToolFailed as failed:
            return failed.result

    return wrap


def _is_asked(guard: Guard, call: Call) -> bool:
    try:
        return guard.asks(call)
    except InvalidProposalError:
        # Nobody can be asked about a call that the gate cannot read. It ends where it would run.
        return False


async def _is_asked_async(guard: Guard, call: Call) -> bool:
    try:
        return await guard.asks_async(call)
    except InvalidProposalError:
        return False
