"""Gives services that act in the name of a role the rights of that role alone.

AWS: to read a queue for a function, Lambda needs `sqs:ReceiveMessage`, `sqs:DeleteMessage` and `sqs:GetQueueAttributes` of
the function's role (docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html), and of a table's stream
`dynamodb:DescribeStream`, `dynamodb:GetShardIterator` and `dynamodb:GetRecords` (docs.aws.amazon.com/lambda/latest/dg/
services-dynamodb-eventsourcemapping.html). Step Functions calls a function with the right of the machine's role
(docs.aws.amazon.com/step-functions/latest/dg/connect-lambda.html), else the task fails with `Lambda.AWSLambdaException`.
What a function wrote gets into its log with `logs:CreateLogStream` and `logs:PutLogEvents` of its role; without them it runs,
and leaves no log (docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-view.html). MiniStack asks for none of them. A queue from which the role may not delete is not read here; AWS would deliver its messages
again and again.
"""

import contextvars
import time

from ministack.core import iam_evaluator
from ministack.services import dynamodb, lambda_svc, sqs, stepfunctions
from ministack.services.stepfunctions import _ExecutionError

from . import task_waits

_OF_QUEUES = ("sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes")
_OF_LOGS = ("logs:CreateLogStream", "logs:PutLogEvents")
_OF_STREAMS = ("dynamodb:DescribeStream", "dynamodb:GetShardIterator", "dynamodb:GetRecords")

# The event source mapping that is polled.
_mapping: contextvars.ContextVar[dict] = contextvars.ContextVar("countersign_mapping", default={})

# The log of rights replaces it.
policies_of = iam_evaluator._gather_role_policies


def apply() -> None:
    lambda_svc._iter_all_esms = _noting_each(lambda_svc._iter_all_esms)
    sqs._receive_messages_for_esm = _if_readable(sqs._receive_messages_for_esm)
    dynamodb.stream_records_since = _records_if_readable(dynamodb.stream_records_since)
    stepfunctions._call_lambda = _if_callable(stepfunctions._call_lambda)
    lambda_svc._emit_lambda_logs = _if_loggable(lambda_svc._emit_lambda_logs)


def _noting_each(original):
    def mappings():
        for account, region, mapping in original():
            _mapping.set(mapping)
            yield account, region, mapping
        _mapping.set({})

    return mappings


def _if_readable(original):
    def receive(queue_url, max_number):
        # A queue without a message for now is looked at many times a second.
        messages = (sqs._queues.get(queue_url) or {}).get("messages", [])
        is_due = any(message["visible_at"] <= time.time() for message in list(messages))
        return original(queue_url, max_number) if is_due and _may_read(_OF_QUEUES) else []

    return receive


def _records_if_readable(original):
    def records(*args, **kwargs):
        found = original(*args, **kwargs)
        return found if not found or not _mapping.get() or _may_read(_OF_STREAMS) else []

    return records


def _may_read(actions) -> bool:
    mapping = _mapping.get()
    _, config = lambda_svc._get_func_record_for_qualifier(mapping["FunctionName"], mapping.get("Qualifier"))
    return _refused(config["Role"], config["FunctionName"], actions, mapping["EventSourceArn"]) is None


def _if_callable(original):
    def call(func_ref, event):
        execution = task_waits._execution.get()
        machine = stepfunctions._state_machines.get(execution.get("stateMachineArn"))
        _, config, _ = lambda_svc._get_func_record_for_ref(func_ref)
        if machine and config:
            refused = _refused(machine["roleArn"], execution["name"], ("lambda:InvokeFunction",), config["FunctionArn"])
            if refused:
                raise _ExecutionError("Lambda.AWSLambdaException", refused)
        return original(func_ref, event)

    return call


def _if_loggable(original):
    def emit(func, *args, **kwargs):
        config = func.get("config") or func
        region, account = config["FunctionArn"].split(":")[3:5]
        group = (config.get("LoggingConfig") or {}).get("LogGroup") or f"/aws/lambda/{config['FunctionName']}"
        stream = f"arn:aws:logs:{region}:{account}:log-group:{group}:log-stream:{config['Version']}"
        if _refused(config["Role"], config["FunctionName"], _OF_LOGS, stream) is None:
            original(func, *args, **kwargs)

    return emit


def _refused(role_arn: str, session: str, actions, resource: str) -> str | None:
    """AWS's words about the first action that the role may not do."""
    from ministack.app import AUTH

    if not AUTH:
        return None
    account, name = role_arn.split(":")[4], role_arn.rsplit("/", 1)[-1]
    caller = f"arn:aws:sts::{account}:assumed-role/{name}/{session}"
    policies = policies_of(name, account)
    for action in actions:
        ctx = iam_evaluator.EvalContext(
            principal_arn=caller,
            principal_type="AssumedRole",
            principal_account=account,
            action=action,
            resource_arn=resource,
            region=resource.split(":")[3],
        )
        if iam_evaluator.evaluate(ctx, policies).decision != "Allow":
            return f"User: {caller} is not authorized to perform: {action} on resource: {resource}"
    return None
