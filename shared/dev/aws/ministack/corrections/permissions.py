"""Says which action on which resource a request needs.

AWS, by its Service Authorization Reference (docs.aws.amazon.com/service-authorization/latest/reference/):
- SQS: the batch calls need `sqs:SendMessage`, `sqs:DeleteMessage`, `sqs:ChangeMessageVisibility`; there are no others.
- Lambda: reading, changing and removing one alias are actions of their own.
- SSM: GetParametersByPath is allowed on the path it names, GetParameters on each parameter it names.
- `aws:PrincipalArn` of a session is the ARN of its role (docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html).
- CloudWatch Logs: events are searched in the streams of a group: policies name it with `:*` behind it
  (docs.aws.amazon.com/AmazonCloudWatch/latest/logs/iam-access-control-overview-cwl.html).
- Step Functions: SendTaskSuccess, SendTaskFailure and SendTaskHeartbeat are allowed on the state machine that waits.
- Bedrock: Converse needs `bedrock:InvokeModel` on the model, or on the inference profile, that its path names. (Of a profile AWS asks for its
  model too, which is not done here.)
MiniStack asks for batch actions of their own, for `lambda:CreateAlias` or `lambda:ListAliases` on each path with an alias, for a group of logs
without its streams, for `bedrock:Converse`, and for the resource `*`, which no scoped policy grants; and it takes the session's own ARN for the principal's.
"""

import contextvars
import json
import re
from urllib.parse import unquote

from ministack.core import iam_actions, iam_evaluator
from ministack.services import iam

from . import task_tokens

_BATCHES = {f"sqs:{action}Batch": f"sqs:{action}" for action in ("SendMessage", "DeleteMessage", "ChangeMessageVisibility")}
_ONE_ALIAS = {"GET": "lambda:GetAlias", "PUT": "lambda:UpdateAlias", "DELETE": "lambda:DeleteAlias"}
_CONVERSE_PATH = re.compile(r"^/model/(.+)/converse$")
_PROFILE_ID = re.compile(r"^(?:apac|au|ca|eu|global|jp|us|us-gov)\..+\.")
_ALIAS_PATH = re.compile(r"/functions/[^/]+/aliases/[^/]+$")

_further: contextvars.ContextVar[list[str]] = contextvars.ContextVar("countersign_further_resources", default=[])


def apply() -> None:
    iam_actions.extract_iam_action = _single_action(iam_actions.extract_iam_action)
    iam_actions.extract_resource_arn = _named_resource(iam_actions.extract_resource_arn)
    iam_evaluator.enforce = _every_resource(iam_evaluator.enforce)
    iam_evaluator._resolve_condition_key = _role_of_session(iam_evaluator._resolve_condition_key)


def _role_of_session(original):
    def resolve(key, ctx):
        value = original(key, ctx)
        if key.lower() != "aws:principalarn" or ":assumed-role/" not in str(value):
            return value
        name = iam_evaluator._role_name_from_assumed_arn(value)
        role = iam._roles.get_scoped(ctx.principal_account, None, name)
        return role["Arn"] if role else value

    return resolve


def _single_action(original):
    def action(service, method, path, *rest, **named):
        if service == "lambda" and method in _ONE_ALIAS and _ALIAS_PATH.search(path):
            return _ONE_ALIAS[method]
        if service.startswith("bedrock") and _CONVERSE_PATH.match(path):
            return "bedrock:InvokeModel"
        found = original(service, method, path, *rest, **named)
        return _BATCHES.get(found, found)

    return action


def _named_resource(original):
    def resource(service, method, path, headers, body, query_params, region, account_id):
        named = []
        if service == "ssm":
            request = _json_object(body)
            names = request.get("Names") or ([request["Path"]] if request.get("Path") else [])
            named = [f"arn:aws:ssm:{region}:{account_id}:parameter/{str(name).lstrip('/')}" for name in names]
        elif service == "states":
            machine = task_tokens.machine_of(_json_object(body).get("taskToken"))
            named = [machine] if machine else []
        elif service == "logs" and headers.get("x-amz-target", "").endswith(".FilterLogEvents"):
            group = _json_object(body).get("logGroupName")
            named = [f"arn:aws:logs:{region}:{account_id}:log-group:{group}:log-stream:"] if group else []
        elif service.startswith("bedrock") and (asked := _CONVERSE_PATH.match(path)):
            named = [_model_arn(unquote(asked[1]), region, account_id)]
        _further.set(named[1:])
        return named[0] if named else original(service, method, path, headers, body, query_params, region, account_id)

    return resource


def _model_arn(model, region, account_id):
    if model.startswith("arn:"):
        return model
    if _PROFILE_ID.match(model):
        return f"arn:aws:bedrock:{region}:{account_id}:inference-profile/{model}"
    return f"arn:aws:bedrock:{region}::foundation-model/{model}"


def _every_resource(original):
    def enforce(access_key_id, iam_action, service, region, resource_arn="*", service_context=None):
        resources = [resource_arn, *_further.get()]
        checks = (original(access_key_id, iam_action, service, region, arn, service_context) for arn in resources)
        return next((denied for denied in checks if denied), None)

    return enforce


def _json_object(body: bytes) -> dict:
    try:
        data = json.loads(body or b"{}")
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}
