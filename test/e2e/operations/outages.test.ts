/**
 * Checks that the deployed gate answers after outages (A7, A8, A22, G27).
 *
 * Outages: rights that somebody takes and gives back, queues that are deleted and made again, and Slack away so long
 * that requests were lost. After each the card is posted, people decide, and the agent is answered.
 */
import { PurgeQueueCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Decision } from '../../../shared/contract/decision.ts';
import { e2eGate } from '../gate.ts';
import { type Agent, agentNamed, newId } from '../harness/agents.ts';
import { stopped } from '../harness/executions.ts';
import { deleted, messagesIn, quiet, redeliveringSoon } from '../harness/queues.ts';
import { deadLetterUrl, queueUrl } from '../harness/resources.ts';
import { without } from '../harness/rights.ts';
import { approvalOf, sortsOf, waiting } from '../harness/rows.ts';
import { ALICE, approve, cardOf, cardSays, cardsOf } from '../harness/slack.ts';
import { endedEarlier, reconcileNow } from '../harness/time.ts';
import { until } from '../harness/until.ts';

let builder: Agent;
beforeAll(async () => {
  builder = await agentNamed('builder');
});
afterEach(async () => {
  const { slack } = await e2eGate();
  slack.setOutage(false);
});

/** A question whose card people see, and whose decision the agent reads: one of each. */
async function answered(id: string, agent = builder): Promise<void> {
  const pid = agent.pid(id);
  expect((await approvalOf(pid))?.approval.status).toBe('pending');
  await approve(ALICE, await cardOf(pid));
  const ended = await until('the end of the vote', async () => (await approvalOf(pid))?.approval.endedAt);
  // No execution waits any more where its retries were used up: two minutes later the reconciler finishes the row.
  await endedEarlier(pid, ended, 3 * 60_000);
  await reconcileNow(pid).catch(() => undefined);
  expect(await agent.wait(id)).toMatchObject({ outcome: 'approved' });
  await cardSays(pid, 'Approved');
  expect(await cardsOf(pid)).toHaveLength(1);
  expect((await sortsOf(agent.name, pid)).filter((sort) => sort !== 'click')).toEqual(['decided', 'evaluated', 'vote']);
}

describe('an outage that outlasted the retries of the workflow', () => {
  it.each([
    ['store the token', 'dynamodb:PutItem'],
    ['ask for the card', 'sqs:SendMessage'],
    ['read the row', 'dynamodb:Query'],
  ])(
    'request-approval may not %s: its execution failed, and the card is posted once it may again',
    async (_, action) => {
      const id = newId();
      const pid = builder.pid(id);
      await without('request-approval', action, async () => {
        await builder.run(`git push origin without-${action}`, { proposalId: id });
        await waiting(pid);
        await stopped(pid);
        expect(await cardsOf(pid)).toEqual([]);
      });
      await reconcileNow(pid);
      await answered(id);
    },
  );

  it('evaluate may not start executions: people are asked all the same', async () => {
    const id = newId();
    await without('evaluate', 'states:StartExecution', async () => {
      await redeliveringSoon('Proposals', async () => {
        await builder.run('git push origin unstarted-by-outage', { proposalId: id });
        await waiting(builder.pid(id));
      });
    });
    await reconcileNow(builder.pid(id));
    await answered(id);
  });
});

describe('the queue of cards', () => {
  it('deleted while people were to be asked, and made again: the card is posted', async () => {
    await quiet('Cards');
    const id = newId();
    const pid = builder.pid(id);
    await deleted(await queueUrl('Cards'), async () => {
      await builder.run('git push origin no-queue', { proposalId: id });
      await waiting(pid);
      await stopped(pid);
    });
    await reconcileNow(pid);
    await answered(id);
  });

  it('emptied while Slack was away: the card is posted when it is back', async () => {
    const { slack, root } = await e2eGate();
    await quiet('Cards');
    const id = newId();
    const pid = builder.pid(id);
    const emptied = async () => {
      slack.setOutage(true);
      await builder.run('git push origin emptied', { proposalId: id });
      await waiting(pid);
      await root.sqs.send(new PurgeQueueCommand({ QueueUrl: await queueUrl('Cards') }));
      slack.setOutage(false);
      await quiet('Cards');
      if (!(await cardsOf(pid)).length) await reconcileNow(pid);
      await answered(id);
    };
    await redeliveringSoon('Cards', emptied, { setAside: true });
    expect(await messagesIn(await deadLetterUrl('Cards'))).toEqual([]);
  });
});

describe("an agent's own queue", () => {
  it('deleted: rules and people decide as always, and the agent reads it; made again, it is told there', async () => {
    const replier = await agentNamed('replier', 'listener');
    const QueueUrl = (await e2eGate()).outputs['RepliesQueueUrl'] ?? '';
    await deleted(QueueUrl, async () => {
      expect(await replier.wait(await replier.run('git status'))).toMatchObject({ outcome: 'approved' });
      const id = await replier.run('git push origin no-replies');
      await waiting(replier.pid(id));
      await answered(id, replier);
    });
    const id = await replier.run('git status --short');
    const reply = await until('the reply', async () => {
      const { Messages = [] } = await replier.sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 2 }));
      const replies = Messages.map(({ Body }) => JSON.parse(Body ?? '') as Decision);
      return replies.find(({ proposalId }) => proposalId === id);
    });
    expect(reply).toEqual(await replier.wait(id));
  });
});
