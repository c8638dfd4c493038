"""Lets a task token be answered once, by the first answer; each try of a task has its own token.

AWS: SendTaskSuccess with a token that was answered, or whose task is over, fails with TaskTimedOut ("The task token has
either expired or the task associated with the token has already been closed": docs.aws.amazon.com/step-functions/latest/
apireference/API_SendTaskSuccess.html), and "a task token is valid for one attempt": a retried task gets another
(docs.aws.amazon.com/step-functions/latest/dg/connect-to-resource.html#connect-wait-token). LocalStack lets a second answer
replace the first while the execution runs, loses one that comes before the wait for heartbeats begins, gives a retried
task the token that was answered, forgets the tokens of executions that ended, and makes tokens short enough for what they
must not fit into (on AWS they have up to 2,048 characters).
"""

import secrets

from localstack.aws.api.stepfunctions import InvalidToken, TaskTimedOut
from localstack.services.stepfunctions.asl.component.state.state_execution.state_task.service import (
    state_task_service_callback as tasks,
)
from localstack.services.stepfunctions.asl.eval import states
from localstack.services.stepfunctions.asl.eval.callback import callback as callbacks
from localstack.services.stepfunctions.provider import StepFunctionsProvider

LENGTH = 600

def apply() -> None:
    pool = callbacks.CallbackPoolManager
    pool.notify = _once(pool.notify)
    pool.heartbeat = _while_open(pool.heartbeat)
    endpoint = callbacks.CallbackEndpoint
    endpoint.setup_heartbeat_endpoint = _keeping_an_early_answer(endpoint.setup_heartbeat_endpoint)
    task = tasks.StateTaskServiceCallback
    task._evaluate_with_timeout = _with_a_token_of_its_own(task._evaluate_with_timeout)
    states.ContextObject.update_task_token = _long_token
    for name in ("send_task_success", "send_task_failure", "send_task_heartbeat"):
        setattr(StepFunctionsProvider, name, _knowing_the_ended(getattr(StepFunctionsProvider, name)))


def _once(original):
    def notify(self, callback_id, outcome):
        endpoint = self._pool.get(callback_id)
        if endpoint is None:
            return False
        with self._closing:
            if endpoint.closed:
                raise TaskTimedOut()
            endpoint.closed = True
        return original(self, callback_id, outcome)

    callbacks.CallbackPoolManager._closing = callbacks.Lock()
    callbacks.CallbackEndpoint.closed = False
    return notify


def _while_open(original):
    def heartbeat(self, callback_id):
        endpoint = self._pool.get(callback_id)
        if endpoint is not None and endpoint.closed:
            raise TaskTimedOut()
        return original(self, callback_id)

    return heartbeat


def _knowing_the_ended(original):
    def send(self, context, task_token, *args, **kwargs):
        try:
            return original(self, context, task_token, *args, **kwargs)
        except InvalidToken:
            executions = list(self.get_store(context).executions.values())
            if any(execution.exec_worker.env.callback_pool_manager.get(task_token) for execution in executions):
                raise TaskTimedOut() from None
            raise

    return send


def _long_token(self):
    token = secrets.token_urlsafe(LENGTH)[:LENGTH]
    self.context_object_data["Task"] = states.TaskData(Token=token)
    return token


def _keeping_an_early_answer(original):
    def setup(self, heartbeat_seconds):
        heartbeat = original(self, heartbeat_seconds)
        if self.get_outcome() is not None:
            heartbeat.notify()
        return heartbeat

    return setup


def _with_a_token_of_its_own(original):
    def evaluate(self, env):
        context = env.states.context_object
        tried = context.context_object_data["State"].get("RetryCount", 0)
        if tried and "Task" in context.context_object_data:
            env.callback_pool_manager.add(context.update_task_token())
        token = context.context_object_data.get("Task", {}).get("Token")
        try:
            return original(self, env)
        finally:
            endpoint = env.callback_pool_manager.get(token)
            if endpoint:
                endpoint.closed = True

    return evaluate
