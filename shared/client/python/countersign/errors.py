"""Declares the client's errors, with stable codes. A call without approval ends in one of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .decision import CallDecision, Decision


class CountersignError(Exception):
    """Base of all errors of this package. `code` is stable; the text names the problem and the next step."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code

    def __reduce__(self) -> tuple[Any, ...]:
        # By default an error is made again by its text alone. Workers pickle errors.
        return _made_again, (type(self), self.args, self.__dict__)


def _made_again(kind: type[CountersignError], args: tuple[Any, ...], fields: dict[str, Any]) -> CountersignError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(fields)
    return error


class InvalidSettingError(CountersignError):
    """A setting of the client, or a time-out, is missing or wrong. `setting` names it."""

    def __init__(self, setting: str, problem: str) -> None:
        super().__init__("invalid_setting", f"{setting}: {problem}")
        self.setting = setting


class InvalidProposalError(CountersignError):
    """The gate would refuse to read the proposal, so that nothing was sent. `field` names where, as in `input.to`."""

    def __init__(self, code: str, field: str, problem: str) -> None:
        super().__init__(code, f"{field}: {problem}" if field else f"the proposal {problem}")
        self.field = field
        self.problem = problem


class NotApprovedError(CountersignError):
    """The gate decided, and not in favour. `code` is the outcome; the text is written for the model that asked."""

    def __init__(self, verdict: Decision | CallDecision, proposal_id: str) -> None:
        super().__init__(verdict.outcome, verdict.message)
        self.proposal_id = proposal_id
        self.reason_code = verdict.reason_code
        self.decided_by = verdict.decided_by
        #: The words of a person, if the outcome is `answered`.
        self.answer: Any = getattr(verdict, "answer", None)


class NoDecisionError(CountersignError):
    """The time is over, or decisions cannot be read, as `__cause__` tells.

    The code is `unanswered` if the gate has recorded nothing at all: a wrong setting, most likely.
    """

    def __init__(self, proposal_id: str, unanswered: bool = False, unreadable: str | None = None) -> None:
        code, message = "no_decision", f"there is no decision on {proposal_id} yet: do not run the tool"
        if unreadable is not None:
            message = (
                f"the decision on {proposal_id} cannot be read ({unreadable}): do not run the tool. Compare "
                "audit_table with the output AuditTable, AWS_REGION with the gate's, and use the role of its agent, "
                "which reads its own alone"
            )
        elif unanswered:
            code = "unanswered"
            message = (
                f"no record of {proposal_id} (after a day: propose it again under a new id): compare deployment, "
                "queue_url, audit_table with outputs Deployment, ProposalsQueueUrl, AuditTable; see countersign status"
            )
        super().__init__(code, message)
        self.proposal_id = proposal_id


class StoppedError(CountersignError):
    """The caller set the `stop` event while it waited."""

    def __init__(self, proposal_id: str) -> None:
        super().__init__("stopped", f"the wait for {proposal_id} was stopped: do not run the tool")
        self.proposal_id = proposal_id


class DigestMismatchError(CountersignError):
    """The decision speaks of another action than the one that was proposed: never run it."""

    def __init__(self, proposal_id: str) -> None:
        super().__init__(
            "action_digest_mismatch",
            f"the decision on {proposal_id} is about another action: do not run the tool. If another call had this id, "
            "propose this one under its own",
        )


class PermitExpiredError(CountersignError):
    """The permit of an approval has run out: propose the call again under a new id."""

    def __init__(self, proposal_id: str) -> None:
        super().__init__(
            "permit_expired",
            f"the permit of {proposal_id} has expired: propose the call again under a new id. "
            "If it was approved just now, the clock of this machine is wrong: set it",
        )


class PlaceChangedError(CountersignError):
    """The folder of the call leads elsewhere than when the call was proposed: a link on its way was swapped."""

    def __init__(self, proposal_id: str) -> None:
        problem = f"the folder of {proposal_id} leads elsewhere than when it was approved: the tool was not run"
        super().__init__("place_changed", problem)


class SchemaError(CountersignError):
    """Arguments that took the place of the proposed ones do not fit the tool (`invalid_edit`): it was not run."""

    def __init__(self, problem: str) -> None:
        text = "The tool was not run. The arguments that were put in place of the proposed ones do not fit it"
        super().__init__("invalid_edit", f"{text}: {problem}")


class GuardrailError(CountersignError):
    """A limit refused the run, or the run failed. `retry_after_ms` is None where no wait would help."""

    #: True for the refusal of a call of this process: a tool that hands it on says nothing of its own work.
    _is_of_call = False

    def __init__(
        self,
        category: str,
        code: str,
        message: str,
        details: Mapping[str, Any] | None = None,
        is_retryable: bool = False,
    ) -> None:
        super().__init__(code, message)
        self.category = category
        self.details: Mapping[str, Any] = details or {}
        self.is_retryable = is_retryable

    @property
    def retry_after_ms(self) -> float | None:
        after = self.details.get("retryAfterMs", self.details.get("resetAfterMs"))
        return after if isinstance(after, (int, float)) else None
