/**
 * Kills the functions around the wait at each of their writes.
 *
 * Retries, a second click or the reconciler finish the work (A7, A8, G27).
 */
import { StopExecutionCommand } from '@aws-sdk/client-sfn';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { e2eGate } from '../gate.ts';
import { type Agent, agentNamed, newId } from '../harness/agents.ts';
import { executionOf, statusOf } from '../harness/executions.ts';
import { redeliveringSoon } from '../harness/queues.ts';
import { approvalOf, entriesOf, sortsOf } from '../harness/rows.ts';
import { ALICE, approve, BOB, type Card, cardOf, cardSays, cardsOf, FRANK, LEADS, LENA } from '../harness/slack.ts';
import { endedEarlier, reconcileNow, waitedFor } from '../harness/time.ts';
import { until } from '../harness/until.ts';
import { CrashingFunctions } from './deploy.ts';

const functions = new CrashingFunctions('request-approval', 'resume', 'slack', 'slack-out', 'reconcile');
let builder: Agent;
let crafter: Agent;
beforeAll(async () => {
  [builder, crafter] = await Promise.all([agentNamed('builder'), agentNamed('crafter')]);
  await functions.deploy();
});
afterAll(() => functions.restore());

async function asked(command: string): Promise<{ id: string; pid: string; card: Card }> {
  const id = await builder.run(command);
  return { id, pid: builder.pid(id), card: await cardOf(builder.pid(id)) };
}

/**
 * Alice approves, and clicks again where the first click did not count: of three new processes at once, on a busy machine, one may hear from Slack
 * too late who is in the group.
 */
const approved = (pid: string, card: Card) =>
  until('a click that counts', async () => {
    await approve(ALICE, card);
    return (await approvalOf(pid))?.approval.status === 'approved';
  });

/** One decision, in one record and on every card. */
async function decidedOnce(id: string, cards = 1): Promise<void> {
  const pid = builder.pid(id);
  expect(await builder.wait(id)).toMatchObject({ outcome: 'approved' });
  await cardSays(pid, 'Approved');
  expect(await cardsOf(pid)).toHaveLength(cards);
  const sorts = (await sortsOf('builder', pid)).filter((sort) => sort !== 'click');
  expect(sorts).toEqual(['decided', 'evaluated', 'vote']);
  await until('the end of the workflow', async () => (await statusOf(pid)) === 'SUCCEEDED');
}

// Each test waits two seconds for the workflow to try again: side by side, as each switch names its approval.
describe.concurrent('request-approval, killed', () => {
  const points = [
    ['before the token is stored', 'before', 'PutItem'],
    ['after the token is stored', 'after', 'PutItem'],
    ['after the card was asked for', 'after', 'SendMessage'],
  ] as const;

  it.each(points)('%s: the wait begins again, with one card', async (_, when, command) => {
    const id = newId();
    const crashed = functions.arm({ function: 'request-approval', when, command, about: builder.pid(id) });
    await builder.run(`git push origin request-${when}-${command}`, { proposalId: id });
    await crashed();
    await approved(builder.pid(id), await cardOf(builder.pid(id)));
    await decidedOnce(id);
  });
});

describe.concurrent('resume, killed', () => {
  const points = [
    ['before the decision is written', 'before', 'TransactWriteItems'],
    ['after the decision is written', 'after', 'TransactWriteItems'],
    ['after the card was asked for', 'after', 'SendMessage'],
  ] as const;

  it.each(points)('%s: the reconciler finishes, and the decision is the same', async (_, when, command) => {
    const { id, pid, card } = await asked(`git push origin resume-${when}-${command}`);
    const crashed = functions.arm({ function: 'resume', when, command, about: pid });
    await approved(pid, card);
    await crashed();
    await reconcileNow(pid);
    await decidedOnce(id);
  });

  it('when an approval expired: it expires once', async () => {
    const id = newId();
    const about = builder.pid(id);
    const crashed = functions.arm({ function: 'resume', when: 'after', command: 'TransactWriteItems', about });
    await builder.run('git push origin resume-expired', {
      proposalId: id,
      expiresAt: new Date(Date.now() + 2_500).toISOString(),
    });
    await crashed();
    expect(await builder.wait(id)).toMatchObject({ outcome: 'expired' });
    expect(await sortsOf('builder', builder.pid(id))).toEqual(['decided', 'evaluated']);
  });
});

describe('slack-out, killed', () => {
  it('after it posted and before it registered the card: a second card is posted, and both say what was decided', async () => {
    const id = newId();
    const pid = builder.pid(id);
    const work = async () => {
      const about = `${pid}"},"sk":{"S":"card#`;
      const crashed = functions.arm({ function: 'slack-out', when: 'before', command: 'UpdateItem', about });
      await builder.run('git push origin two-cards', { proposalId: id });
      await crashed();
      const first = await cardOf(pid);
      await until('the second card', async () => (await approvalOf(pid))?.cards.length === 1);
      expect(await cardsOf(pid)).toHaveLength(2);
      // The card that nobody registered is ours all the same: the click counts, and adopts it (A22).
      await approve(ALICE, first);
      await decidedOnce(id, 2);
      expect((await approvalOf(pid))?.cards).toHaveLength(2);
    };
    // A new process that takes longer than this to post the card is joined by another, which posts a third one.
    await redeliveringSoon('Cards', work, { seconds: 8 });
  });
});

describe('slack, killed', () => {
  it('before the vote is written: nothing happened, and the person clicks again', async () => {
    const { id, pid, card } = await asked('git push origin vote-before');
    functions.arm({ function: 'slack', when: 'before', command: 'TransactWriteItems' });
    const first = await approve(ALICE, card);
    expect(first.ok).toBe(false);
    expect((await approvalOf(pid))?.approval).toMatchObject({ status: 'pending', version: 0 });
    await approve(ALICE, card);
    await decidedOnce(id);
  });

  it('after the vote is written: the reconciler wakes the workflow', async () => {
    const { id, pid, card } = await asked('git push origin vote-after');
    functions.arm({ function: 'slack', when: 'after', command: 'TransactWriteItems' });
    expect((await approve(ALICE, card)).ok).toBe(false);
    expect((await approvalOf(pid))?.approval.status).toBe('approved');
    expect((await approvalOf(pid))?.decision).toBeUndefined();
    await reconcileNow(pid);
    await decidedOnce(id);
  });

  it('after the vote is written: somebody else’s click wakes the workflow too, and counts for nothing else', async () => {
    const { id, pid, card } = await asked('git push origin vote-again');
    functions.arm({ function: 'slack', when: 'after', command: 'TransactWriteItems' });
    await approve(ALICE, card);
    await approve(BOB, card);
    await decidedOnce(id);
    expect(await entriesOf('builder', pid, 'click')).toMatchObject([
      { accepted: false, reasonCode: 'already_decided', person: { user: BOB } },
    ]);
  });

  it('after it called resume: nothing is missing', async () => {
    const { id, card } = await asked('git push origin vote-resumed');
    functions.arm({ function: 'slack', when: 'after', command: 'Invoke' });
    await approve(ALICE, card);
    await decidedOnce(id);
  });
});

describe('between two steps of an approval', () => {
  const askedOfCrew = async (command: string) => {
    const id = await crafter.run(command);
    return { id, pid: crafter.pid(id), card: await cardOf(crafter.pid(id)) };
  };
  const inLeads = async (pid: string) => (await cardsOf(pid)).find(({ channel }) => channel === LEADS);

  it('slack, killed after the vote that opens the next stage: the reconciler has its card posted', async () => {
    const { id, pid, card } = await askedOfCrew('alembic upgrade crash');
    functions.arm({ function: 'slack', when: 'after', command: 'TransactWriteItems', about: pid });
    expect((await approve(FRANK, card)).ok).toBe(false);
    expect((await approvalOf(pid))?.approval).toMatchObject({ status: 'pending', stage: 1 });
    expect(await inLeads(pid)).toBeUndefined();
    await reconcileNow(pid);
    const second = await until('the card of the second stage', () => inLeads(pid));
    await approve(LENA, second);
    expect(await crafter.wait(id)).toMatchObject({ outcome: 'approved' });
    expect(await entriesOf('crafter', pid, 'vote')).toHaveLength(2);
  });

  it('reconcile, killed after it wrote that a stage escalated: the next run has the card posted, and nothing twice', async () => {
    const { id, pid } = await askedOfCrew('helm rollback crash');
    const crashed = functions.arm({ function: 'reconcile', when: 'after', command: 'TransactWriteItems', about: pid });
    await waitedFor(pid, 21 * 60_000).catch(() => undefined);
    await crashed();
    expect((await approvalOf(pid))?.approval.escalated).toBe(true);
    await reconcileNow(pid);
    await approve(LENA, await until('the card of the other group', () => inLeads(pid)));
    expect(await crafter.wait(id)).toMatchObject({ outcome: 'approved' });
    expect(await entriesOf('crafter', pid, 'stage')).toHaveLength(1);
  });
});

it('an approval whose workflow was stopped by somebody is finished by the reconciler', async () => {
  const { root } = await e2eGate();
  const { id, pid, card } = await asked('git push origin aborted');
  await root.sfn.send(new StopExecutionCommand({ executionArn: await executionOf(pid) }));
  await approve(ALICE, card);
  const endedAt = (await approvalOf(pid))?.approval.endedAt ?? '';
  await endedEarlier(pid, endedAt, 3 * 60_000);
  await reconcileNow(pid);
  expect(await builder.wait(id)).toMatchObject({ outcome: 'approved' });
  await cardSays(pid, 'Approved');
  expect(await statusOf(pid)).toBe('ABORTED');
});
