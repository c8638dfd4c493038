"""Proposes calls and questions for an agent, waits for the decision, and guards what runs."""

from __future__ import annotations

import threading
from typing import Any

from .call import Call, checked_call
from .checks import OnAbort, checked_on_abort, checked_seconds, checked_stop
from .errors import InvalidSettingError, NotApprovedError
from .exchange import Exchange, withdrawing
from .guard import Guard
from .settings import settings_from


class CountersignClient(Exchange):
    """The client of a deployed gate, safe for several threads.

    client = CountersignClient.from_environment()
    guard = client.guard("conversation-7")
    guard.run(Call("Refund", {"orderId": "o-1", "amount": 25}, call_id="c-1"), lambda input, context: refund(**input))
    """

    @classmethod
    def from_environment(cls, *, session_id: str = "main") -> CountersignClient:
        """A client with the settings of the variables COUNTERSIGN_…. Raises InvalidSettingError."""
        return cls(settings_from(), session_id=session_id)

    def propose(self, call: Call, proposal_id: str | None = None) -> str:
        """Sends one call, and returns its proposal's id once the queue has it.

        The same id with the same content is the same proposal, so that a retry asks nobody twice. Raises
        InvalidProposalError, and then nothing was sent; errors of boto3 if the queue cannot be reached.
        """
        checked_call(call)
        if call.limits is not None:
            raise InvalidSettingError("limits", "has no effect on propose: run the call by a guard")
        message = self.send({**call.to_message(), "proposalId": self._id_or_new(proposal_id)})
        return str(message["proposalId"])

    def ask(
        self,
        question: str,
        *,
        choices: list[str] | None = None,
        proposal_id: str | None = None,
        title: str | None = None,
        expires_at: str | None = None,
        timeout: float | None = None,
        stop: threading.Event | None = None,
        on_abort: OnAbort = "cancel",
    ) -> Any:
        """Asks people, and returns their answer as data: one of `choices`, or free text.

        Raises NotApprovedError if nobody answered or somebody declined; whatever `wait` raises, and the question is
        withdrawn then unless `on_abort` is `leave`.
        """
        checked_seconds(timeout, "timeout")
        checked_stop(stop)
        checked_on_abort(on_abort)
        fields = {"choices": choices, "title": title, "expiresAt": expires_at}
        stated = {"question": question, **{name: value for name, value in fields.items() if value is not None}}
        sent = self.send({"kind": "input-request", "proposalId": self._id_or_new(proposal_id), **stated})
        asked = str(sent["proposalId"])
        with withdrawing(self, asked, on_abort):
            decision = self.wait(asked, timeout=timeout, stop=stop)
        if decision.outcome != "answered":
            raise NotApprovedError(decision, asked)
        return decision.answer

    def guard(
        self,
        run: str,
        *,
        on_abort: OnAbort = "cancel",
        timeout: float | None = None,
        stop: threading.Event | None = None,
    ) -> Guard:
        """Guards the calls of one run or conversation, each proposed under `<run>:<call id>`.

        `timeout` in seconds bounds the wait of each call that states none, and `stop` ends the waits of all of them:
        a framework that runs tools in threads of its own hands on no Ctrl-C. `on_abort` is the fate of a proposal whose
        wait ends without a decision: `cancel` withdraws it and closes its card, `leave` keeps it open for a process
        that comes back under the same run.
        """
        return Guard(self, run, on_abort, timeout, stop)

    def _id_or_new(self, proposal_id: str | None) -> str:
        # An empty one is a mistake: sent again under another new id, the call would be asked about twice.
        return self._new_id() if proposal_id is None else proposal_id
