"""Names the errors that end one call alone: the other calls of its run go on."""

from __future__ import annotations

from .errors import (
    GuardrailError,
    InvalidProposalError,
    NoDecisionError,
    NotApprovedError,
    PermitExpiredError,
    PlaceChangedError,
    SchemaError,
)


class GivenUpError(NoDecisionError):
    """The caller's time was over, and nobody comes back for the decision: the proposal is withdrawn."""

    def __init__(self, proposal_id: str) -> None:
        super().__init__(proposal_id)
        text = (
            f"nobody decided {proposal_id} in the time that its caller waits, and it is withdrawn: do not run the "
            "tool. This is no refusal: the call may be made again, under a new id, if it is still needed"
        )
        self.args = (text,)


_UNRUN = (
    NotApprovedError,
    InvalidProposalError,
    GivenUpError,
    PermitExpiredError,
    PlaceChangedError,
    SchemaError,
)
#: Nobody is asked about such a call any more. It ends in these words where it would run.
ENDS_OF_QUESTION = (InvalidProposalError, GivenUpError)
#: A call that did not run, or whose run is over, in words for the model: the other calls of its run go on.
ENDS_OF_CALL = (*_UNRUN, GuardrailError)
