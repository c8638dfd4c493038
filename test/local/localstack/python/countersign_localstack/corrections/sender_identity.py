"""Names the sender of a message in SQS's SenderId.

AWS: "SenderId: for a user, returns the user ID, for example ABCDEFGHI1JKLMNOPQ23R; for an IAM role, returns the IAM role
ID" with the session's name behind a colon (docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/
API_ReceiveMessage.html). LocalStack writes the account, also for a caller whose key it knows. It does not verify the
signature: whoever knows a key's id passes for its owner, so this shows how identities flow, not that they are safe.
"""

from localstack.aws.api.sqs import MessageSystemAttributeName
from localstack.services.sqs.provider import SqsProvider
from localstack.utils.aws.request_context import extract_access_key_id_from_auth_header


def apply() -> None:
    SqsProvider._create_message_attributes = _naming_the_sender(SqsProvider._create_message_attributes)


def _naming_the_sender(original):
    def attributes(self, context, message_system_attributes=None):
        result = original(self, context, message_system_attributes)
        sender = _caller(context)
        return {**result, MessageSystemAttributeName.SenderId: sender} if sender else result

    return attributes


def _caller(context):
    """The unique id of the role's session or the user behind the request's key; None for the account's root and for services."""
    from moto.iam.models import iam_backends
    from moto.sts.models import sts_backends

    if not context.request:
        return None
    key = extract_access_key_id_from_auth_header(context.request.headers)
    session = key and sts_backends[context.account_id][context.partition].get_assumed_role_from_access_key(key)
    if session:
        return session.user_id
    user = key and iam_backends[context.account_id][context.partition].get_user_from_access_key_id(key)
    return user.id if user else None
