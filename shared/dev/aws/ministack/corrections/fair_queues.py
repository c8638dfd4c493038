"""Makes standard queues fair between message groups.

AWS: a group that has a disproportionate share of a queue's messages in flight, or of its consumers' time, is noisy;
"consumer instances polling for messages receive messages from quiet tenants whenever they are available", and of
several noisy ones that with the fewest in flight comes first (docs.aws.amazon.com/AWSSimpleQueueService/latest/
SQSDeveloperGuide/sqs-fair-queues-detailed.html). MiniStack delivers in the order of sending whatever the group.
AWS calls its thresholds approximate; here the group with the fewest messages in flight always comes first, and groups
with as many in the order of sending. A message without a group is a group of its own.
"""

import time

from ministack.services import sqs


def apply() -> None:
    sqs._collect_msgs = _fairly(sqs._collect_msgs)


def _fairly(original):
    def collect(queue, most, visibility):
        if not queue["is_fifo"]:
            queue["messages"] = _by_turns(queue["messages"])
        return original(queue, most, visibility)

    return collect


def _by_turns(messages: list) -> list:
    now = time.time()
    taken: dict = {}
    waiting = []
    for message in messages:
        group = message.get("group_id")
        if message.get("visible_at", 0) <= now:
            waiting.append(message)
        elif group and message.get("receive_count"):
            taken[group] = taken.get(group, 0) + 1
    if not any(message.get("group_id") for message in waiting):
        return messages
    # As if each were received in its turn: the next of a group waits behind one more in flight.
    place = {}
    for message in waiting:
        group = message.get("group_id")
        place[id(message)] = taken.get(group, 0)
        if group:
            taken[group] = place[id(message)] + 1
    waiting.sort(key=lambda message: place[id(message)])
    return waiting + [message for message in messages if id(message) not in place]
