"""Checks arguments that a person changed by the schema of a LangGraph tool."""

from __future__ import annotations

from langchain_core.tools import BaseTool
from pydantic import BaseModel, ValidationError

from .errors import SchemaError
from .wire import Json


def fitting(tool: BaseTool | None, given: Json) -> Json:
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
