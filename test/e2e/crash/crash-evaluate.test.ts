/**
 * Kills `evaluate` at each of its writes, and expects one decision and one card.
 *
 * The queue delivers the message again (A6).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { e2eGate } from '../gate.ts';
import { type Agent, agentNamed, newId } from '../harness/agents.ts';
import { historyOf, statusOf } from '../harness/executions.ts';
import { misled } from '../harness/functions.ts';
import { redeliveringSoon } from '../harness/queues.ts';
import { approvalOf, sortsOf, waiting } from '../harness/rows.ts';
import { ALICE, approve, cardOf, cardSays, cardsOf } from '../harness/slack.ts';
import { reconcileNow } from '../harness/time.ts';
import { CrashingFunctions } from './deploy.ts';

const functions = new CrashingFunctions('evaluate');
let builder: Agent;
beforeAll(async () => {
  builder = await agentNamed('builder');
  await functions.deploy();
});
afterAll(() => functions.restore());

/** Approves the one card, and assesses that there was one of everything. */
async function approvedOnce(id: string): Promise<void> {
  const pid = builder.pid(id);
  await approve(ALICE, await cardOf(pid));
  expect(await builder.wait(id)).toMatchObject({ outcome: 'approved' });
  await cardSays(pid, 'Approved');
  expect(await cardsOf(pid)).toHaveLength(1);
  expect(await sortsOf('builder', pid)).toEqual(['decided', 'evaluated', 'vote']);
}

describe('killed', () => {
  const asking = [
    ['before the claim and the approval are written', 'before', 'TransactWriteItems'],
    ['after the claim and the approval are written', 'after', 'TransactWriteItems'],
    ['after the workflow was started', 'after', 'StartExecution'],
  ] as const;

  it.each(asking)('%s: people are asked once, and decide once', async (_, when, command) => {
    const id = newId();
    await redeliveringSoon('Proposals', async () => {
      const crashed = functions.arm({ function: 'evaluate', when, command });
      await builder.run(`git push origin ${when}-${command}`, { proposalId: id });
      await crashed();
      await waiting(builder.pid(id));
      await approvedOnce(id);
    });
    const starts = (await historyOf(builder.pid(id))).filter(({ type }) => type === 'ExecutionStarted');
    expect(starts).toHaveLength(1);
  });

  const deciding = [
    ['before the decision is written', 'before'],
    ['after the decision is written', 'after'],
  ] as const;

  it.each(deciding)('%s: a rule decides once', async (_, when) => {
    const id = newId();
    const decision = await redeliveringSoon('Proposals', async () => {
      const crashed = functions.arm({ function: 'evaluate', when, command: 'PutItem' });
      await builder.run('git status', { proposalId: id });
      await crashed();
      return builder.wait(id);
    });
    expect(decision).toMatchObject({ outcome: 'approved' });
    expect(await sortsOf('builder', builder.pid(id))).toEqual(['evaluated']);
    expect(await builder.wait(id)).toEqual(decision);
  });

  it('after a large input was kept: it is kept once, and people are asked once', async () => {
    const id = newId();
    await redeliveringSoon('Proposals', async () => {
      const crashed = functions.arm({ function: 'evaluate', when: 'after', command: 'PutObject' });
      const input = { command: 'terraform plan', note: 'n'.repeat(9_000) };
      await builder.client.propose({ proposalId: id, toolName: 'Bash', input });
      await crashed();
      expect((await waiting(builder.pid(id))).approval.version).toBe(0);
      await cardOf(builder.pid(id));
      await builder.client.cancel(id);
      expect(await builder.wait(id)).toMatchObject({ outcome: 'cancelled' });
    });
  });

  it('after a cancel was written, before the workflow was woken: the cancel comes again and wakes it', async () => {
    const id = await builder.run('git push origin cancelled-in-between');
    await cardOf(builder.pid(id));
    await redeliveringSoon('Proposals', async () => {
      const crashed = functions.arm({ function: 'evaluate', when: 'before', command: 'SendTaskFailure' });
      await builder.client.cancel(id);
      await crashed();
      expect((await approvalOf(builder.pid(id)))?.approval.status).toBe('cancelled');
      expect(await builder.wait(id)).toMatchObject({ outcome: 'cancelled' });
    });
    expect(await sortsOf('builder', builder.pid(id))).toEqual(['cancel', 'decided', 'evaluated']);
  });
});

it('a workflow that could not be started is started by the reconciler', async () => {
  const { outputs } = await e2eGate();
  const id = await misled('evaluate', { STATE_MACHINE_ARN: `${outputs.StateMachineArn}-gone` }, async () => {
    const proposed = await builder.run('git push origin unstarted');
    await waiting(builder.pid(proposed));
    // Read after it, decided: the first message is done with, and its workflow was refused.
    await builder.wait(await builder.run('git status'));
    return proposed;
  });
  const pid = builder.pid(id);
  expect(await statusOf(pid)).toBeUndefined();
  expect(await cardsOf(pid)).toEqual([]);
  await reconcileNow(pid);
  expect(await statusOf(pid)).toBe('RUNNING');
  await approvedOnce(id);
});
