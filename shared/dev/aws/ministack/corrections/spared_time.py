"""Parses the text of a policy once, and not for each request.

Nothing changes but the time that a request takes: MiniStack parses all policies of the caller again for each one. A
policy that was changed is another text.
"""

import functools

from ministack.core import iam_evaluator

_POLICIES = 512


def apply() -> None:
    iam_evaluator.parse_policy_document = _once(iam_evaluator.parse_policy_document)


def _once(original):
    of_text = functools.lru_cache(_POLICIES)(original)

    def parse(doc):
        return list(of_text(doc)) if isinstance(doc, str) else original(doc)

    return parse
