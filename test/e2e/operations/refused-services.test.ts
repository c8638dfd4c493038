/**
 * Checks that the deployed gate goes on by itself after services refused it (A12, G27).
 *
 * Secrets Manager, S3, KMS and Step Functions, each for longer than the receipts of a message last. Nothing is allowed meanwhile,
 * and nothing is lost.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import type { GateFunctionName } from '../../../cdk/constructs/functions/function-names.ts';
import { INVENTED_SECRETS } from '../../support/invented-secrets.ts';
import { type Agent, agentNamed, newId } from '../harness/agents.ts';
import { renewed } from '../harness/functions.ts';
import { messagesIn, redeliveringSoon } from '../harness/queues.ts';
import { deadLetterUrl } from '../harness/resources.ts';
import { without } from '../harness/rights.ts';
import { approvalOf, recordsOf, waiting } from '../harness/rows.ts';
import { ALICE, approve, cardOf, cardsOf, viewAll } from '../harness/slack.ts';
import { reconcileNow } from '../harness/time.ts';
import { until } from '../harness/until.ts';

let builder: Agent;
beforeAll(async () => {
  builder = await agentNamed('builder');
});

/** Longer than five receipts of a message that comes again each second. */
const OUTAGE_MS = 12_000;

/** Longer than `deliberate` takes for a message on a busy machine. */
const DEFERRED_AGAIN_S = 20;

/** None of the functions may take the action while `work` runs. */
const withoutAll = <Result>(
  [first, ...others]: readonly GateFunctionName[],
  action: string,
  work: () => Promise<Result>,
): Promise<Result> => (first === undefined ? work() : without(first, action, () => withoutAll(others, action, work)));

/**
 * Messages of agents come again each second, and the refusal to the functions that decide them lasts longer than that. On a busy machine a function
 * may have too little time for its first message afterwards, which would hide that for six minutes: so the first entry is waited for here.
 */
async function outlasted(action: string, send: () => Promise<string>, agent = builder): Promise<string> {
  const refused = async () => {
    const id = await withoutAll(['evaluate', 'deliberate'], action, async () => {
      await Promise.all([renewed('GateEvaluateFunction'), renewed('GateDeliberateFunction')]);
      const sent = await send();
      await delay(OUTAGE_MS);
      expect(await recordsOf(agent.name, agent.pid(sent))).toEqual([]);
      return sent;
    });
    expect(await messagesIn(await deadLetterUrl('Proposals'))).toEqual([]);
    expect(await messagesIn(await deadLetterUrl('Deferred'))).toEqual([]);
    await until(`an entry of ${id}`, async () => (await recordsOf(agent.name, agent.pid(id))).length > 0);
    return id;
  };
  const deferred = () => redeliveringSoon('Deferred', refused, { setAside: true, seconds: DEFERRED_AGAIN_S });
  return redeliveringSoon('Proposals', deferred, { setAside: true });
}

it('the secret of digests, to processes that start: the proposal waits, and is decided', async () => {
  const id = await outlasted('secretsmanager:GetSecretValue', () => builder.run('git status'));
  expect(await builder.wait(id)).toMatchObject({ outcome: 'approved' });
});

it('S3 takes no text of the record and no large input: the proposal waits, and people are asked', async () => {
  const id = await outlasted('s3:PutObject', () => builder.run(`git push origin ${'z'.repeat(9_000)}`));
  await viewAll(ALICE, await cardOf(builder.pid(id)), 'approve');
  expect(await builder.wait(id)).toMatchObject({ outcome: 'approved' });
});

it('KMS gives no key for a secret: its proposal waits, and people are asked', async () => {
  const secret = INVENTED_SECRETS.find(({ kind }) => kind === 'github')?.secret ?? '';
  const runner = await agentNamed('runner');
  const propose = () =>
    runner.client.propose({
      proposalId: newId(),
      toolName: 'RunSecret',
      input: { header: `Bearer ${secret}`, n: newId() },
    });
  const id = await outlasted('kms:GenerateDataKey', propose, runner);
  const pid = runner.pid(id);
  const card = await cardOf(pid);
  await without('resume', 'kms:Decrypt', async () => {
    await approve(ALICE, card);
    expect((await approvalOf(pid))?.approval.status).toBe('approved');
    await delay(OUTAGE_MS);
    expect((await approvalOf(pid))?.decision).toBeUndefined();
  });
  await reconcileNow(pid);
  expect(await runner.wait(id)).toMatchObject({ outcome: 'approved' });
});

it('S3 gives no large input: its card is posted once it does, and the answer counts once it does', async () => {
  const id = newId();
  const pid = builder.pid(id);
  await redeliveringSoon('Cards', async () => {
    await without('slack-out', 's3:GetObject', async () => {
      await builder.run(`git push origin ${'y'.repeat(9_000)}`, { proposalId: id });
      await waiting(pid);
      await delay(OUTAGE_MS);
      expect(await cardsOf(pid)).toEqual([]);
    });
  });
  const card = await cardOf(pid);
  await withoutAll(['resume', 'reconcile'], 's3:GetObject', async () => {
    await viewAll(ALICE, card, 'approve');
    await delay(OUTAGE_MS);
    await reconcileNow(pid);
    expect((await approvalOf(pid))?.decision).toBeUndefined();
  });
  await reconcileNow(pid);
  expect(await builder.wait(id)).toMatchObject({ outcome: 'approved' });
  expect(await messagesIn(await deadLetterUrl('Cards'))).toEqual([]);
});

it('Step Functions takes no answer: the decision stands at once, and its execution ends once it does', async () => {
  const id = await builder.run('git push origin unwoken');
  const pid = builder.pid(id);
  const card = await cardOf(pid);
  await withoutAll(['resume', 'reconcile'], 'states:SendTaskSuccess', async () => {
    await approve(ALICE, card);
    expect(await builder.wait(id)).toMatchObject({ outcome: 'approved' });
  });
  await reconcileNow(pid);
  expect((await approvalOf(pid))?.dueAt).toBeUndefined();
});
