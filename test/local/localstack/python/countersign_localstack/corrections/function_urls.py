"""Hands over the bytes that were sent to a function URL.

AWS: "body: the body of the request. If the content type of the request is binary, the body is base64-encoded"
(docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html#urls-payloads): the same bytes, over which a sender's signature
holds. LocalStack parses a form on the way and encodes it anew, with other escapes.
"""

from localstack.services.lambda_ import urlrouter
from rolo.gateway import Gateway


def apply() -> None:
    Gateway.process = _keeping_the_bytes(Gateway.process)
    urlrouter.restore_payload = lambda request: request.get_data()


def _keeping_the_bytes(original):
    def process(self, request, response):
        # Read and kept before anybody parses it as a form.
        request.get_data(cache=True, parse_form_data=False)
        return original(self, request, response)

    return process
