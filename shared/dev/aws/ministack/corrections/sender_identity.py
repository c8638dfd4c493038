"""Names the sender of a message in SQS's SenderId.

AWS: "SenderId: for a user, returns the user ID, for example ABCDEFGHI1JKLMNOPQ23R; for an IAM role, returns the IAM role
ID" with the session's name behind a colon (docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/
API_ReceiveMessage.html), the same unique ids as `aws:userid`; a function's session is named after the function
(docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_variables.html#principaltable). Event source records carry
the same value. MiniStack writes the account everywhere, and gives functions the role's name in place of its id.
"""

import contextvars

from ministack.core import lambda_runtime
from ministack.core.iam_evaluator import resolve_caller_identity
from ministack.core.router import extract_access_key_id
from ministack.services import lambda_svc, sqs, sts

_caller: contextvars.ContextVar[str] = contextvars.ContextVar("countersign_sqs_caller", default="")


def apply() -> None:
    sqs.handle_request = _noting_the_caller(sqs.handle_request)
    sqs._build_send_sys_attrs = _naming_the_sender(sqs._build_send_sys_attrs)
    lambda_svc._run_sqs_batch = _telling_the_function(lambda_svc._run_sqs_batch)
    credentials = _with_role_id(lambda_runtime.execution_credentials)
    lambda_runtime.execution_credentials = lambda_svc.execution_credentials = credentials


def _noting_the_caller(original):
    async def handle(method, path, headers, body, query_params):
        # The signature was verified before this, so the key is the caller's.
        identity = resolve_caller_identity(extract_access_key_id(headers, query_params)) or {}
        _caller.set(identity.get("userId", ""))
        return await original(method, path, headers, body, query_params)

    return handle


def _naming_the_sender(original):
    def build(now, sys_attrs_input):
        attributes = original(now, sys_attrs_input)
        # Without a caller another service sends (SNS, EventBridge): that stays as it was.
        return {**attributes, "SenderId": _caller.get()} if _caller.get() else attributes

    return build


def _telling_the_function(original):
    def run(esm, func_rec, event, batch, queue_url, queue_name):
        senders = {message["id"]: message.get("sys", {}).get("SenderId") for message in batch}
        for record in event["Records"]:
            record["attributes"]["SenderId"] = senders.get(record["messageId"]) or record["attributes"]["SenderId"]
        return original(esm, func_rec, event, batch, queue_url, queue_name)

    return run


def _with_role_id(original):
    def credentials(config):
        keys = original(config)
        session = sts._sessions.get(keys["AWS_ACCESS_KEY_ID"])
        if session:
            session["UserId"] = f"{sts._role_id(config.get('Role', ''))}:{config.get('FunctionName', '')}"
        return keys

    return credentials
