"""Puts the tool calls of a LangGraph agent behind the gate."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from typing import Any, TypeGuard, cast

from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.errors import GraphInterrupt
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command, interrupt
from pydantic import BaseModel, ValidationError

from . import Call, CountersignClient, Guard, InvalidSettingError, RunContext, SchemaError, with_change
from .errors import ENDS_OF_CALL, InvalidProposalError
from .run import end_of_outer_run
from .wire import Json

Result = ToolMessage | Command[Any]
Handler = Callable[[ToolCallRequest], Result]
AsyncHandler = Callable[[ToolCallRequest], Awaitable[Result]]

#: Of the interrupts of a task, each resume answers one.
_INTERRUPTING = threading.Lock()


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


def _fitting(tool: BaseTool | None, given: Json) -> Json:
    """Arguments of a person as the tool will read them. Raises SchemaError for those that its schema refuses."""
    schema = tool.tool_call_schema if tool is not None else None
    if isinstance(schema, type) and issubclass(schema, BaseModel):
        try:
            schema.model_validate(given)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(str(part) for part in first["loc"])
            raise SchemaError(f"{place}: {first['msg']}" if place else first["msg"]) from error
    return given


def _calls_of_task(request: ToolCallRequest) -> Iterator[Any]:
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


def _look_again(request: ToolCallRequest, value: Json) -> None:
    """Interrupts the task until it is resumed. One of its calls finds the answer, and the others see that it came."""
    with _INTERRUPTING:
        try:
            interrupt(value)
        except GraphInterrupt:
            task = request.runtime.config["configurable"].get("__pregel_scratchpad")
            if not getattr(task, "resume", None):
                raise


class _GatedCall:
    """One pass of a graph that came to a call."""

    def __init__(self, client: CountersignClient, request: ToolCallRequest) -> None:
        thread = request.runtime.config.get("configurable", {}).get("thread_id")
        if not thread:
            problem = 'is missing: name the conversation, as in {"configurable": {"thread_id": "conversation-7"}}'
            raise InvalidSettingError("configurable.thread_id", problem)
        self._request = request
        self.guard: Guard = client.guard(str(thread))
        self.call = _stated(request.tool_call)
        # None of the calls that begin anew together runs before people are asked about all: it would run in each pass.
        self.turn = [_stated(each) for each in _calls_of_task(request)]

    def may_suspend(self) -> list[Call]:
        """The calls of which one that is asked about suspends the task: none within a tool that cannot begin anew."""
        return self.turn if end_of_outer_run() is None else []

    def suspend(self, asked: Call) -> None:
        _look_again(self._request, {"countersign": self.guard.proposal_id(asked)})

    def given(self, arguments: Json) -> ToolCallRequest:
        return self._request.override(tool_call={**self._request.tool_call, "args": arguments})

    def read_edit(self, arguments: Json) -> Json:
        return _fitting(self._request.tool, arguments)

    def ended(self, result: Result, gate: RunContext) -> Result:
        result = told_in(result, self.call.call_id or "", gate.change)
        if has_failed(result, self.call.call_id or ""):
            raise _ToolFailed(result)
        return result

    def refused(self, refusal: Exception) -> ToolMessage:
        name, call_id = self.call.tool_name, self.call.call_id or ""
        return ToolMessage(str(refusal), name=name, tool_call_id=call_id, status="error")


def _stated(tool_call: Any) -> Call:
    return Call(tool_call["name"], tool_call["args"], tool_call["id"] or "")


def gated_calls(client: CountersignClient) -> Callable[[ToolCallRequest, Handler], Result]:
    """For `ToolNode(tools, wrap_tool_call=gated_calls(client))`, or the same of an agent's middleware.

    Interrupts the graph only where people are asked. Resume with any value: the permit decides. A thread is a run.
    For a graph that is invoked synchronously.
    """

    def wrap(request: ToolCallRequest, handler: Handler) -> Result:
        gated = _GatedCall(client, request)
        for each in gated.may_suspend():
            if _is_asked(gated.guard, each):
                gated.suspend(each)
                break
        try:
            return gated.guard.run(
                gated.call,
                lambda given, gate: gated.ended(handler(gated.given(given)), gate),
                stop=end_of_outer_run(),
                read_edit=gated.read_edit,
            )
        except ENDS_OF_CALL as refusal:
            return gated.refused(refusal)
        except _ToolFailed as failed:
            return failed.result

    return wrap


def gated_calls_async(client: CountersignClient) -> Callable[[ToolCallRequest, AsyncHandler], Awaitable[Result]]:
    """As `gated_calls`, for `awrap_tool_call` and a graph that is invoked asynchronously."""

    async def wrap(request: ToolCallRequest, handler: AsyncHandler) -> Result:
        gated = _GatedCall(client, request)
        for each in gated.may_suspend():
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
