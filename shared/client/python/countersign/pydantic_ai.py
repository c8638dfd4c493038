"""Puts a toolset of Pydantic AI behind the gate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from pydantic_ai import ApprovalRequired, ToolReturn
from pydantic_ai.messages import is_multi_modal_content
from pydantic_ai.tools import AgentDepsT
from pydantic_ai.tools import RunContext as ToolContext
from pydantic_ai.toolsets import ToolsetTool, WrapperToolset
from pydantic_core import ValidationError, to_jsonable_python

from . import Call, Guard, RunContext, with_change
from .checks import checked_guard, checked_having
from .ends import ENDS_OF_CALL, ENDS_OF_QUESTION
from .errors import InvalidProposalError, SchemaError
from .outer import outer_run
from .pydantic_ai_shown import shown
from .wire import Json


def told(output: Any, change: str | None) -> Any:
    """The output with the sentence about changed arguments: images and files are such only alone or in a list."""
    parts = output if isinstance(output, list) else [output]
    if change is not None and any(is_multi_modal_content(part) for part in parts):
        return [*parts, change]
    return with_change(output, change)


def edit_by(tool: ToolsetTool[Any], given: Json) -> Json:
    """The arguments of a person as the tool takes them.

    Raises SchemaError for arguments that the tool's validator refuses or converts: converted again, another amount
    would run than the one that was approved.
    """
    read = tool.args_validator.validate_python
    try:
        taken: Json = read(given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise SchemaError(f"{place}: {first['msg']}" if place else first["msg"]) from error
    runs = shown(taken)
    try:
        stays = to_jsonable_python(read(runs)) == runs
    except Exception:
        # Validators of a program raise what they like at their own result.
        stays = False
    if not stays or not keeps_numbers(given, runs):
        raise SchemaError("its validator converts arguments, so that only the proposed ones can run.")
    return taken


def keeps_numbers(given: Any, runs: Any) -> bool:
    """Whether each number that a person saw is the one that runs.

    A validator may convert a number to one that it then leaves as it is.
    """
    if isinstance(given, dict) and isinstance(runs, dict):
        return all(keeps_numbers(value, runs.get(key)) for key, value in given.items())
    if isinstance(given, list) and isinstance(runs, list):
        return all(keeps_numbers(*pair) for pair in zip(given, runs, strict=False))
    numbers = isinstance(given, int | float) and isinstance(runs, int | float)
    return not numbers or given == runs


@dataclass
class GatedToolset(WrapperToolset[AgentDepsT]):
    """The toolset, which defers a call only where people are asked.

    Resume with `approvals={call_id: True}` for every call: the permit decides.
    """

    guard: Guard

    def __post_init__(self) -> None:
        checked_having(self.wrapped, "wrapped", ("call_tool", "get_tools"), "a toolset")
        checked_guard(self.guard)

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: ToolContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        try:
            call = Call(name, shown(tool_args), ctx.tool_call_id or "")
        except InvalidProposalError as refusal:
            return str(refusal)
        if not ctx.tool_call_approved and await self._asks(call):
            raise ApprovalRequired

        async def run(given: Json, gate: RunContext) -> Any:
            # The framework has read the proposed arguments already: a validator that converts would do so again.
            output = await self.wrapped.call_tool(name, given if gate.edited else tool_args, ctx, tool)
            if isinstance(output, ToolReturn):
                # The framework refuses one that stands within another value.
                return replace(output, return_value=told(output.return_value, gate.change))
            return told(output, gate.change)

        try:
            return await self.guard.run_async(call, run, read_edit=lambda given: edit_by(tool, given))
        except ENDS_OF_CALL as refusal:
            return str(refusal)

    async def _asks(self, call: Call) -> bool:
        if outer_run() is not None:
            # An agent within a tool that cannot begin anew waits there.
            return False
        try:
            return await self.guard.asks_async(call)
        except ENDS_OF_QUESTION:
            # Nobody can be asked about a call that the gate cannot read. It ends where it would run.
            return False
