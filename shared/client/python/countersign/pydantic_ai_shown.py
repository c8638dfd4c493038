"""Makes JSON of arguments that Pydantic has read, and refuses what people would not see of them."""

from __future__ import annotations

import dataclasses
from typing import Any, cast

from pydantic import BaseModel, RootModel, TypeAdapter
from pydantic_core import to_jsonable_python

from .errors import InvalidProposalError
from .wire import Json

_NEXT = "let the tool take its text or its fields"
#: Of a field that its model leaves out.
_HIDDEN = object()


def shown(arguments: Json) -> Json:
    """The arguments as JSON. Raises InvalidProposalError for a value that its JSON does not show whole.

    The tool gets the value itself: rules and people would judge less than what runs.
    """
    try:
        text = to_jsonable_python(arguments)
    except ValueError as error:
        raise InvalidProposalError("not_json", "input", f"has no JSON form ({error}): {_NEXT}") from error
    _check(arguments, text, "input")
    return cast(Json, text)


def _check(value: Any, text: Any, path: str) -> None:
    if value is None or isinstance(value, (bool, int, float, str)):
        # A number that JSON cannot hold is refused as such.
        is_whole = text == value or value != value
    elif isinstance(value, dict):
        is_whole = isinstance(text, dict) and len(text) == len(value)
        for (key, item), (name, part) in zip(value.items(), text.items() if is_whole else (), strict=False):
            is_whole = is_whole and (key == name or _is_read_again(key, name))
            _check(item, part, f"{path}.{name}")
    elif isinstance(value, (list, tuple, set, frozenset)):
        is_whole = isinstance(text, list) and len(text) == len(value)
        for index, (item, part) in enumerate(zip(value, text if is_whole else (), strict=False)):
            _check(item, part, f"{path}[{index}]")
    else:
        is_whole = _is_read_again(value, text)
        if not is_whole and isinstance(value, RootModel):
            return _check(value.root, text, path)
        if not is_whole and isinstance(text, dict):
            # A validator that converts does not read its own result again. Its fields tell.
            fields = _fields(value)
            is_whole = bool(fields)
            for name, (key, item) in fields.items():
                _check(item, text.get(key, _HIDDEN), f"{path}.{name}")
    if not is_whole:
        problem = f"people would not see all of this {type(value).__name__}: {_NEXT}"
        raise InvalidProposalError("not_json", path, problem)


def _is_read_again(value: Any, text: Any) -> bool:
    """Whether the value can be read from its JSON, as a time can, and a secret behind asterisks cannot."""
    try:
        return bool(TypeAdapter(type(value)).validate_python(text) == value)
    except Exception:
        # Validators of a program raise what they like at a value that they have converted already.
        return False


def _fields(value: Any) -> dict[str, tuple[str, Any]]:
    """The fields of a model or a dataclass by their names, each with its key in the JSON."""
    if isinstance(value, BaseModel):
        names = [name for name, _ in value]
    else:
        names = [field.name for field in dataclasses.fields(value)] if dataclasses.is_dataclass(value) else []
    stated = getattr(type(value), "__pydantic_fields__", {})
    keys = {name: getattr(stated.get(name), "serialization_alias", None) or name for name in names}
    return {name: (key, getattr(value, name)) for name, key in keys.items()}
