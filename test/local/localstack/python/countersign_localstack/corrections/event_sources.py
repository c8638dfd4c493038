"""Hands over messages of a queue's event source as sent, at once, in several batches at a time.

AWS: an event of SQS carries the message's body unchanged; Lambda polls with long polling and runs up to MaximumConcurrency
batches at a time (docs.aws.amazon.com/lambda/latest/dg/with-sqs.html, services-sqs-scaling.html); what failed in one group
of a FIFO queue comes again at its own time. LocalStack decodes and encodes a body that is JSON (a key that was there twice
is there once then), asks an empty queue by a request each time and not again for a second after the last message, runs one
batch at a time, and holds all groups back until the oldest message in flight is visible again.
"""

import logging
import threading
import time

from localstack.services.lambda_.event_source_mapping.esm_worker_factory import EsmWorkerFactory
from localstack.services.lambda_.event_source_mapping.event_processor import PartialBatchFailureError
from localstack.services.lambda_.event_source_mapping.pollers import sqs_poller
from localstack.services.lambda_.event_source_mapping.pollers.poller import EmptyPollResultsException
from localstack.services.sqs.models import FifoQueue, sqs_stores
from localstack.utils.aws.arns import parse_arn

LOG = logging.getLogger(__name__)

# How long one look at a queue takes: a mapping that is deleted is noticed in between.
LOOK_SECONDS = 1
# Each batch at once may be a process more.
MAX_AT_ONCE = 4


def apply() -> None:
    poller = sqs_poller.SqsPoller
    poller.poll_events = _when_there_is_something(poller.poll_events)
    poller.handle_messages = _at_once(_with_bodies_as_sent(poller.handle_messages))
    EsmWorkerFactory.get_esm_worker = _knowing_its_concurrency(EsmWorkerFactory.get_esm_worker)
    FifoQueue.requeue_inflight_messages = _each_group_by_itself


def _when_there_is_something(original):
    def poll(self):
        arn = parse_arn(self.source_arn)
        queue = sqs_stores[arn["account"]][arn["region"]].queues.get(arn["resource"])
        if queue is None:
            return original(self)
        visible = queue.message_group_queue if isinstance(queue, FifoQueue) else queue.visible
        until = time.monotonic() + LOOK_SECONDS
        while _holds_something(visible, until - time.monotonic()):
            try:
                original(self)
            except EmptyPollResultsException:
                # Somebody else was faster: to be looked at again, without a pause that grows.
                continue

    return poll


def _holds_something(visible, seconds):
    with visible.not_empty:
        return seconds > 0 and visible.not_empty.wait_for(visible._qsize, seconds) and not visible.is_shutdown


def _knowing_its_concurrency(original):
    def make(self):
        worker = original(self)
        wanted = (self.esm_config.get("ScalingConfig") or {}).get("MaximumConcurrency", MAX_AT_ONCE)
        worker.poller.slots = threading.Semaphore(min(wanted, MAX_AT_ONCE))
        return worker

    return make


def _at_once(original):
    """Returns when a place for the batch was free, not when it is done."""

    def handle(self, messages):
        self.slots.acquire()
        threading.Thread(target=run, args=(self, messages), daemon=True).start()

    def run(self, messages):
        try:
            original(self, messages)
        except Exception as error:
            # The messages come again when their time of invisibility is over.
            LOG.warning("A batch from %s failed: %s", self.source_arn, error)
        finally:
            self.slots.release()

    return handle


def _with_bodies_as_sent(original):
    def handle(self, messages):
        if self.filter_patterns:
            return original(self, messages)
        ids = {message["MessageId"] for message in messages}
        failed = set()
        try:
            self.processor.process_events_batch(self.add_source_metadata(sqs_poller.transform_into_events(messages)))
        except PartialBatchFailureError as error:
            failed = set(sqs_poller.parse_batch_item_failures(error.partial_failure_payload, ids))
        return self.delete_messages(messages, ids - failed)

    return handle


def _each_group_by_itself(self):
    with self.mutex:
        waiting = set()
        for message in list(self.inflight):
            if message.message_group_id in waiting or not message.is_visible:
                waiting.add(message.message_group_id)
            else:
                del self.inflight[message]
                self._put_message(message)
