"""Logs which statement of which policy allowed each request of a role.

A line is one JSON object: the time, the role's policy and the place of the statement in it, the action, and the patterns of the
statement's resources and row keys that the request needed. Requests that no statement allows have no `statement`, and name their
resource and keys. A statement is known by its text, since tests put policies back in other orders.
"""

import contextvars
import json
import time

from corrections import service_rights
from ministack.core import iam_evaluator
from ministack.services import iam

_ROWS = "dynamodb:LeadingKeys"
_LIKE = "ForAllValues:StringLike"

# The policies of the caller: a resource's policy is evaluated by the same function.
_own: contextvars.ContextVar[object] = contextvars.ContextVar("countersign_policies_of_caller", default=None)


def apply(path: str) -> None:
    log = open(path, "a", buffering=1, encoding="utf-8")  # noqa: SIM115 the endpoint's whole life
    iam_evaluator.resolve_principal = _remembering(iam_evaluator.resolve_principal)
    service_rights.policies_of = _remembering_all(service_rights.policies_of)
    iam_evaluator.evaluate = _logged(iam_evaluator.evaluate, log)


def _remembering(original):
    def resolve(*args, **kwargs):
        found = original(*args, **kwargs)
        _own.set(getattr(found, "policies", None))
        return found

    return resolve


def _remembering_all(original):
    def policies_of(*args):
        found = original(*args)
        _own.set(found)
        return found

    return policies_of


def _logged(original, log):
    places = {}
    recent = set()
    second = [0]

    def note(entry):
        now = int(time.time())
        if now != second[0]:
            recent.clear()
            second[0] = now
        line = json.dumps({"at": now, **entry}, sort_keys=True)
        if line not in recent:
            recent.add(line)
            log.write(line + "\n")

    def evaluate(ctx, policies, *limits):
        result = original(ctx, policies, *limits)
        if policies is not _own.get() or ":assumed-role/" not in ctx.principal_arn:
            return result
        role = iam_evaluator._role_name_from_assumed_arn(ctx.principal_arn)
        entry = {"role": role, "session": ctx.principal_arn.rsplit("/", 1)[-1], "action": ctx.action, "decision": result.decision}
        rows = ctx.service_context.get(_ROWS.lower()) or []
        if result.decision != "Allow":
            note({**entry, "resource": ctx.resource_arn, "rows": rows})
            return result
        for name, statements in zip(_names(role, ctx.principal_account), policies, strict=False):
            for place, statement in enumerate(statements):
                if not _allows(ctx, statement):
                    continue
                # The first policy of that name that is seen is the deployed one.
                known = places.setdefault(name, [_text(one) for one in statements])
                text = _text(statement)
                note({
                    **entry,
                    "policy": name,
                    "statement": _place(known, text, place),
                    "resources": [i for i, one in enumerate(statement.resources) if iam_evaluator.fnmatch_iam_cs(ctx.resource_arn, one)],
                    "rows": _matched(rows, (statement.conditions.get(_LIKE) or {}).get(_ROWS)),
                    "attributes": sorted(ctx.service_context.get("dynamodb:attributes") or []),
                })
        return result

    return evaluate


def _allows(ctx, statement) -> bool:
    return iam_evaluator._first_match(ctx, [statement], "Allow") is not None


def _text(statement) -> str:
    return json.dumps([statement.resources, statement.conditions], sort_keys=True)


def _place(known: list, text: str, place: int) -> int:
    if known[place : place + 1] == [text]:
        return place
    return known.index(text) if text in known else -1


def _matched(values: list, patterns) -> list:
    patterns = [patterns] if isinstance(patterns, str) else patterns or []
    return [i for i, one in enumerate(patterns) if any(iam_evaluator.fnmatch_iam_cs(value, one) for value in values)]


def _names(role: str, account: str) -> list:
    """Of the policies as `_gather_role_policies` gives them, which leaves out those without a statement."""
    found = iam._roles.get_scoped(account, None, role) or {}
    inline = [name for name, doc in (found.get("InlinePolicies") or {}).items() if iam_evaluator.parse_policy_document(doc)]
    return [*inline, *(arn.rsplit("/", 1)[-1] for arn in found.get("AttachedPolicies", []))]
