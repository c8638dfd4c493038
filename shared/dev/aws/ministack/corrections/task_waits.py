"""Runs a task that waits for its token: time-outs by the input, missed heartbeats, failed functions.

AWS: `TimeoutSeconds` and `HeartbeatSeconds` take a JSONata expression, and `TimeoutSecondsPath` and
`HeartbeatSecondsPath` a path into the state's input; they count from the start of the task
(docs.aws.amazon.com/step-functions/latest/dg/state-task.html). A missed beat is `States.HeartbeatTimeout`, and the error
of the function that was given the token fails the task (docs.aws.amazon.com/step-functions/latest/dg/
concepts-error-handling.html, connect-to-resource.html#connect-wait-token). A stopped execution closes its tokens.
MiniStack ignores the paths, crashes on expressions, counts from the function's return, has no heartbeat, waits on
after a failed function, and keeps a stopped execution's task waiting.
"""

import contextvars
import json
import threading
import time

from ministack.services import stepfunctions
from ministack.services.stepfunctions import _ExecutionError

_FIELDS = ("TimeoutSeconds", "HeartbeatSeconds")
_DEFAULT_TIMEOUT_SECONDS = 99_999_999
_STOP_CHECK_SECONDS = 0.25

_execution: contextvars.ContextVar[dict] = contextvars.ContextVar("countersign_execution", default={})


def apply() -> None:
    stepfunctions._execute_task = _with_resolvable_times(stepfunctions._execute_task)
    stepfunctions._apply_jsonata_arguments = _with_times_of_attempt(stepfunctions._apply_jsonata_arguments)
    stepfunctions._invoke_with_callback = _function_and_callback(stepfunctions._invoke_with_callback)


def _with_resolvable_times(original):
    def execute(state_def, raw_input, execution, ctx):
        _execution.set(execution or {})
        own = dict(state_def)
        if stepfunctions._state_query_language(state_def, ctx) == "JSONata":
            # Worked out by `_with_times_of_attempt`, inside the task's Retry and Catch.
            own["_times"] = {field: own[field] for field in _FIELDS if field in own}
        else:
            for field in _FIELDS:
                if f"{field}Path" in own:
                    own[field] = _positive(field, stepfunctions._resolve_path_or_ctx(own[f"{field}Path"], raw_input, ctx))
        return original(own, raw_input, execution, ctx)

    return execute


def _with_times_of_attempt(original):
    def evaluate(state_def, raw_input, ctx=None):
        for field, value in state_def.get("_times", {}).items():
            state_def[field] = _positive(field, stepfunctions._apply_jsonata_template(value, raw_input, ctx))
        return original(state_def, raw_input, ctx)

    return evaluate


def _positive(field: str, value):
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != int(value) or value <= 0:
        raise _ExecutionError("States.Runtime", f"The value of {field} must be a positive integer, but is {value!r}.")
    return int(value)


def _function_and_callback(original):
    def invoke(resource, input_data, token, state_def):
        if "lambda" not in resource:
            return original(resource, input_data, token, state_def)
        info = {"event": threading.Event(), "result": None, "error": None, "heartbeat": None, "execution": _execution.get()}
        stepfunctions._task_tokens[token] = info
        try:
            _start_function(resource.replace(".waitForTaskToken", ""), input_data, info)
            _wait(info, state_def)
        finally:
            stepfunctions._task_tokens.pop(token, None)
        if info["error"]:
            raise _ExecutionError(info["error"].get("Error", "TaskFailed"), info["error"].get("Cause", ""))
        return json.loads(info["result"])

    return invoke


def _start_function(resource: str, input_data, info: dict) -> None:
    """Beside the wait: an answer may come, and the time may run out, while the function still runs."""

    def run():
        try:
            stepfunctions._invoke_resource(resource, input_data)
        except _ExecutionError as error:
            if not info["event"].is_set():
                info["error"] = {"Error": error.error, "Cause": error.cause}
                info["event"].set()

    threading.Thread(target=contextvars.copy_context().run, args=(run,), daemon=True).start()


def _wait(info: dict, state_def: dict) -> None:
    started = last_beat = time.monotonic()
    beat_seen = None
    timeout = state_def.get("TimeoutSeconds", _DEFAULT_TIMEOUT_SECONDS)
    heartbeat = state_def.get("HeartbeatSeconds", timeout)
    while not info["event"].is_set():
        now = time.monotonic()
        if info["heartbeat"] != beat_seen:
            beat_seen, last_beat = info["heartbeat"], now
        if now - started >= timeout:
            raise _ExecutionError("States.Timeout", f"Task timed out after {timeout} seconds")
        if now - last_beat >= heartbeat:
            raise _ExecutionError("States.HeartbeatTimeout", f"No heartbeat for {heartbeat} seconds")
        if _execution.get().get("status", "RUNNING") != "RUNNING":
            raise SystemExit  # ends this execution's thread; its status is already written
        info["event"].wait(min(_STOP_CHECK_SECONDS, started + timeout - now, last_beat + heartbeat - now))
