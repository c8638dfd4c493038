"""Keeps every process that LocalStack starts in the launcher's group, so that all end together.

DynamoDB Local is one of them.
"""

import subprocess
import types


def keep_together() -> None:
    from localstack.utils import run

    # LocalStack's module alone sees the other Popen.
    replaced = types.ModuleType("subprocess")
    replaced.__dict__.update(vars(subprocess))
    replaced.Popen = _InOurGroup
    run.subprocess = replaced


class _InOurGroup(subprocess.Popen):
    def __init__(self, *args, start_new_session=False, **options):
        super().__init__(*args, **options)
