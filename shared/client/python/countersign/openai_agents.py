"""Puts tools of the OpenAI Agents SDK behind the gate."""

from __future__ import annotations

import copy
import dataclasses
import functools
from collections.abc import Awaitable, Callable
from typing import Any

from agents import (
    FunctionTool,
    RunContextWrapper,
    ToolOutputFileContent,
    ToolOutputImage,
    ToolOutputText,
)
from agents.tool_context import ToolContext
from pydantic_core import to_json

from . import Call, Guard, RunContext, with_change
from .checks import checked_guard, checked_tool_name
from .ends import ENDS_OF_CALL, ENDS_OF_QUESTION
from .errors import InvalidSettingError
from .openai_agents_arguments import fitting, misfit, read
from .outer import outer_run
from .wire import Json, json_text

#: The SDK hands on these alone or in a list. Within any other value they would be text.
_PARTS = (ToolOutputText, ToolOutputImage, ToolOutputFileContent)
_TYPES = ("text", "image", "file")


def told(output: Any, change: str | None) -> Any:
    """The output with the sentence about changed arguments: images and files stay what they are."""
    if change is None:
        return output
    parts = list(output) if isinstance(output, list | tuple) else [output]
    if parts and all(isinstance(part, _PARTS) or _type_of(part) in _TYPES for part in parts):
        return [*parts, ToolOutputText(text=change)]
    return with_change(output, change)


def _type_of(part: Any) -> Any:
    return part.get("type") if isinstance(part, dict) else None


#: The SDK's own note that it words a failure itself: it holds words against no schema then.
_IS_WORDED = "_function_tool_default_failure_handled"


def _worded(tool: FunctionTool, context: ToolContext[Any]) -> None:
    """Has the SDK hand on words of the gate where the tool has a schema of its outputs: the run would end otherwise."""
    if tool.output_json_schema is not None:
        setattr(context, _IS_WORDED, True)


def _ended(tool: FunctionTool, context: ToolContext[Any], output: Any, change: str | None) -> Any:
    if change is not None and tool.output_json_schema is not None:
        _worded(tool, context)
        # As the SDK would write it.
        output = output if isinstance(output, str) else to_json(output, by_alias=True).decode()
    return told(output, change)


class _ToolFailed(Exception):
    """Carries the words for the model past the report of a run whose tool failed, which is no success then."""

    def __init__(self, output: Any) -> None:
        super().__init__(output)
        self.output = output


def noting(tool: FunctionTool, note: Callable[[Exception], None]) -> Callable[[ToolContext[Any], str], Awaitable[Any]]:
    """The tool's invoker, which notes an error of the tool before the SDK words it for the model as its result."""
    invoker = copy.copy(tool.on_invoke_tool)
    own = getattr(invoker, "_invoke_tool_impl", None)
    if own is None:
        # An invoker of somebody's own raises what fails.
        return invoker

    @functools.wraps(own)
    async def noted(context: ToolContext[Any], arguments: str) -> Any:
        try:
            return await own(context, arguments)
        except Exception as error:
            note(error)
            raise

    vars(invoker)["_invoke_tool_impl"] = noted
    return invoker


def gated_tool(guard: Guard, tool: FunctionTool) -> FunctionTool:
    """The tool, which interrupts the run only where people are asked.

    Resume with `state.approve(item)` for every item: the permit decides. Raises InvalidSettingError for a tool of
    another kind, which runs elsewhere or takes no JSON, and for a name that no call may have.
    """
    if not isinstance(tool, FunctionTool):
        raise InvalidSettingError("tool", f"is a {type(tool).__name__}: only a FunctionTool can be gated")
    checked_guard(guard)
    checked_tool_name(tool.name, "tool.name")

    async def asks(_: RunContextWrapper[Any], params: Json, call_id: str) -> bool:
        return await _is_asked(guard, tool, Call(tool.name, params, call_id))

    async def invoke(context: ToolContext[Any], arguments: str) -> Any:
        async def run(given: Json, gate: RunContext) -> Any:
            failures: list[Exception] = []
            ran = await noting(tool, failures.append)(context, json_text(given))
            output = _ended(tool, context, ran, gate.change)
            if failures:
                raise _ToolFailed(output) from failures[0]
            return output

        try:
            call = Call(tool.name, read(arguments), context.tool_call_id)
            if (problem := misfit(tool, call.input)) is not None:
                _worded(tool, context)
                return problem
            return await guard.run_async(call, run, read_edit=lambda given: fitting(tool, given))
        except ENDS_OF_CALL as refusal:
            _worded(tool, context)
            return str(refusal)
        except _ToolFailed as failed:
            return failed.output

    return dataclasses.replace(tool, needs_approval=asks, on_invoke_tool=invoke)


async def _is_asked(guard: Guard, tool: FunctionTool, call: Call) -> bool:
    # An agent within a tool that cannot begin anew waits there.
    if outer_run() is not None or misfit(tool, call.input) is not None:
        return False
    try:
        return await guard.asks_async(call)
    except ENDS_OF_QUESTION:
        # Nobody can be asked about a call that the gate cannot read. It ends where it would run.
        return False
