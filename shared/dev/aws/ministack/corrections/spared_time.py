"""Spares time alone: compiled code parses requests, policies are parsed once, items copied at once.

Nothing changes but the time that a request takes. MiniStack parses all policies of the caller again for each request;
a policy that was changed is another text. An update copies its item several times, value by value. The model of each
service comes from a session of botocore of its own, which costs more than the model. Hypercorn and its parser are
Python alone, and take more than a third of the time of a request.
"""

import copy
import functools
import marshal
import types

import botocore.session
import hypercorn.asyncio
import uvicorn
from ministack.core import iam_evaluator
from ministack.services import dynamodb

_POLICIES = 512


def apply() -> None:
    iam_evaluator.parse_policy_document = _once(iam_evaluator.parse_policy_document)
    dynamodb.copy = types.SimpleNamespace(copy=copy.copy, deepcopy=_copied)
    botocore.session.get_session = functools.cache(botocore.session.get_session)
    hypercorn.asyncio.serve = _serve


async def _serve(app, config) -> None:
    """With Hypercorn's settings; MiniStack writes its own log, and the headers `Server` and `Date`."""
    host, port = config.bind[0].rsplit(":", 1)
    settings = uvicorn.Config(
        app,
        host=host,
        port=int(port),
        http="httptools",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_keep_alive=config.keep_alive_timeout,
        timeout_graceful_shutdown=int(config.graceful_timeout),
        ssl_certfile=config.certfile,
        ssl_keyfile=config.keyfile,
        ssl_ciphers=config.ciphers,
    )
    await uvicorn.Server(settings).serve()


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
