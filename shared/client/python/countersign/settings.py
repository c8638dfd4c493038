"""Reads the settings of a client, given or from the environment, and checks them before any send."""

from __future__ import annotations

import inspect
import json
import math
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import timedelta
from typing import Literal, cast
from urllib.parse import urlsplit

from .errors import InvalidSettingError
from .wire import IDENTIFIER, is_well_formed

OnAbort = Literal["cancel", "leave"]

_OUTPUTS = {
    "deployment": ("COUNTERSIGN_DEPLOYMENT", "Deployment"),
    "queue_url": ("COUNTERSIGN_QUEUE_URL", "ProposalsQueueUrl"),
    "audit_table": ("COUNTERSIGN_AUDIT_TABLE", "AuditTable"),
    "redeem_function": ("COUNTERSIGN_REDEEM_FUNCTION", "RedeemFunction"),
    "outcomes_queue_url": ("COUNTERSIGN_OUTCOMES_QUEUE_URL", "OutcomesQueueUrl"),
}


@dataclass(frozen=True)
class Settings:
    """The deployment and the agent.

    With the last two, tools redeem their permit first, run within the guardrails, and report their outcome.
    """

    #: The agent's name in the policy file.
    agent: str
    deployment: str
    queue_url: str
    audit_table: str
    redeem_function: str | None = None
    outcomes_queue_url: str | None = None

    def __post_init__(self) -> None:
        _check_texts(vars(self))
        known = "it is the agent's name in the policy file (COUNTERSIGN_AGENT)"
        if not self.agent:
            raise InvalidSettingError("agent", f"is missing: {known}")
        if not isinstance(self.agent, str) or IDENTIFIER.fullmatch(self.agent) is None:
            raise InvalidSettingError("agent", f"{shown(self.agent)} cannot be a name: {known}")
        for field in ("deployment", "queue_url", "audit_table"):
            if getattr(self, field) is None:
                raise _missing(field)
        # Half of it would run tools outside of the guardrails, or leave their outcomes unknown.
        if self.redeem_function and not self.outcomes_queue_url:
            raise _missing("outcomes_queue_url", " beside redeem_function")
        if self.outcomes_queue_url and not self.redeem_function:
            raise _missing("redeem_function", " beside outcomes_queue_url")
        for field in ("queue_url", "outcomes_queue_url"):
            url = getattr(self, field)
            if url and not _is_url(url):
                raise InvalidSettingError(field, f"{shown(url)} is no URL: {_source(field)}")


def _check_texts(stated: Mapping[str, object]) -> None:
    for field, value in stated.items():
        if value is None or field == "agent":
            continue
        if not isinstance(value, str):
            raise InvalidSettingError(field, f"{shown(value)} is no text: {_source(field)}")
        if not value.strip():
            raise InvalidSettingError(field, f"is empty: {_source(field)}")
        if not is_well_formed(value):
            raise InvalidSettingError(field, f"holds half of a surrogate pair: {_source(field)}")


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def shown(value: object) -> str:
    """The value for a message; of an object only its type."""
    if isinstance(value, str):
        return json.dumps(value[:40], ensure_ascii=False)
    return repr(value)[:40] if value is None or isinstance(value, (bool, int, float)) else f"a {type(value).__name__}"


def checked_session(value: object) -> str:
    """The name of a conversation. Raises InvalidSettingError."""
    if isinstance(value, str) and IDENTIFIER.fullmatch(value) is not None:
        return value
    raise InvalidSettingError("session_id", f"{shown(value)} cannot be a name: leave it out for `main`")


def settings_from(environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings that the variables COUNTERSIGN_… hold. An empty variable is none."""
    variables = {"agent": "COUNTERSIGN_AGENT"} | {name: variable for name, (variable, _) in _OUTPUTS.items()}
    stated = {field.name: environment.get(variables[field.name]) or None for field in fields(Settings)}
    return Settings(**stated)  # type: ignore[arg-type]  # __post_init__ refuses what is missing, by name.


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


def _source(field: str) -> str:
    variable, output = _OUTPUTS[field]
    return f"it is the stack's output {output} ({variable})"


def _missing(field: str, beside: str = "") -> InvalidSettingError:
    return InvalidSettingError(field, f"is missing{beside}: {_source(field)}")
