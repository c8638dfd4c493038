"""Exports the Python client of Countersign, the gate between AI agents and their tools.

Needs boto3 alone.
"""

from .call import Call, RunContext, with_change
from .client import CountersignClient
from .decision import CallDecision, DecidedBy, Decision, Permit
from .ends import GivenUpError
from .errors import (
    CountersignError,
    DigestMismatchError,
    GuardrailError,
    InvalidProposalError,
    InvalidSettingError,
    NoDecisionError,
    NotApprovedError,
    PermitExpiredError,
    PlaceChangedError,
    SchemaError,
    StoppedError,
)
from .guard import Guard
from .settings import Settings, settings_from

__all__ = [
    "Call",
    "CallDecision",
    "CountersignClient",
    "CountersignError",
    "DecidedBy",
    "Decision",
    "DigestMismatchError",
    "GivenUpError",
    "Guard",
    "GuardrailError",
    "InvalidProposalError",
    "InvalidSettingError",
    "NoDecisionError",
    "NotApprovedError",
    "Permit",
    "PermitExpiredError",
    "PlaceChangedError",
    "RunContext",
    "SchemaError",
    "Settings",
    "StoppedError",
    "settings_from",
    "with_change",
]
