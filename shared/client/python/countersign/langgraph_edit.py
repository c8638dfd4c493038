"""Checks arguments by the schema of a LangGraph tool, before people are asked about them."""

from __future__ import annotations

from langchain_core.tools import BaseTool
from pydantic import BaseModel, ValidationError

from .errors import SchemaError
from .wire import Json


def misfit(tool: BaseTool | None, given: Json) -> str | None:
    """The first thing that the tool's schema says against the arguments; None where they fit, or no schema tells."""
    schema = tool.args_schema if tool is not None else None
    if not (tool is not None and isinstance(schema, type) and issubclass(schema, BaseModel)):
        return None
    # LangGraph gives the tool others itself. The schema without these would lack the aliases of fields.
    shown = set(tool.args)
    ...
