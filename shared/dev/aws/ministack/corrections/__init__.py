"""Corrects MiniStack where it departs from AWS in behaviour that Countersign relies on.

One module a subject, which says how AWS behaves; `spared_time` spares time alone.
"""

from . import (
    dynamodb_conditions,
    executions,
    fair_queues,
    function_errors,
    function_logs,
    missing_objects,
    permissions,
    running_functions,
    secret_references,
    sender_identity,
    service_rights,
    spared_time,
    sqs_batches,
    succeed_states,
    task_tokens,
    task_waits,
)

SUBJECTS = (
    function_errors,
    function_logs,
    running_functions,
    task_tokens,
    task_waits,
    succeed_states,
    executions,
    sender_identity,
    # Before its queues take turns: what it wraps is called under their lock.
    fair_queues,
    sqs_batches,
    dynamodb_conditions,
    permissions,
    spared_time,
    missing_objects,
    service_rights,
    secret_references,
)


def apply_all() -> None:
    for subject in SUBJECTS:
        subject.apply()
