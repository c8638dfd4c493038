"""Reads the settings of a client, given or from the environment, and checks them before any send."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from urllib.parse import urlsplit

from .checks import shown
from .errors import InvalidSettingError
from .wire import IDENTIFIER, is_well_formed

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


def settings_from(environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings that the variables COUNTERSIGN_… hold. An empty variable is none."""
    variables = {"agent": "COUNTERSIGN_AGENT"} | {name: variable for name, (variable, _) in _OUTPUTS.items()}
    stated = {field.name: environment.get(variables[field.name]) or None for field in fields(Settings)}
    return Settings(**stated)  # type: ignore[arg-type]  # __post_init__ refuses what is missing, by name.


def _source(field: str) -> str:
    variable, output = _OUTPUTS[field]
    return f"it is the stack's output {output} ({variable})"


def _missing(field: str, beside: str = "") -> InvalidSettingError:
    return InvalidSettingError(field, f"is missing{beside}: {_source(field)}")
