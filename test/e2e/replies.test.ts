/** An agent may take its decisions from a queue of its own; the row is there all the same (A13). */
import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { beforeAll, expect, it } from 'vitest';
import type { Decision } from '../../shared/contract/decision.ts';
import { e2eGate } from './gate.ts';
import { type Agent, agentNamed } from './harness/agents.ts';
import { ALICE, approve, cardOf } from './harness/slack.ts';

let replier: Agent;
let QueueUrl: string;
beforeAll(async () => {
  replier = await agentNamed('replier', 'listener');
  QueueUrl = (await e2eGate()).outputs['RepliesQueueUrl'] ?? '';
});

/** The next decision in the queue, read with the agent's own rights. */
async function nextReply(): Promise<Decision> {
  for (;;) {
    const { Messages } = await replier.sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 2 }));
    const [message] = Messages ?? [];
    if (!message) continue;
    await replier.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message.ReceiptHandle }));
    return JSON.parse(message.Body ?? '') as Decision;
  }
}

it('what a rule decides is sent there, the same decision as in the row', async () => {
  const id = await replier.run('git status');
  const reply = await nextReply();
  expect(reply.proposalId).toBe(id);
  expect(reply).toEqual(await replier.wait(id));
});

it('what people decide is sent there when it is decided', async () => {
  const id = await replier.run('git push origin reply');
  await approve(ALICE, await cardOf(replier.pid(id)));
  const reply = await nextReply();
  expect(reply).toMatchObject({ proposalId: id, outcome: 'approved' });
  expect(reply).toEqual(await replier.wait(id));
});

it('the same proposal sent again is answered there again', async () => {
  const id = await replier.run('git status --short');
  const first = await nextReply();
  await replier.run('git status --short', { proposalId: id });
  expect(await nextReply()).toEqual(first);
});

it('what cannot be read is answered there too', async () => {
  const body = 'no json at all';
  await replier.send(body);
  expect(await nextReply()).toMatchObject({ proposalId: null, outcome: 'error' });
});
