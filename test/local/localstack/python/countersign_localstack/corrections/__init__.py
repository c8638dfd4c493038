"""Where LocalStack departs from AWS in what Countersign relies on: one module a subject, which says what AWS does."""

from . import event_sources, function_urls, sender_identity, task_tokens

SUBJECTS = (task_tokens, sender_identity, function_urls, event_sources)


def apply_all() -> None:
    for subject in SUBJECTS:
        subject.apply()
