"""Guards the calls of one run.

Tells whether people are asked, and runs a tool only under the permit of its approval.
"""

from __future__ import annotations

import inspect
import math
import os
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TypeVar, cast

from .aws import reaching
from .call import Call, RunContext, checked_call
from .checks import OnAbort, checked_function, checked_on_abort, checked_seconds, checked_stop, shown
from .decision import Decision
from .errors import (
    DigestMismatchError,
    InvalidSettingError,
    NotApprovedError,
    PermitExpiredError,
    PlaceChangedError,
)
from .exchange import Exchange, withdrawing
from .outer import Until, until_outer
from .run import Approved, run_async, run_sync
from .threads import in_thread
from .wire import (
    IDENTIFIER,
    LIMITS,
    MAY_BE_ZERO,
    Json,
    action_digest,
    instant_seconds,
    is_well_formed,
    sha256_hex,
)

Output = TypeVar("Output")
ReadEdit = Callable[[Json], Json]


class Guard:
    """The calls of one run or conversation. A framework's own approval only means "look again": the permit decides.

    A call is proposed under `<run>:<call id>`: proposed again, after a suspension or a crash, it is the same proposal,
    and people see one card. Every method raises InvalidProposalError, and then nothing was sent; NoDecisionError;
    StoppedError; DigestMismatchError; CountersignError with the code `gate_unreachable`, and boto3's own error as its
    cause. A call within the tool of another one ends with it.
    """

    def __init__(
        self,
        exchange: Exchange,
        run: str,
        on_abort: OnAbort,
        timeout: float | None = None,
        stop: threading.Event | None = None,
    ) -> None:
        _check_id(run, "run", "it is the id of the run or conversation")
        self._exchange = exchange
        self._run = run
        self._on_abort = checked_on_abort(on_abort)
        #: Of each call that states none of its own.
        self._timeout = checked_seconds(timeout, "timeout")
        #: Ends every call, whatever the call's own event.
        self._stop = checked_stop(stop)
        #: Where the folders of calls led when they were proposed.
        self._folders: dict[str, str | None] = {}

    def proposal_id(self, call: Call) -> str:
        """`<run>:<call id>`: each by its digest if it is longer than 63 characters or has others than an id may."""
        checked_call(call)
        _check_id(call.call_id, "call_id", f"give the framework's id of this {call.tool_name} call")
        return f"{_named(self._run)}:{_named(call.call_id)}"

    def asks(self, call: Call, *, timeout: float | None = None, stop: threading.Event | None = None) -> bool:
        """Proposes the call, and tells once it is judged whether people are asked, or were: it stays the same."""
        self._check(call, timeout, stop)
        proposal_id = self.proposal_id(call)
        if call.cwd is not None:
            self._folders[proposal_id] = _real_path(call.cwd)
        self._propose(call, proposal_id)
        with withdrawing(self._exchange, proposal_id, self._on_abort):
            until = until_outer(self._until(stop))
            return self._exchange.wait_for_row(proposal_id, "evaluated", self._seconds(timeout), until).verdict == "ask"

    def run(
        self,
        call: Call,
        tool: Callable[[Json, RunContext], Output],
        *,
        timeout: float | None = None,
        stop: threading.Event | None = None,
        read_edit: ReadEdit | None = None,
    ) -> Output:
        """Waits for the approval, and runs the tool with exactly the approved input.

        The tool gets the parsed form of the bytes that people were shown, or of what took their place. `timeout` in
        seconds bounds the wait for the decision and for a busy tool; a proposal without a decision is withdrawn then,
        and once `stop` is set. `read_edit` reads arguments that took the place of the proposed ones, as by the tool's
        schema: the tool gets what it returns, and an error that it raises ends the call before its permit is
        redeemed. Raises besides NotApprovedError, with the text for the model; PermitExpiredError; PlaceChangedError;
        GuardrailError for a run that the guardrails refused or ended; whatever the tool raises.
        """
        _check_tool(tool, read_edit)
        # An object may have a coroutine function as its call.
        if inspect.iscoroutinefunction(tool) or inspect.iscoroutinefunction(getattr(tool, "__call__", None)):  # noqa: B004
            raise InvalidSettingError("tool", "is a coroutine function, which nothing would await: use run_async")
        checked_stop(stop)
        until = until_outer(self._until(stop))
        approved = self._approved(call, timeout, until, read_edit)
        return run_sync(self._exchange, approved, tool, until)

    async def asks_async(self, call: Call, *, timeout: float | None = None) -> bool:
        """As `asks`. Cancelling the task withdraws the proposal."""
        return await in_thread(lambda stop: self.asks(call, timeout=timeout, stop=stop))

    async def run_async(
        self,
        call: Call,
        tool: Callable[[Json, RunContext], Awaitable[Output]],
        *,
        timeout: float | None = None,
        read_edit: ReadEdit | None = None,
    ) -> Output:
        """As `run`. Cancelling the task withdraws the proposal, and cancels the tool if it runs already."""
        _check_tool(tool, read_edit)
        approved = await in_thread(lambda stop: self._approved(call, timeout, stop, read_edit))
        return await run_async(self._exchange, approved, tool, self._stop)

    def _approved(
        self, call: Call, timeout: float | None, stop: threading.Event | None, read_edit: ReadEdit | None
    ) -> Approved:
        self._check(call, timeout, stop)
        proposal_id = self.proposal_id(call)
        seconds = self._seconds(timeout)
        ends_at = math.inf if seconds is None else self._exchange.clock() + seconds
        before = self._folders.pop(proposal_id, None) or _real_path(call.cwd)
        message = self._propose(call, proposal_id)
        with withdrawing(self._exchange, proposal_id, self._on_abort):
            decision = self._exchange.wait(proposal_id, timeout=seconds, stop=self._until(stop))
        (sent,) = message["calls"]
        approved = self._matching(decision, proposal_id, sent, message.get("starts"))
        moved = {}
        if call.cwd is not None and (now := _real_path(call.cwd)) != before:
            # A folder that is gone leads nowhere, like a link to itself.
            moved = {call.cwd: now or call.cwd}
        if moved and self._exchange.settings.redeem_function is None:
            raise PlaceChangedError(proposal_id)
        arguments = approved["call"]["input"]
        if read_edit is not None and approved["edited"]:
            arguments = read_edit(arguments)
        return Approved(**approved, arguments=arguments, moved_links=moved, limits=call.limits, ends_at=ends_at)

    def _seconds(self, timeout: float | None) -> float | None:
        return self._timeout if timeout is None else timeout

    def _until(self, stop: threading.Event | None) -> threading.Event | None:
        both = [event for event in (stop, self._stop) if event is not None]
        return Until(*both) if len(both) > 1 else both[0] if both else None

    def _check(self, call: Call, timeout: float | None, stop: object) -> None:
        """Before people are asked: a call that fails later would leave its question behind."""
        checked_call(call)
        checked_seconds(timeout, "timeout")
        checked_stop(stop)
        self._check_limits(call.limits)

    def _check_limits(self, limits: object) -> None:
        """Before people are asked: the limits are sent once the call is approved."""
        if limits is None:
            return
        if self._exchange.settings.redeem_function is None:
            raise InvalidSettingError(
                "limits", "has no effect without redeem_function and outcomes_queue_url: set both"
            )
        if not isinstance(limits, Mapping):
            raise InvalidSettingError(
                "limits", f"{shown(limits)} is not an object: it names settings with their numbers"
            )
        for name, value in limits.items():
            _check_limit(name, value)

    def _propose(self, call: Call, proposal_id: str) -> Json:
        with reaching():
            return self._exchange.propose_once(_within(call), proposal_id)

    def _matching(self, decision: Decision, proposal_id: str, sent: Json, starts: Json | None) -> Json:
        """The approved call with the input that may run, compared by digest with the permit."""
        if decision.outcome != "approved":
            raise NotApprovedError(decision, proposal_id)
        proposed = action_digest(sent["toolName"], sent["input"], sent.get("cwd"), starts)
        verdict = next((one for one in decision.calls if one.id == sent["id"]), None)
        if verdict is None or (verdict.proposed_digest or verdict.action_digest) != proposed:
            raise DigestMismatchError(proposal_id)
        if verdict.outcome != "approved":
            raise NotApprovedError(verdict, proposal_id)
        edited = verdict.effective_input is not None
        action_input: Json = verdict.effective_input if verdict.effective_input is not None else sent["input"]
        digest = action_digest(sent["toolName"], action_input, sent.get("cwd"), starts)
        permit = verdict.permit
        if permit is None or not permit.action_digest == verdict.action_digest == digest:
            raise DigestMismatchError(proposal_id)
        if self._exchange.clock() >= instant_seconds(permit.expires_at):
            raise PermitExpiredError(proposal_id)
        return {
            "proposal_id": proposal_id,
            "call": {**sent, "input": action_input, **({"starts": starts} if starts else {})},
            "permit": permit,
            "edited": edited,
            "decided_by": verdict.decided_by,
        }


def _check_limit(name: object, value: object) -> None:
    if name not in LIMITS:
        raise InvalidSettingError(f"limits.{name}", f"is no limit of a call: there are {', '.join(LIMITS)}")
    least, most, is_whole = LIMITS[str(name)]
    number = cast(float, value)
    problem = None
    if type(value) not in (int, float) or not -math.inf < number < math.inf:
        problem = "must be a number"
    elif is_whole and number != int(number):
        problem = "must be a whole number"
    elif number <= 0 and name not in MAY_BE_ZERO:
        problem = "must be above 0"
    elif number < least:
        problem = f"must be at least {least}"
    elif number > most:
        problem = f"must be at most {most}"
    if problem:
        raise InvalidSettingError(f"limits.{name}", problem)


def _check_tool(tool: object, read_edit: object) -> None:
    checked_function(tool, "tool", ("input", "context"))
    if inspect.isgeneratorfunction(tool) or inspect.isasyncgenfunction(tool):
        raise InvalidSettingError("tool", "is a generator, which would begin after its run: return the whole output")
    if read_edit is not None:
        checked_function(read_edit, "read_edit", ("input",))


#: Longer ids are named by their digest.
_MAX_ID = 63


def _check_id(part: object, setting: str, source: str) -> None:
    if part is not None and not isinstance(part, str):
        raise InvalidSettingError(setting, f"{shown(part)} is no text: {source}")
    if part is None or not part.strip():
        raise InvalidSettingError(setting, f"is empty: {source}")
    if not is_well_formed(part):
        raise InvalidSettingError(setting, "holds half of a surrogate pair")


def _named(part: str) -> str:
    return part if len(part) <= _MAX_ID and IDENTIFIER.fullmatch(part) else sha256_hex(part)[:_MAX_ID]


def _within(call: Call) -> Call:
    """The only call of its proposal, which carries the call's id already."""
    return replace(call, call_id="call")


def _real_path(folder: str | None) -> str | None:
    """Where the folder's links lead; None if there is none on this machine, which may be another one's."""
    if folder is None:
        return None
    try:
        return os.path.realpath(folder, strict=True)
    except (OSError, ValueError, TypeError):
        # One that is no text is refused by its name once it is proposed.
        return None
