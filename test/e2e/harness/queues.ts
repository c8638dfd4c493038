/** Reads queues as an administrator does: messages, consumers, and the delay before a retry. */
import { ListEventSourceMappingsCommand, UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  type Message,
  PurgeQueueCommand,
  type QueueAttributeName,
  ReceiveMessageCommand,
  SetQueueAttributesCommand,
} from '@aws-sdk/client-sqs';
import { e2eGate } from '../gate.ts';
import { type QueueName, queueUrl } from './resources.ts';
import { until } from './until.ts';

/** As often as SQS allows a message to come. */
const ALWAYS = 1000;

/**
 * While `work` runs, a message of the queue that failed comes again after a second instead of minutes, however often: on a slow machine five
 * receipts are over before the fault is. `setAside` where a test is about the dead letters. The message also comes while it is worked: more
 * `seconds` where it must not be worked twice at once.
 */
export async function redeliveringSoon<Result>(
  queue: QueueName,
  work: () => Promise<Result>,
  { setAside = false, seconds = 1 } = {},
): Promise<Result> {
  const change = ({ RedrivePolicy = '{}' }: QueueSettings): QueueSettings => {
    const patient = JSON.stringify({ ...JSON.parse(RedrivePolicy), maxReceiveCount: ALWAYS });
    return { VisibilityTimeout: String(seconds), ...(setAside ? {} : { RedrivePolicy: patient }) };
  };
  return changed(await queueUrl(queue), ['VisibilityTimeout', 'RedrivePolicy'], change, work);
}

type QueueSettings = Readonly<Partial<Record<QueueAttributeName, string>>>;

/** While `work` runs, the queue has what `change` makes of its attributes of these names. */
async function changed<Result>(
  QueueUrl: string,
  names: readonly QueueAttributeName[],
  change: (usual: QueueSettings) => QueueSettings,
  work: () => Promise<Result>,
): Promise<Result> {
  const { root } = await e2eGate();
  const read = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...names] });
  const { Attributes: usual = {} } = await root.sqs.send(read);
  const set = (Attributes: QueueSettings) => root.sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
  await set(change(usual));
  try {
    return await work();
  } finally {
    await set(usual);
  }
}

/** Attributes of a queue that SQS states and does not take at its making. */
const TOLD_ONLY =
  /^(QueueArn|ApproximateNumberOf.*|CreatedTimestamp|LastModifiedTimestamp|DeduplicationScope|FifoThroughputLimit|SqsManagedSseEnabled)$/;

/** While `work` runs there is no such queue: its messages are lost. The queue is made again as it was, however that ends. */
export async function deleted<Result>(QueueUrl: string, work: () => Promise<Result>): Promise<Result> {
  const { root } = await e2eGate();
  const read = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] });
  const { Attributes = {} } = await root.sqs.send(read);
  const asMade = Object.fromEntries(Object.entries(Attributes).filter(([name]) => !TOLD_ONLY.test(name)));
  await root.sqs.send(new DeleteQueueCommand({ QueueUrl }));
  try {
    return await work();
  } finally {
    const QueueName = QueueUrl.split('/').at(-1) ?? '';
    await root.sqs.send(new CreateQueueCommand({ QueueName, Attributes: asMade }));
  }
}

/** While `work` runs no function takes messages of the queue: what comes there waits, and is taken afterwards, however that ends. */
export async function unworked<Result>(QueueUrl: string, work: () => Promise<Result>): Promise<Result> {
  const { root } = await e2eGate();
  const read = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] });
  return withSourceOff((await root.sqs.send(read)).Attributes?.['QueueArn'] ?? '', work);
}

/** While `work` runs no function reads this source of events, such as the stream of a table; it is read afterwards, however that ends. */
export async function withSourceOff<Result>(EventSourceArn: string, work: () => Promise<Result>): Promise<Result> {
  const { root } = await e2eGate();
  const list = new ListEventSourceMappingsCommand({ EventSourceArn });
  const { EventSourceMappings = [] } = await root.lambda.send(list);
  if (!EventSourceMappings.length) throw new Error(`no function reads ${EventSourceArn}`);
  const enable = async (Enabled: boolean) => {
    for (const { UUID } of EventSourceMappings)
      await root.lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled }));
  };
  await enable(false);
  try {
    return await work();
  } finally {
    await enable(true);
  }
}

/** The longest delay of a message that SQS allows. */
const MAX_DELAY_SECONDS = 900;

/**
 * While `work` runs, what comes into the queue waits, so that no function takes it. A consumer that is switched off may
 * take messages for a while yet, as AWS states of event source mappings.
 */
export const delaying = <Result>(QueueUrl: string, work: () => Promise<Result>): Promise<Result> =>
  changed(QueueUrl, ['DelaySeconds'], () => ({ DelaySeconds: String(MAX_DELAY_SECONDS) }), work);

/** How many messages wait for the end of their delay. */
export async function delayedIn(QueueUrl: string): Promise<number> {
  const { root } = await e2eGate();
  const AttributeNames = ['ApproximateNumberOfMessagesDelayed'] as const;
  const read = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...AttributeNames] });
  return Number((await root.sqs.send(read)).Attributes?.['ApproximateNumberOfMessagesDelayed'] ?? 0);
}

/** So long, and as many looks in a row: a message that is just being worked may put another one behind it. */
const QUIET = { ms: 1000, looks: 8 };

/** Waits until a queue has nothing to deliver now: what earlier tests left is done with, but for what waits for a time of its own. */
export async function quiet(queue: QueueName): Promise<void> {
  const { root } = await e2eGate();
  const AttributeNames = ['ApproximateNumberOfMessages'] as const;
  const read = new GetQueueAttributesCommand({ QueueUrl: await queueUrl(queue), AttributeNames: [...AttributeNames] });
  let looks = 0;
  let since = 0;
  await until(`the end of the work in ${queue}`, async () => {
    const { Attributes } = await root.sqs.send(read);
    looks = Attributes?.['ApproximateNumberOfMessages'] === '0' ? looks + 1 : 0;
    if (looks <= 1) since = Date.now();
    return looks >= QUIET.looks && Date.now() - since >= QUIET.ms;
  });
}

/** Messages in a queue now; they stay there. */
export async function messagesIn(QueueUrl: string): Promise<readonly Message[]> {
  const { root } = await e2eGate();
  const found = new Map<string, Message>();
  for (;;) {
    const { Messages = [] } = await root.sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 0 }),
    );
    const before = found.size;
    for (const message of Messages) found.set(message.MessageId ?? '', message);
    if (found.size === before) return [...found.values()];
  }
}

export async function empty(QueueUrl: string): Promise<void> {
  const { root } = await e2eGate();
  await root.sqs.send(new PurgeQueueCommand({ QueueUrl }));
}
