"""Reaches a deployed gate with boto3: its queues, its record and the function that redeems permits."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from .decision import Decision
from .errors import CountersignError
from .read_decision import plain_value, read_decision
from .wire import Json, json_text

#: Three tries with full jitter between them (botocore's standard mode). A hung socket ends in seconds.
_QUICK = Config(
    connect_timeout=1,
    read_timeout=3,
    max_pool_connections=50,
    retries={"mode": "standard", "total_max_attempts": 3},
)
#: One try: a permit that was granted to an answer which got lost is spent.
_ONCE = Config(
    connect_timeout=1,
    read_timeout=30,
    max_pool_connections=50,
    retries={"mode": "standard", "total_max_attempts": 1},
)
_SIGNED_AT_ANOTHER_TIME = ("RequestTimeTooSkewed", "RequestExpired", "Signature expired", "Signature not yet current")
_THROTTLES = ("Throttl", "ThroughputExceeded", "LimitExceeded", "TooManyRequests")


@dataclass(frozen=True)
class Row:
    """A row of the record: how the gate judged (`allow`, `deny`, `ask`, …), and the decision once there is one."""

    verdict: str | None
    decision: Decision | None


class Gate(Protocol):
    """The services of a deployed gate that a client uses. Replace it in tests."""

    def publish(self, queue_url: str, body: str, agent: str) -> None:
        """Sends one message. `agent` is its message group."""

    def read(self, table: str, agent: str, pid: str, sort: str, latest: bool) -> Row | None:
        """The row `evaluated` or `decided` of a proposal, which is put once and never changed.

        Unless it is to be the latest, one that was put within the last second or so may be missed, and a read costs
        half as much. Raises if it cannot be read.
        """

    def redeem(self, function: str, request: Json) -> Json:
        """The answer of the redeem function. Raises if there is none: then nothing may run."""


class AwsGate:
    """The gate on AWS. Each service's client is made when it is first used; region and credentials are boto3's."""

    def __init__(self, session: Any = None) -> None:
        self._session = session
        self._clients: dict[str, Any] = {}
        self._lock = threading.Lock()

    def _client(self, service: str, config: Config) -> Any:
        with self._lock:
            if self._session is None:
                # A session of its own: boto3's default one may not be used by several threads.
                self._session = boto3.session.Session()
            if service not in self._clients:
                self._clients[service] = self._session.client(service, config=config)
            return self._clients[service]

    def publish(self, queue_url: str, body: str, agent: str) -> None:
        sqs = self._client("sqs", _QUICK)
        sqs.send_message(QueueUrl=queue_url, MessageBody=body, MessageGroupId=agent)

    def read(self, table: str, agent: str, pid: str, sort: str, latest: bool) -> Row | None:
        answer = self._client("dynamodb", _QUICK).get_item(
            TableName=table,
            Key={"pk": {"S": f"{agent}#{pid}"}, "sk": {"S": sort}},
            ConsistentRead=latest,
            ProjectionExpression="pk, sk, verdict, decision",
        )
        item = answer.get("Item")
        if item is None:
            return None
        verdict = plain_value(item["verdict"]) if "verdict" in item else None
        decision = read_decision(plain_value(item["decision"])) if "decision" in item else None
        return Row(verdict, decision)

    def redeem(self, function: str, request: Json) -> Json:
        client = self._client("lambda", _ONCE)
        try:
            answer = client.invoke(FunctionName=function, Payload=json_text(request).encode())
        except ClientError as error:
            # Refused before it ran: the permit is as it was.
            if error.response.get("Error", {}).get("Code") != "TooManyRequestsException":
                raise
            return _busy()
        if answer.get("FunctionError"):
            raise CountersignError("redeem_failed", "the gate could not say whether the call may run")
        granted = json.loads(answer["Payload"].read())
        if not isinstance(granted, dict):
            raise CountersignError("redeem_failed", "the gate's answer on the permit cannot be read")
        return granted


def _busy() -> Json:
    """Lambda states no time: the next attempt is made in a second."""
    text = "Too many calls of redeem (it answered 429). Nothing was run. Try again in 1000 ms."
    details = {"scope": "provider", "throttlingScope": "redeem", "retryAfterMs": 1000}
    error = {"category": "PolicyError", "code": "RateLimited", "message": text, "details": details, "isRetryable": True}
    return {"granted": False, "permit": "usable", "error": error}


def kind_of(error: Exception) -> str:
    """The kind of a fault. Its text may name accounts and roles, and a model may read this word."""
    stated = error.response.get("Error", {}) if isinstance(error, ClientError) else {}
    kind = str(stated.get("Code") or type(error).__name__)
    has_wrong_time = any(str(text).startswith(_SIGNED_AT_ANOTHER_TIME) for text in stated.values())
    return f"{kind}: the clock of this machine is wrong, set it" if has_wrong_time else kind


@contextlib.contextmanager
def reaching() -> Iterator[None]:
    """Words a gate that is away for a model, since a framework may show it whatever is raised."""
    try:
        yield
    except CountersignError:
        raise
    except Exception as error:
        problem = f"the tool was not run, for the gate could not be reached ({kind_of(error)})"
        raise CountersignError("gate_unreachable", problem) from error


def is_refusal(error: Exception) -> bool:
    """Whether a service refused for good, as for a missing right or table. Throttles and faults of its own pass."""
    if not isinstance(error, ClientError):
        return False
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 500)
    code = str(error.response.get("Error", {}).get("Code", ""))
    return bool(400 <= status < 500) and not any(word in code for word in _THROTTLES)
