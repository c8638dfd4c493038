"""Tells only those who may list a bucket that an object of it is missing.

AWS: "If the object you request doesn't exist, the error that Amazon S3 returns depends on whether you also have the
`s3:ListBucket` permission": 404 `NoSuchKey` with it, and 403 `AccessDenied` without (docs.aws.amazon.com/AmazonS3/latest/
API/API_GetObject.html). MiniStack tells everybody.
"""

from ministack.core import iam_evaluator
from ministack.core.responses import get_region
from ministack.core.router import extract_access_key_id
from ministack.services import s3


def apply() -> None:
    s3.handle_request = _telling_listers(s3.handle_request)


def _telling_listers(original):
    async def handle(method, path, headers, body, query_params, *rest, **named):
        answer = await original(method, path, headers, body, query_params, *rest, **named)
        if method != "GET" or answer[0] != 404 or b"<Code>NoSuchKey</Code>" not in bytes(answer[2] or b""):
            return answer
        bucket, _ = s3._parse_bucket_key(path, headers)
        return answer if named.get("internal") or _may_list(bucket, headers, query_params) else _refusal(path)

    return handle


def _may_list(bucket: str, headers: dict, query_params: dict) -> bool:
    from ministack.app import AUTH

    if not AUTH:
        return True
    caller = extract_access_key_id(headers, query_params)
    return iam_evaluator.enforce(caller, "s3:ListBucket", "s3", get_region(), f"arn:aws:s3:::{bucket}") is None


def _refusal(path: str):
    return s3._error("AccessDenied", "Access Denied", 403, path)
