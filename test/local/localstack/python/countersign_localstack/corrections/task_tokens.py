"""A task token is answered once, by the first answer, whenever it comes; each try of a task has a token of its own.

AWS: SendTaskSuccess with a token that was answered, or whose task is over, fails with TaskTimedOut ("The task token has
either expired or the task associated with the token has already been closed": docs.aws.amazon.com/step-functions/latest/
apireference/API_SendTaskSuccess.html), and "a task token is valid for one attempt": a retried task gets another
(docs.aws.amazon.com/step-functions/latest/dg/connect-to-resource.html#connect-wait-token). LocalStack lets a second answer
replace the first while the execution runs, loses one that comes before the wait for heartbeats begins, and gives a retried
task the token that was answered.
"""

from localstack.aws.api.stepfunctions import TaskTimedOut
from localstack.services.stepfunctions.asl.component.state.state_execution.state_task.service import (
    state_task_service_callback as tasks,
)
from localstack.services.stepfunctions.asl.eval.callback import callback as callbacks


def apply() -> None:
    pool = callbacks.CallbackPoolManager
    pool.notify = _once(pool.notify)
    endpoint = callbacks.CallbackEndpoint
    endpoint.setup_heartbeat_endpoint = _keeping_an_early_answer(endpoint.setup_heartbeat_endpoint)
    task = tasks.StateTaskServiceCallback
    task._evaluate_with_timeout = _with_a_token_of_its_own(task._evaluate_with_timeout)


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
