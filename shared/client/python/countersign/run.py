"""Runs an approved call, with its deadline and its report.

Where the deployment grants it, the call runs under a redeemed permit.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import math
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from .aws import reaching
from .call import RunContext, change_of
from .decision import DecidedBy, Permit
from .errors import CountersignError, GuardrailError, InvalidSettingError, NotApprovedError, StoppedError
from .exchange import Exchange
from .outer import OuterRun, Until, outer_run, within
from .threads import in_thread
from .wire import VERSION, Json, idempotency_key_of, instant_seconds, instant_text, json_text

Output = TypeVar("Output")

#: Between two attempts to redeem a permit of a tool that is busy.
_BUSY_SECONDS = 0.5
#: Between two looks of a call that stands in line behind others.
_LINE_SECONDS = 0.05
#: A longer time until the tool's rate admits a call is told: the model, or the program, may have better to do.
_MAX_RATE_SECONDS = 60.0


@dataclass(frozen=True)
class Approved:
    """A call that may run, with the input that may run and its permit."""

    proposal_id: str
    call: Json
    #: The input as the tool gets it.
    arguments: Json
    permit: Permit
    edited: bool
    decided_by: DecidedBy
    #: Links of its folder that lead elsewhere than when it was proposed: the gate then refuses it.
    moved_links: Mapping[str, str]
    #: Guardrail settings of this call alone.
    limits: Mapping[str, float] | None = None
    #: Seconds since 1970: the end of the time that the caller has for the call.
    ends_at: float = math.inf


@dataclass(frozen=True)
class Grant:
    """A redeemed permit: the seconds that the run may take, and the time of its start."""

    timeout: float
    idempotency_key: str
    started_at: float


def redeem_request(agent: str, approved: Approved) -> Json:
    """The question whether the call may run now: one message of `redeem-request.json`."""
    call = approved.call
    request: Json = {
        "schemaVersion": VERSION,
        "proposalId": approved.proposal_id,
        "callId": call["id"],
        "permitId": approved.permit.permit_id,
        "agent": agent,
    }
    action: Json = {name: call[name] for name in ("toolName", "input", "cwd", "starts") if name in call}
    fs: Json = {"fs": {"symlinks": dict(approved.moved_links)}} if approved.moved_links else {}
    limits: Json = {"limits": dict(approved.limits)} if approved.limits is not None else {}
    return {**request, **action, **fs, **limits}


def outcome_report(approved: Approved, status: str, began: float, ended: float, error: GuardrailError | None) -> Json:
    """One message of `outcome.json`. Times are seconds since 1970."""
    report = {
        "schemaVersion": VERSION,
        "proposalId": approved.proposal_id,
        "callId": approved.call["id"],
        "permitId": approved.permit.permit_id,
        "actionDigest": approved.permit.action_digest,
        "status": status,
        "startedAt": instant_text(began),
        "durationMs": max(0, round((ended - began) * 1000)),
    }
    if error is not None:
        # A tool may put anything into the text of its error, and the record keeps it: the text stays with the agent.
        report["error"] = {"category": error.category, "code": error.code, "message": ""}
    return report


def run_sync(
    client: Exchange,
    approved: Approved,
    tool: Callable[[Json, RunContext], Output],
    stop: threading.Event,
) -> Output:
    """Runs the tool in this thread; within the guardrails in one of its own, which a deadline leaves behind."""
    grant = _redeem_unless(stop, client, approved)
    over = OuterRun(approved.call["toolName"])
    context = _context(approved, grant, lambda: stop.is_set() or over.is_set())
    if grant is None:
        return _begun(tool(approved.arguments, context))
    ended: list[tuple[Output | None, BaseException | None]] = []

    def target() -> None:
        try:
            ended.append((_begun(tool(approved.arguments, context)), None))
        except BaseException as error:
            ended.append((None, error))

    # The tool sees the context variables of the caller, as it does where it runs in the caller's own thread.
    context_of_tool = within(over)
    thread = threading.Thread(target=lambda: context_of_tool.run(target), name="countersign-tool", daemon=True)
    thread.start()
    try:
        thread.join(grant.timeout)
    finally:
        over.set()
    output, failure = ended[0] if ended else (None, _late(client, grant))
    _report(client, approved, grant, failure, is_cancelled=stop.is_set())
    if failure is not None:
        raise failure
    return output  # type: ignore[return-value]  # None only where it is the tool's own.


def _begun(output: Output) -> Output:
    """A coroutine or a generator has done nothing yet, and would be a success. Raises InvalidSettingError."""
    if inspect.isgenerator(output) or inspect.isasyncgen(output):
        raise InvalidSettingError("tool", "returned a generator, which has not begun: return the whole output")
    if not inspect.iscoroutine(output):
        return output
    output.close()
    raise InvalidSettingError("tool", "returned a coroutine, which nothing would await: use run_async")


async def run_async(
    client: Exchange,
    approved: Approved,
    tool: Callable[[Json, RunContext], Awaitable[Output]],
    stop: threading.Event | None,
) -> Output:
    """Runs the tool as a task of this loop, which the deadline and the caller's own cancellation cancel."""
    grant = await in_thread(lambda ended: _redeem_unless(Until(ended, stop), client, approved))
    over = OuterRun(approved.call["toolName"])
    context = _context(approved, grant, Until(over, stop).is_set)
    if grant is None:
        return await _awaited(tool, approved.arguments, context)
    task = within(over).run(lambda: asyncio.ensure_future(_awaited(tool, approved.arguments, context)))
    failure: BaseException | None
    is_cancelled = False
    try:
        await asyncio.wait({task}, timeout=grant.timeout)
        if not task.done():
            failure = _late(client, grant)
        else:
            failure = asyncio.CancelledError() if task.cancelled() else task.exception()
    except asyncio.CancelledError as error:
        failure, is_cancelled = error, True
    over.set()
    task.cancel()
    await in_thread(lambda _: _report(client, approved, grant, failure, is_cancelled))
    if failure is not None:
        raise failure
    return task.result()


async def _awaited(
    tool: Callable[[Json, RunContext], Awaitable[Output]], arguments: Json, context: RunContext
) -> Output:
    """A plain function has run by now: its output is the tool's, and no error that would have the call made again."""
    output: Any = tool(arguments, context)
    if inspect.isawaitable(output):
        return await output  # type: ignore[no-any-return]
    return _begun(output)  # type: ignore[no-any-return]


def _redeem_unless(stop: threading.Event, client: Exchange, approved: Approved) -> Grant | None:
    if stop.is_set():
        raise StoppedError(approved.proposal_id)
    grant = _redeem(client, approved, stop)
    if stop.is_set():
        # The permit is spent, and nobody waits for the tool any more.
        if grant is not None:
            _report(client, approved, grant, GuardrailError("ExecutionError", "Cancelled", "The caller stopped."))
        raise StoppedError(approved.proposal_id)
    return grant


def _redeem(client: Exchange, approved: Approved, stop: threading.Event) -> Grant | None:
    """None where the deployment's guardrails are no part of this client's settings."""
    function = client.settings.redeem_function
    if function is None:
        return None
    request = redeem_request(client.settings.agent, approved)
    answer = _answer(client, function, request)
    # Other calls of the run may begin at the same moment: the call waits where a tool takes fewer at a time, or fewer a
    # second. One of the tool that makes it would wait for itself.
    around = outer_run()
    if (around is None or request["toolName"] not in around.tools) and _is_within(client, approved, answer):
        answer = _redeem_in_turn(client, approved, stop, answer, lambda: _answer(client, function, request))
    timeout_ms, key = answer.get("timeoutMs"), answer.get("idempotencyKey")
    if (
        answer.get("granted") is True
        and isinstance(timeout_ms, (int, float))
        and timeout_ms > 0
        and isinstance(key, str)
    ):
        return Grant(timeout_ms / 1000, key, client.clock())
    error = answer.get("error")
    if answer.get("granted") is not False or not isinstance(error, dict):
        raise CountersignError("redeem_failed", "the gate's answer on the permit cannot be read")
    details = error.get("details")
    refusal = GuardrailError(
        str(error.get("category")),
        str(error.get("code")),
        str(error.get("message")),
        details if isinstance(details, dict) else {},
        is_retryable=error.get("isRetryable") is True,
    )
    refusal._is_of_call = True
    raise refusal


def _redeem_in_turn(
    client: Exchange, approved: Approved, stop: threading.Event, answer: Json, again: Callable[[], Json]
) -> Json:
    """Redeems again while nothing but other calls stands against it, until the permit or the caller's time is over.

    Only the call that waited longest for the tool comes again.
    """

    def pause(seconds: float) -> None:
        client.sleep(seconds, stop)
        if stop.is_set():
            raise StoppedError(approved.proposal_id)

    # A call with tighter limits of its own would keep those behind it waiting for longer.
    own = approved.limits is not None
    name = f"{approved.call['toolName']} {approved.permit.permit_id}" if own else approved.call["toolName"]
    with client.lines.place_in(name) as is_first:
        has_stood = False
        while not is_first():
            has_stood = True
            if client.clock() + _LINE_SECONDS >= _end_of(approved):
                return answer
            pause(_LINE_SECONDS)
        # The call before it has just run or ended, and the tool may be free.
        if has_stood:
            answer = again()
        limited = 0
        while _is_within(client, approved, answer, limited):
            seconds = _pause_after(answer, limited) or 0
            limited += 0 if _is_busy(answer) else 1
            pause(seconds)
            answer = again()
    return answer


def _is_within(client: Exchange, approved: Approved, answer: Json, limited: int = 0) -> bool:
    pause = _pause_after(answer, limited)
    return pause is not None and client.clock() + pause < _end_of(approved)


def _end_of(approved: Approved) -> float:
    return min(instant_seconds(approved.permit.expires_at), approved.ends_at)


def _answer(client: Exchange, function: str, request: Json) -> Json:
    with reaching():
        return client.gate.redeem(function, request)


def _is_busy(answer: Json) -> bool:
    error = answer.get("error")
    return isinstance(error, dict) and error.get("code") == "ConcurrencyLimited"


def _pause_after(answer: Json, limited: int) -> float | None:
    """Seconds until the next attempt; None for a permit that is gone, or a refusal that does not pass by itself."""
    error = answer.get("error")
    if answer.get("granted") is not False or answer.get("permit") != "usable" or not isinstance(error, dict):
        return None
    if _is_busy(answer):
        return _BUSY_SECONDS
    details = error.get("details")
    wait = details.get("retryAfterMs") if isinstance(details, dict) else None
    if error.get("code") != "RateLimited" or not isinstance(wait, (int, float)) or wait > _MAX_RATE_SECONDS * 1000:
        return None
    # Other processes may wait for the same rate, of which few pass each time: the others come more and more rarely.
    return wait / 1000 + _BUSY_SECONDS * limited


def _context(approved: Approved, grant: Grant | None, is_stopped: Callable[[], bool]) -> RunContext:
    own = approved.permit.idempotency_key or idempotency_key_of(approved.permit.permit_id)
    return RunContext(
        proposal_id=approved.proposal_id,
        idempotency_key=grant.idempotency_key if grant else own,
        edited=approved.edited,
        change=change_of(approved.call["input"], approved.edited),
        decided_by=approved.decided_by,
        is_stopped=is_stopped,
    )


def _late(client: Exchange, grant: Grant) -> GuardrailError:
    deadline = round(grant.timeout * 1000)
    elapsed = round((client.clock() - grant.started_at) * 1000)
    # The call's permit is spent: nothing tries the call again by itself.
    details = {"elapsedMs": elapsed, "deadlineMs": deadline}
    text = (
        f"No result within {deadline} ms (timeoutMs, or what was left of it). "
        "It may have taken effect: look before you try again."
    )
    return GuardrailError("PolicyError", "Timeout", text, details)


def _report(
    client: Exchange,
    approved: Approved,
    grant: Grant,
    failure: BaseException | None,
    is_cancelled: bool = False,
) -> None:
    """The gate records an outcome that cannot be reported as unknown."""
    queue_url = client.settings.outcomes_queue_url
    if queue_url is None:
        return
    known = failure if isinstance(failure, GuardrailError) else None
    if failure is None:
        status = "succeeded"
    else:
        # A tool that knows that nothing happened raises a GuardrailError; any other error leaves it open.
        status = "failed" if known and known.code != "Timeout" and not known._is_of_call else "unknown"
        if known is None or (is_cancelled and known.code == "ToolFailed"):
            known = GuardrailError(*_kind_of(failure, is_cancelled), "The tool failed.")
    report = outcome_report(approved, status, grant.started_at, client.clock(), known)
    with contextlib.suppress(Exception):
        client.gate.publish(queue_url, json_text(report), client.settings.agent)


def _kind_of(failure: BaseException, is_cancelled: bool) -> tuple[str, str]:
    """The category and the code of what a tool raised: only a failure of its own teaches its breaker."""
    if is_cancelled:
        return "ExecutionError", "Cancelled"
    # A tool that asks the gate itself, and was refused there, works.
    if isinstance(failure, NotApprovedError):
        return "AuthError", "NotApproved"
    return "ExecutionError", "ToolFailed"
