"""Handles partial batches, and loses no message of a queue between threads.

AWS: with ReportBatchItemFailures "Lambda treats a batch as a complete failure" for an answer that is not JSON, or an
`itemIdentifier` that is empty, null or under another name (docs.aws.amazon.com/lambda/latest/dg/
services-sqs-errorhandling.html); an id that the batch does not hold counts the same. MiniStack ignores such entries and
deletes their messages.
SQS keeps what it accepted; MiniStack's API and its event source poller change one list from two threads, so that a
message sent just while a batch is deleted can vanish: here they take turns.
"""

import contextvars
import threading

from ministack.services import lambda_svc, sqs

_batch: contextvars.ContextVar[set | None] = contextvars.ContextVar("countersign_partial_batch", default=None)


def apply() -> None:
    lambda_svc._run_sqs_batch = _noting_the_batch(lambda_svc._run_sqs_batch)
    lambda_svc._execute_function = _judging_the_answer(lambda_svc._execute_function)
    _take_turns()


def _noting_the_batch(original):
    def run(esm, func_rec, event, batch, queue_url, queue_name):
        partial = "ReportBatchItemFailures" in esm.get("FunctionResponseTypes", [])
        _batch.set({message["id"] for message in batch} if partial else None)
        return original(esm, func_rec, event, batch, queue_url, queue_name)

    return run


def _judging_the_answer(original):
    def execute(func, event):
        ids = _batch.get()
        _batch.set(None)
        result = original(func, event)
        if ids is None or result.get("error") or _is_valid(result.get("body"), ids):
            return result
        return {**result, "error": True, "body": {"errorType": "InvalidBatchResponse", "errorMessage": "not ids of the batch"}}

    return execute


def _is_valid(answer, ids: set) -> bool:
    if answer is None or answer == "":
        return True
    failures = answer.get("batchItemFailures") if isinstance(answer, dict) else ()
    if failures is None:
        return True
    return isinstance(failures, list) and all(isinstance(f, dict) and f.get("itemIdentifier") in ids for f in failures)


def _take_turns() -> None:
    sqs._queues_lock = threading.RLock()
    for name in ("_act_send_message", "_collect_msgs", "_dlq_sweep", "_expire_retained"):
        setattr(sqs, name, _locked(getattr(sqs, name)))
    for action, handler in sqs._HANDLERS.items():
        # Receiving waits between its looks at the queue, each of which is locked above.
        if action != "ReceiveMessage":
            sqs._HANDLERS[action] = _locked(handler)


def _locked(function):
    def run(*args, **kwargs):
        with sqs._queues_lock:
            return function(*args, **kwargs)

    return run
