/**
 * Checks that stolen credentials neither fill nor empty a queue that is not the role's own.
 *
 * Tries the queues of the stack with each role that it made (A2, A5, A12). Each try is one that SQS refuses for a
 * reason of its own once it is allowed, so that nothing is sent or taken.
 */
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { beforeAll, describe, expect, it } from 'vitest';
import { resources } from './harness/resources.ts';
import { type StolenRole, stolenRoles } from './harness/roles.ts';

let roles: readonly StolenRole[];
let queues: ReadonlyMap<string, string>;

beforeAll(async () => {
  roles = await stolenRoles();
  queues = await resources('AWS::SQS::Queue');
}, 300_000);

type Attempt = (sqs: SQSClient, QueueUrl: string) => Promise<unknown>;
const ReceiptHandle = 'no-such-handle';
const send: Attempt = (sqs, QueueUrl) => sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: '' }));
const sendBatch: Attempt = (sqs, QueueUrl) => sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries: [] }));
const receive: Attempt = (sqs, QueueUrl) => sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 11 }));
const remove: Attempt = (sqs, QueueUrl) => sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
const removeBatch: Attempt = (sqs, QueueUrl) => sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries: [] }));
const postpone: Attempt = (sqs, QueueUrl) =>
  sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }));
const purge: Attempt = (sqs, QueueUrl) => sqs.send(new PurgeQueueCommand({ QueueUrl }));
const change: Attempt = (sqs, QueueUrl) =>
  sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { VisibilityTimeout: '43201' } }));

/** Whether it was let through to the queue, whatever the queue made of it. */
async function may(attempt: Promise<unknown>): Promise<boolean> {
  try {
    await attempt;
    return true;
  } catch (error) {
    return !/AccessDenied/.test((error as Error).name);
  }
}

/** By queue, without the prefix: the roles that are let through. Queues that nobody is let through to are left out. */
async function allowed(attempt: Attempt): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const [queue, url] of queues) {
    const names = await Promise.all(
      roles.map(async ({ name, sqs }) => ((await may(attempt(sqs, url))) ? [short(name)] : [])),
    );
    if (names.flat().length) found[short(queue)] = [...new Set(names.flat())].toSorted();
  }
  return found;
}

/** All roles of agents have one short name, and so have those of operators. `Listener` is the role of an agent, too. */
const short = (name: string): string => {
  if (/^(AgentRole|Listener)/.test(name)) return 'agents';
  if (name.startsWith('OperatorRole')) return 'operators';
  return name.replace(/^Gate(Queues)?/, '').replace(/Role$/, '');
};

const DECIDERS = ['Deliberate', 'Evaluate', 'Reconcile', 'Resume'];
const CARD_SENDERS = [
  ...['CollectOutcomes', 'Deliberate', 'ExecuteTool', 'Operate', 'Reconcile', 'RecordOutcome', 'Redrive'],
  ...['RequestApproval', 'Resume', 'Seal', 'Slack', 'SlackOut'],
];
/** Nobody sends to a dead-letter queue: SQS itself does. */
const SENDERS = {
  Cards: CARD_SENDERS,
  Deferred: DECIDERS,
  Executions: ['ExecuteTool', 'agents'],
  Operators: ['Slack', 'operators'],
  // The canary is an agent that runs nothing: it reports the permit that it redeems.
  Outcomes: ['Canary', 'agents'],
  Proposals: ['Canary', 'agents'],
  // Functions that decide tell the agent in its own queue.
  Replies: DECIDERS,
  Talk: ['Slack'],
  // The event bus fills it, and operators bring dead letters back or have events sent again.
  Webhooks: ['Operate', 'Redrive'],
};
const WORKERS = {
  Cards: ['SlackOut'],
  CardsDead: ['Redrive'],
  Deferred: ['Deliberate'],
  DeferredDead: ['Deliberate'],
  Executions: ['ExecuteTool'],
  ExecutionsDead: ['ExecuteTool'],
  Operators: ['Operate'],
  OperatorsDead: ['Operate'],
  Outcomes: ['CollectOutcomes'],
  OutcomesDead: ['CollectOutcomes'],
  Proposals: ['Evaluate'],
  ProposalsDead: ['Deliberate'],
  Replies: ['agents'],
  Talk: ['Converse'],
  TalkDead: ['Converse'],
  Webhooks: ['SendWebhooks'],
  WebhooksDead: ['Redrive'],
};

describe('with the credentials of any one role', () => {
  it('messages are sent only to the queues that it is there to fill', async () => {
    expect(await allowed(send)).toEqual(SENDERS);
    expect(await allowed(sendBatch)).toEqual(SENDERS);
  });

  it('messages are taken, put back and deleted only by the function that works them', async () => {
    expect(await allowed(receive)).toEqual(WORKERS);
    expect(await allowed(remove)).toEqual(WORKERS);
    expect(await allowed(removeBatch)).toEqual(WORKERS);
    // `Redrive` takes dead letters and deletes them, and may not put them back.
    const { CardsDead: _, WebhooksDead: __, ...workers } = WORKERS;
    expect(await allowed(postpone)).toEqual(workers);
  });

  it('no queue is emptied or changed', async () => {
    expect(await allowed(change)).toEqual({});
    expect(await allowed(purge)).toEqual({});
  });
});
