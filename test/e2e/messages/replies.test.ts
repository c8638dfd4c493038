/** An agent may take its decisions from a queue of its own; the row is there all the same (A13). */
import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { beforeAll, expect, it } from 'vitest';
import type { Decision } from '../../../shared/contract/decision.ts';
import { e2eGate } from '../gate.ts';
import { type Agent, agentNamed } from '../harness/agents.ts';
import { ALICE, approve, cardOf } from '../harness/slack.ts';

let replier: Agent;
let QueueUrl: string;
beforeAll(async () => {
  replier = await agentNamed('replier', 'listener');
  QueueUrl = (await e2eGate()).outputs['RepliesQueueUrl'] ?? '';
});

/** The next decision on this proposal, read with the agent's own rights. Other tests may have left some of theirs. */
async function replyTo(id: string | null): Promise<Decision> {
  for (;;) {
    const { Messages = [] } = await replier.sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 2 }));
    for (const { Body = '', ReceiptHandle } of Messages) {
      await replier.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      const reply = JSON.parse(Body) as Decision;
      if (reply.proposalId === id) return reply;
    }
  }
}

it('what a rule decides is sent there, the same decision as in the row', async () => {
  const id = await replier.run('git status');
  expect(await replyTo(id)).toEqual(await replier.wait(id));
});

it('what people decide is sent there when it is decided', async () => {
  const id = await replier.run('git push origin reply');
  await approve(ALICE, await cardOf(replier.pid(id)));
  const reply = await replyTo(id);
  expect(reply).toMatchObject({ outcome: 'approved' });
  expect(reply).toEqual(await replier.wait(id));
});

it('the same proposal sent again is answered there again', async () => {
  const id = await replier.run('git status --short');
  const first = await replyTo(id);
  await replier.run('git status --short', { proposalId: id });
  expect(await replyTo(id)).toEqual(first);
});

it('what cannot be read is answered there too', async () => {
  const body = 'no json at all';
  await replier.send(body);
  expect(await replyTo(null)).toMatchObject({ outcome: 'error' });
});
