"""Checks arguments by the schema of a LangGraph tool: those of the model, and those of a person."""

from __future__ import annotations

from langchain_core.tools import BaseTool
from pydantic import BaseModel, ValidationError

from .errors import SchemaError
from .wire import Json


def _problem(tool: BaseTool | None, given: Json) -> str | None:
    """The first that the tool's schema has with the arguments. None if it takes them, or only the tool can tell."""
    schema = tool.args_schema if tool is not None else None
    if tool is None or not (isinstance(schema, type) and issubclass(schema, BaseModel)):
        return None
    # The schema without the arguments that LangGraph adds would lack aliases and validators.
    added = set(schema.model_fields) - set(getattr(tool.tool_call_schema, "model_fields", schema.model_fields))
    if added and _has_validators(schema):
        # They may read what is added, and fail without it: the tool tells.
        return None
    try:
        schema.model_validate(given)
    except ValidationError as error:
        for each in error.errors(include_url=False):
            place = ".".join(str(part) for part in each["loc"])
            if not added or each["loc"][0] not in added:
                return f"{place}: {each['msg']}" if place else each["msg"]
    return None


def _has_validators(schema: type[BaseModel]) -> bool:
    stated = schema.__pydantic_decorators__
    return bool(stated.field_validators or stated.model_validators or stated.validators or stated.root_validators)


def misfit(tool: BaseTool | None, given: Json) -> str | None:
    """Words for the model whose arguments the tool would refuse: nobody need be asked about them."""
    problem = _problem(tool, given)
    instead = "Call it again with arguments that fit its schema."
    return None if problem is None else f"The tool was not run. {instead} {problem}"


def fitting(tool: BaseTool | None, given: Json) -> Json:
    """Arguments of a person as the tool will read them. Raises SchemaError for those that its schema refuses."""
    problem = _problem(tool, given)
    if problem is not None:
        raise SchemaError(problem)
    return given
