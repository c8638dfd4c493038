"""Where MiniStack departs from AWS in what Countersign relies on: one module a subject, which says what AWS does."""

from . import dynamodb_conditions, executions, function_errors, sender_identity, sqs_batches, task_tokens, task_waits


def apply_all() -> None:
    subjects = (function_errors, task_tokens, task_waits, executions, sender_identity, sqs_batches, dynamodb_conditions)
    for subject in subjects:
        subject.apply()
