"""Puts the tool calls of a LangGraph agent behind the gate."""

from __future__ import annotations

import sys
import threading
from collections.abc import Awaitable, Callable

from langgraph.prebuilt.tool_node import ToolCallRequest

from . import Call, CountersignClient, Guard, RunContext
from .checks import OnAbort, checked_having
from .ends import ENDS_OF_CALL, ENDS_OF_QUESTION
from .langgraph_call import GatedCall, ToolFailed
from .langgraph_told import Result
from .wire import Json

Handler = Callable[[ToolCallRequest], Result]
AsyncHandler = Callable[[ToolCallRequest], Awaitable[Result]]

#: Before, a task of an event loop loses the context that LangGraph interrupts by: a call waits for people there.
_LOOPS_SUSPEND = sys.version_info >= (3, 11)


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
    checked_having(client, "client", ("guard",), "a CountersignClient")
    client.guard("settings", **settings)

    def wrap(request: ToolCallRequest, handler: Handler) -> Result:
        gated = GatedCall(client, request, settings)
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
        except ToolFailed as failed:
            return failed.result

    return wrap


def gated_calls_async(
    client: CountersignClient, *, on_abort: OnAbort = "cancel", timeout: float | None = None
) -> Callable[[ToolCallRequest, AsyncHandler], Awaitable[Result]]:
    """As `gated_calls`, for `awrap_tool_call` and a graph that is invoked asynchronously."""
    settings: Json = {"on_abort": on_abort, "timeout": timeout}
    checked_having(client, "client", ("guard",), "a CountersignClient")
    client.guard("settings", **settings)

    async def wrap(request: ToolCallRequest, handler: AsyncHandler) -> Result:
        gated = GatedCall(client, request, settings)
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
        except ToolFailed as failed:
            return failed.result

    return wrap


def _is_asked(guard: Guard, call: Call) -> bool:
    try:
        return guard.asks(call)
    except ENDS_OF_QUESTION:
        # Nobody can be asked about a call that the gate cannot read. It ends where it would run.
        return False


async def _is_asked_async(guard: Guard, call: Call) -> bool:
    try:
        return await guard.asks_async(call)
    except ENDS_OF_QUESTION:
        return False
