"""Corrects LocalStack where it departs from AWS in behaviour that Countersign relies on.

One module a subject, which says how AWS behaves.
"""

from . import event_sources, function_logs, function_urls, sender_identity, task_tokens

SUBJECTS = (task_tokens, sender_identity, function_urls, function_logs, event_sources)


def apply_all() -> None:
    for subject in SUBJECTS:
        subject.apply()
