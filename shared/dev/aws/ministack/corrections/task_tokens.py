"""Issues each task token once, and closes it by the first answer.

AWS: SendTaskSuccess, SendTaskFailure and SendTaskHeartbeat answer `TaskTimedOut` when "the task token has either expired
or the task associated with the token has already been closed" (docs.aws.amazon.com/step-functions/latest/apireference/
API_SendTaskSuccess.html). A token is up to 2,048 characters, and every attempt of a task has its own. MiniStack accepts
answers until the execution wakes, and the last one wins; it issues a UUID, and the same one to a retried task.
"""

import base64
import os
import threading

from ministack.core.responses import error_response_json
from ministack.services import stepfunctions

_lock = threading.Lock()
# The state machine of every token there ever was.
_issued: dict[str, str] = {}


def apply() -> None:
    for name in ("_send_task_success", "_send_task_failure", "_send_task_heartbeat"):
        setattr(stepfunctions, name, _while_open(getattr(stepfunctions, name)))
    # Both work out a task's arguments, which carry the token, once for each attempt.
    for name in ("_apply_jsonata_arguments", "_apply_parameters"):
        setattr(stepfunctions, name, _with_fresh_token(getattr(stepfunctions, name)))


def machine_of(token: str | None) -> str | None:
    return _issued.get(token)


def _while_open(original):
    def answer(data):
        with _lock:
            return _timed_out() if _is_closed(data.get("taskToken")) else original(data)

    return answer


def _is_closed(token: str | None) -> bool:
    info = stepfunctions._task_tokens.get(token)
    if not info:
        return token in _issued
    # The thread of a stopped execution looks only now and then whether it still runs.
    return info["event"].is_set() or info.get("execution", {}).get("status", "RUNNING") != "RUNNING"


def _timed_out():
    return error_response_json("TaskTimedOut", "Task Timed Out: 'Provided task does not exist anymore'", 400)


def _with_fresh_token(original):
    def evaluate(state_def, data, ctx=None):
        if ctx and "Task" in ctx:
            token = base64.b64encode(os.urandom(700)).decode()
            _issued[token] = ctx.get("StateMachine", {}).get("Id", "")
            ctx["Task"] = {"Token": token}
        return original(state_def, data, ctx)

    return evaluate
