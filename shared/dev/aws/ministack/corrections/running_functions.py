"""Lets a function that is changed or deleted finish what it has begun.

AWS: new invocations run with the new configuration or code; an environment that runs an invocation is not ended before
it has answered (docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html).
MiniStack kills it, so that the message it was working on stays hidden, and its group with it, until a visibility
time-out of minutes.
"""

import contextvars

from ministack.core import lambda_runtime
from ministack.services import lambda_svc

_changes: contextvars.ContextVar[bool] = contextvars.ContextVar("countersign_function_changes", default=False)


def apply() -> None:
    lambda_runtime.kill_workers = _kill(lambda_runtime.kill_workers)
    lambda_svc.invalidate_worker = _invalidate(lambda_svc.invalidate_worker)
    lambda_svc.release_worker = _release(lambda_svc.release_worker)


def _invalidate(original):
    def invalidate(*args, **kwargs):
        token = _changes.set(True)
        try:
            original(*args, **kwargs)
        finally:
            _changes.reset(token)

    return invalidate


def _kill(original):
    def kill(workers):
        if _changes.get():
            with lambda_runtime._lock:
                working = [worker for worker in workers if worker and worker.in_use]
                for worker in working:
                    worker.ends_when_released = True
            workers = [worker for worker in workers if worker not in working]
        original(workers)

    return kill


def _release(original):
    def release(worker):
        original(worker)
        if worker is not None and getattr(worker, "ends_when_released", False):
            lambda_runtime.kill_workers([worker])

    return release
