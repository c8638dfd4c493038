"""Spares time alone: policies are parsed once, items copied at once, and models read by one session.

Nothing changes but the time that a request takes. MiniStack parses all policies of the caller again for each request;
a policy that was changed is another text. An update copies its item several times, value by value. The model of each
service comes from a session of botocore of its own, which costs more than the model.
"""

import copy
import functools
import marshal
import types

import botocore.session
from ministack.core import iam_evaluator
from ministack.services import dynamodb

_POLICIES = 512


def apply() -> None:
    iam_evaluator.parse_policy_document = _once(iam_evaluator.parse_policy_document)
    dynamodb.copy = types.SimpleNamespace(copy=copy.copy, deepcopy=_copied)
    botocore.session.get_session = functools.cache(botocore.session.get_session)


def _once(original):
    of_text = functools.lru_cache(_POLICIES)(original)

    def parse(doc):
        return list(of_text(doc)) if isinstance(doc, str) else original(doc)

    return parse


def _copied(value):
    try:
        return marshal.loads(marshal.dumps(value))
    except ValueError:  # It holds something besides plain dicts, lists and scalars.
        return copy.deepcopy(value)
