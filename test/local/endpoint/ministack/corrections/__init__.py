"""Where MiniStack departs from AWS in what Countersign relies on: one module a subject, which says what AWS does."""

from . import (
    dynamodb_conditions,
    executions,
    function_errors,
    function_logs,
    permissions,
    secret_references,
    sender_identity,
    sqs_batches,
    succeed_states,
    task_tokens,
    task_waits,
)

SUBJECTS = (
    function_errors,
    function_logs,
    task_tokens,
    task_waits,
    succeed_states,
    executions,
    sender_identity,
    sqs_batches,
    dynamodb_conditions,
    permissions,
    secret_references,
)


def apply_all() -> None:
    for subject in SUBJECTS:
        subject.apply()
