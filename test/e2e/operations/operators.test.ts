/** Checks operators: the emergency brake during a wait, and announced break-glass votes (A5, A18). */
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { e2eGate } from '../gate.ts';
import { type Agent, agentNamed, newId, operatorNamed } from '../harness/agents.ts';
import { approvalOf, entriesOf } from '../harness/rows.ts';
import { ALICE, APPROVALS, approve, cardOf, cardSays } from '../harness/slack.ts';
import { until } from '../harness/until.ts';

let builder: Agent;
let oncall: Awaited<ReturnType<typeof operatorNamed>>;
let backup: Awaited<ReturnType<typeof operatorNamed>>;
beforeAll(async () => {
  builder = await agentNamed('builder');
  [oncall, backup] = await Promise.all([operatorNamed('oncall'), operatorNamed('backup')]);
});

afterEach(() => oncall.done({ kind: 'pause', scope: { agent: 'builder' }, effect: 'lift' }));

describe('pause', () => {
  it('denies new calls, and what people approve while it holds, and is lifted again', async () => {
    const id = await builder.run('git push origin paused');
    const card = await cardOf(builder.pid(id));
    const paused = await oncall.done({ kind: 'pause', scope: { agent: 'builder' }, effect: 'deny' });
    expect(paused).toMatchObject({ accepted: true, reasonCode: 'paused_deny', decidedBy: { id: 'oncall' } });
    expect(await builder.wait(await builder.run('git status'))).toMatchObject({ outcome: 'denied' });

    await approve(ALICE, card);
    const decision = await builder.wait(id);
    expect(decision.outcome).toBe('denied');
    expect(decision.calls[0]).not.toHaveProperty('permit');
    await cardSays(builder.pid(id), 'Not run: an operator paused this');

    await oncall.done({ kind: 'pause', scope: { agent: 'builder' }, effect: 'lift' });
    expect(await builder.wait(await builder.run('git status'))).toMatchObject({ outcome: 'approved' });
  });

  it('holds for the one agent that it names, and only until its time', async () => {
    const until = new Date(Date.now() + 3_000).toISOString();
    await oncall.done({ kind: 'pause', scope: { agent: 'builder' }, effect: 'deny', until });
    const writer = await agentNamed('writer');
    expect(await writer.wait(await writer.run('git status'))).toMatchObject({ outcome: 'approved' });
    const ends = Date.parse(until);
    const first = await builder.wait(await builder.run('git status'));
    if (Date.parse(first.decidedAt) < ends) expect(first.outcome).toBe('denied');
    while (Date.now() < ends) await builder.wait(await builder.run('git status'));
    expect(await builder.wait(await builder.run('git status'))).toMatchObject({ outcome: 'approved' });
  });

  it('is announced to everybody who approves', async () => {
    const { slack } = await e2eGate();
    await oncall.done({ kind: 'pause', scope: { agent: 'builder' }, effect: 'ask' });
    const words = /\(operator oncall\): pause every call of the agent builder: people are asked\. Done\./;
    await until('the announcement', () => slack.messages(APPROVALS, ({ text }) => words.test(text))[0]);
  });

  it('is announced under the id of an earlier operation as well, and in one line', async () => {
    const { slack } = await e2eGate();
    const operationId = newId();
    const about = { operationId, scope: { agent: 'builder' } };
    await oncall.done({ kind: 'set-mode', operationId, agent: 'builder', session: newId(), mode: 'plan' });
    await oncall.done({ kind: 'pause', ...about, effect: 'deny' });
    await oncall.done({ kind: 'pause', ...about, effect: 'lift' });
    for (const what of ['set the mode of builder', 'pause every call of the agent builder: it is denied', 'lift the'])
      await until(
        `the announcement: ${what}`,
        () => slack.messages(APPROVALS, ({ text }) => text.includes(`: ${what}`) && !text.includes('\n'))[0],
      );
  });
});

describe('decide', () => {
  it('is one vote of the operator’s person, who is named on the record and on the card', async () => {
    const id = await builder.run('git push origin glass');
    const pid = builder.pid(id);
    await cardOf(pid);
    await oncall.done({ kind: 'decide', agent: 'builder', proposalId: id, choice: 'approve' });
    expect(await builder.wait(id)).toMatchObject({ outcome: 'approved', decidedBy: { id: 'T0E2E/U0BOB' } });
    const [card] = await cardSays(pid, 'Approved');
    expect(JSON.stringify(card?.blocks)).toContain('(operator)');
    expect(await entriesOf('builder', pid, 'vote')).toMatchObject([{ accepted: true, detail: 'operators' }]);
  });

  it('is refused to an operator who owns the agent', async () => {
    const id = await builder.run('git push origin own');
    const pid = builder.pid(id);
    const card = await cardOf(pid);
    const entry = await backup.done({ kind: 'decide', agent: 'builder', proposalId: id, choice: 'approve' });
    expect(entry).toMatchObject({ accepted: false, reasonCode: 'owner_cannot_approve' });
    expect((await approvalOf(pid))?.approval.votes).toEqual([]);
    await approve(ALICE, card);
    expect(await builder.wait(id)).toMatchObject({ outcome: 'approved' });
  });

  it('never lifts what a rule denies', async () => {
    const id = await builder.run('rm -rf everything');
    const denied = await builder.wait(id);
    const entry = await oncall.done({ kind: 'decide', agent: 'builder', proposalId: id, choice: 'approve' });
    expect(entry).toMatchObject({ accepted: false, reasonCode: 'unknown_approval' });
    expect(await builder.wait(id)).toEqual(denied);
  });
});

it('an agent is no operator: its role may not send to the operators queue', async () => {
  const { outputs } = await e2eGate();
  const message = { QueueUrl: outputs.OperatorsQueueUrl, MessageBody: '{}' };
  await expect(builder.sqs.send(new SendMessageCommand(message))).rejects.toThrow(/not authorized/);
});
