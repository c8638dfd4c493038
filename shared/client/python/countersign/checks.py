"""Checks what a program states for one call or wait, before people are asked."""

from __future__ import annotations

import inspect
import json
import math
import re
import threading
from datetime import timedelta
from typing import Literal, cast

from .errors import InvalidSettingError
from .wire import IDENTIFIER

OnAbort = Literal["cancel", "leave"]


def shown(value: object) -> str:
    """The value for a message; of an object only its type."""
    if isinstance(value, str):
        return json.dumps(value[:40], ensure_ascii=False)
    return repr(value)[:40] if value is None or isinstance(value, (bool, int, float)) else f"a {type(value).__name__}"


def checked_having(value: object, setting: str, methods: tuple[str, ...], wanted: str) -> None:
    """Refuses an object without the methods. Raises InvalidSettingError that says what is `wanted`."""
    if isinstance(value, type) or not all(callable(getattr(value, method, None)) for method in methods):
        problem = "is missing" if value is None else f"{shown(value)} is something else"
        raise InvalidSettingError(setting, f"{problem}: it is {wanted}")


def checked_guard(guard: object) -> None:
    """Raises InvalidSettingError where an adapter is given something else, as a client."""
    checked_having(guard, "guard", ("asks_async", "run_async"), "a Guard, as client.guard(run) makes it")


def checked_text(value: object, setting: str) -> None:
    """Raises InvalidSettingError for what is no text."""
    if not isinstance(value, str):
        raise InvalidSettingError(setting, f"{shown(value)} is no text")


#: JavaScript has these names for members of objects, and the gate denies each call of such a tool.
_OBJECT_MEMBERS = frozenset(
    [
        *("__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__", "__proto__", "constructor"),
        *("hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "prototype", "toLocaleString", "toString"),
        "valueOf",
    ]
)


def checked_tool_name(value: object, setting: str) -> str:
    """The name of a tool where it is declared. Raises InvalidSettingError for one that the gate denies each call of."""
    held = 'a tool name holds letters, digits, "_", "." and "-", at most 128'
    if isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9_.-]{1,128}", value):
        if value not in _OBJECT_MEMBERS:
            return value
        held = "JavaScript has this name for a member of objects"
    raise InvalidSettingError(setting, f"{shown(value)} is no name of a tool, and each call would be denied: {held}")


def checked_session(value: object) -> str:
    """The name of a conversation. Raises InvalidSettingError."""
    if isinstance(value, str) and IDENTIFIER.fullmatch(value) is not None:
        return value
    raise InvalidSettingError("session_id", f"{shown(value)} cannot be a name: leave it out for `main`")


def checked_seconds(value: float | None, setting: str) -> float | None:
    """A length of time in seconds, or none. Raises InvalidSettingError."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        raise InvalidSettingError(setting, f"{shown(value)} is no length of time: give seconds")
    return float(value)


def checked_stop(stop: object) -> threading.Event | None:
    """The event that ends a wait, or none. Raises InvalidSettingError."""
    wait = getattr(stop, "wait", None)
    # Events of other kinds, as of multiprocessing, do as well. One of asyncio waits in its own loop alone.
    is_event = callable(wait) and callable(getattr(stop, "is_set", None)) and not isinstance(stop, type)
    if stop is None or (is_event and not inspect.iscoroutinefunction(wait)):
        return cast("threading.Event | None", stop)
    # A number, a text and a timedelta are lengths of time.
    is_length = isinstance(stop, (int, float, str, timedelta))
    instead = "state seconds as timeout" if is_length else "pass a threading.Event"
    raise InvalidSettingError("stop", f"is {_named(stop)} and no threading.Event: {instead}")


def _named(value: object) -> str:
    kind = value if isinstance(value, type) else type(value)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    return f"the class {name}" if kind is value else f"of the type {name}"


def checked_on_abort(value: object) -> OnAbort:
    """The fate of a proposal whose wait is given up. Raises InvalidSettingError: a mistyped `cancel` would leave it."""
    if value in ("cancel", "leave"):
        return value
    raise InvalidSettingError("on_abort", f"{shown(value)} is not one of cancel, leave")


def checked_function(function: object, setting: str, takes: tuple[str, ...]) -> None:
    """Refuses before people are asked what could not be called once they approved. Raises InvalidSettingError."""
    names = " and ".join(takes)
    if not callable(function):
        problem = "is missing" if function is None else f"{shown(function)} is not a function"
        raise InvalidSettingError(setting, f"{problem}: it is a function of the {names}")
    try:
        # A decorator may take what the function that it wraps does not.
        signature = inspect.signature(function, follow_wrapped=False)
    except Exception:
        # Some functions that are written in C do not tell what they take, and some annotations cannot be read.
        return
    try:
        signature.bind(*takes)
    except TypeError as error:
        raise InvalidSettingError(setting, f"cannot be called with the {names}: {error}") from None
