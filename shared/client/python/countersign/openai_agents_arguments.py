"""Reads the arguments of an OpenAI tool: those of the model, and those of a person."""

from __future__ import annotations

import json
from typing import Any

from agents import FunctionTool, ModelBehaviorError
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # The SDK needs it by way of `mcp`.

from .errors import InvalidProposalError, SchemaError
from .wire import Json


def _problem(tool: FunctionTool, given: Any) -> str | None:
    """The first that the JSON schema of the tool has with the arguments."""
    for error in Draft202012Validator(tool.params_json_schema).iter_errors(given):
        # A strict schema requires arguments that have a default, too.
        if not (tool.strict_json_schema and error.validator == "required"):
            place = ".".join(str(part) for part in error.absolute_path) or "the arguments"
            return f"{place}: not what `{error.validator}` of its schema says"
    return None


def fitting(tool: FunctionTool, given: Json) -> Json:
    """Arguments of a person as the tool will read them. Raises SchemaError for those that its schema refuses."""
    problem = _problem(tool, given)
    if problem is not None:
        raise SchemaError(problem)
    return given


def misfit(tool: FunctionTool, given: Any) -> str | None:
    """Words for the model whose arguments the tool would refuse: nobody need be asked about them.

    The tool's own reader tells, which takes more than its schema says, such as the text of a number. Without it, as
    where a tool reads its arguments itself, only the tool can tell.
    """
    own = getattr(tool.on_invoke_tool, "_invoke_tool_impl", None)
    prepare = getattr(own, "__agents_prepare_arguments__", None)
    if prepare is None:
        return None
    arguments = json.dumps(given)
    try:
        prepare(arguments, tool.name).owner(arguments, tool.name)
    except ModelBehaviorError:
        # The SDK leaves the reason out of the error, unless it may log the arguments.
        words = "The tool was not run. Call it again with arguments that fit its schema."
        return " ".join([words, _problem(tool, given) or ""]).rstrip()
    except Exception:
        # A validator that raises is left to the tool.
        return None
    return None


def read(arguments: str) -> Any:
    """The arguments as the model wrote them. Raises InvalidProposalError for a text that is no JSON."""
    try:
        return json.loads(arguments or "{}")
    except ValueError as error:
        raise InvalidProposalError("not_json", "input", f"is no JSON: {error}") from error
