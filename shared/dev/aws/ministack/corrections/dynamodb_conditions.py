"""Gives IAM policies the condition keys of DynamoDB requests.

AWS: `dynamodb:LeadingKeys` are the partition key values that a request names (of the index, if it names one),
`dynamodb:Attributes` all top-level attributes that its parameters and expressions name, key attributes included,
`dynamodb:Select` what Query, Scan and the reads return (ALL_ATTRIBUTES by default), `dynamodb:ReturnValues` what a write
returns (docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html). Each table of a batch is
checked for itself, each item of a transaction as the action it does (transaction-apis-iam.html).
MiniStack sets no LeadingKeys (and a missing key satisfies `ForAllValues`), takes attributes from projections only, gives
writes a Select, and checks every item of a transaction with the keys of none.
"""

import contextvars
import json
import re

from ministack.core import iam_actions, iam_evaluator
from ministack.services import dynamodb

_READS = {"GetItem", "BatchGetItem", "Query", "Scan"}
_WRITES = {"PutItem", "UpdateItem", "DeleteItem"}
_EXPRESSIONS = (
    "ProjectionExpression", "KeyConditionExpression", "FilterExpression", "ConditionExpression", "UpdateExpression",
)  # fmt: skip
_NAMED = ("Item", "Key", "Expected", "AttributeUpdates", "KeyConditions", "QueryFilter", "ScanFilter")
_NOT_NAMES = {"AND", "OR", "NOT", "IN", "BETWEEN", "SET", "REMOVE", "ADD", "DELETE"}
# The first segment of a document path: not a placeholder of a value, not after a dot, not a function's name.
_NAME = re.compile(r"(?<![\w.:#])#?[A-Za-z_]\w*(?!\s*\(|\w)")
_TABLE = re.compile(r"^arn:[^:]+:dynamodb:[^:]*:[^:]*:table/([^/]+)(?:/index/(.+))?$")

_body: contextvars.ContextVar[dict] = contextvars.ContextVar("countersign_dynamodb_body", default={})
_items: contextvars.ContextVar[list] = contextvars.ContextVar("countersign_dynamodb_items", default=[])


def apply() -> None:
    iam_actions.dynamodb_service_context = _note_body
    iam_actions.dynamodb_transaction_checks = _noting_items(iam_actions.dynamodb_transaction_checks)
    iam_evaluator.enforce = _with_keys(iam_evaluator.enforce)


def _note_body(body: bytes) -> dict:
    _body.set(_json_object(body))
    return {}


def _noting_items(original):
    def checks(iam_action, body, region, account_id):
        found = original(iam_action, body, region, account_id)
        # In the order of the checks: MiniStack makes one of each member of each item that names a table.
        members = [
            detail
            for item in _json_object(body).get("TransactItems") or []
            for member in iam_actions._DYNAMODB_TRANSACT_ITEM_ACTIONS
            if isinstance(detail := item.get(member), dict) and detail.get("TableName")
        ]
        _items.set(members if found else [])
        return found

    return checks


def _with_keys(original):
    def enforce(access_key_id, iam_action, service, region, resource_arn="*", service_context=None):
        if service == "dynamodb" and _body.get():
            operation = iam_action.removeprefix("dynamodb:")
            request = _items.get().pop(0) if _items.get() else _body.get()
            service_context = {**(service_context or {}), **_condition_keys(operation, request, resource_arn)}
        return original(access_key_id, iam_action, service, region, resource_arn, service_context)

    return enforce


def _condition_keys(operation: str, request: dict, resource_arn: str) -> dict:
    table, index = (_TABLE.match(resource_arn) or re.match("()()", "")).groups()
    parts = _parts(request, table, resource_arn)
    leading = _values_of(parts, _partition_key(table, index))
    attributes = sorted({name for part in parts for name in _attributes(part)})
    keys = {}
    if leading:
        keys["dynamodb:LeadingKeys"] = leading
    if attributes:
        keys["dynamodb:Attributes"] = attributes
    if operation in _READS:
        keys["dynamodb:Select"] = request.get("Select") or (
            "SPECIFIC_ATTRIBUTES" if all("ProjectionExpression" in p or "AttributesToGet" in p for p in parts) else "ALL_ATTRIBUTES"
        )
    if operation in _WRITES:
        keys["dynamodb:ReturnValues"] = request.get("ReturnValues", "NONE")
    return keys


def _parts(request: dict, table: str | None, resource_arn: str) -> list[dict]:
    """A request about one item or query is one part; of a batch, the parts about this table."""
    batch = request.get("RequestItems")
    if not isinstance(batch, dict):
        return [request]
    of_table = batch.get(table) or batch.get(resource_arn) or []
    if isinstance(of_table, dict):
        return [{**of_table, "Key": key} for key in of_table.get("Keys", [])]
    return [detail for write in of_table for detail in write.values() if isinstance(detail, dict)]


def _partition_key(table: str | None, index: str | None) -> str | None:
    record = dynamodb._tables.get(table) or {}
    indexes = [*(record.get("GlobalSecondaryIndexes") or []), *(record.get("LocalSecondaryIndexes") or [])]
    schema = next((i["KeySchema"] for i in indexes if i["IndexName"] == index), []) if index else record.get("KeySchema", [])
    return next((key["AttributeName"] for key in schema if key["KeyType"] == "HASH"), None)


def _values_of(parts: list[dict], key: str | None) -> list[str]:
    values = []
    for part in parts:
        condition = (part.get("KeyConditions") or {}).get(key) or {}
        values += [
            (part.get("Key") or {}).get(key),
            (part.get("Item") or {}).get(key),
            *condition.get("AttributeValueList", []),
            _value_in_condition(part, key),
        ]
    return [str(next(iter(value.values()))) for value in values if isinstance(value, dict) and value]


def _value_in_condition(part: dict, key: str | None):
    names = part.get("ExpressionAttributeNames") or {}
    spellings = [re.escape(name) for name in (key, *(p for p, name in names.items() if name == key)) if name]
    sides = "|".join(spellings)
    found = re.search(rf"(?<![\w#])(?:{sides})\s*=\s*(:\w+)", part.get("KeyConditionExpression") or "") if sides else None
    return (part.get("ExpressionAttributeValues") or {}).get(found.group(1)) if found else None


def _attributes(part: dict) -> set[str]:
    names = part.get("ExpressionAttributeNames") or {}
    found = {name for member in _NAMED for name in part.get(member) or {}}
    found |= set(part.get("AttributesToGet") or [])
    for expression in _EXPRESSIONS:
        for name in _NAME.findall(part.get(expression) or ""):
            if name.upper() not in _NOT_NAMES:
                found.add(names.get(name, name))
    return found


def _json_object(body: bytes) -> dict:
    try:
        data = json.loads(body or b"{}")
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}
