"""Where LocalStack departs from AWS in what Countersign relies on: one module a subject, which says what AWS does."""

from . import sender_identity, task_tokens

SUBJECTS = (task_tokens, sender_identity)


def apply_all() -> None:
    for subject in SUBJECTS:
        subject.apply()
