/** The `countersign` command against the deployed stack, each time a process with the rights of one role and no others. */
import { resolve } from 'node:path';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { beforeAll, describe, expect, it } from 'vitest';
import { sha256Hex } from '../../shared/domain/digest.ts';
import { run } from '../local/endpoint/run.ts';
import { until } from '../local/endpoint/testing/until.ts';
import { e2eGate } from './gate.ts';
import { type Agent, agentNamed, newId } from './harness/agents.ts';
import { misled } from './harness/functions.ts';
import { empty, messagesIn, redeliveringSoon } from './harness/queues.ts';
import { deadLetterUrl } from './harness/resources.ts';
import { recordsOf, waiting } from './harness/rows.ts';

const MAIN = resolve(import.meta.dirname, '../../shared/cli/main.ts');

type Environment = Readonly<Record<string, string | undefined>>;
let builder: Agent;
let auditor: Environment;
let oncall: Environment;
beforeAll(async () => {
  builder = await agentNamed('builder');
  const gate = await e2eGate();
  auditor = await gate.environmentOf('Auditor');
  oncall = await gate.environmentOf('Operator', 'oncall');
});

async function countersign(env: Environment, ...argv: readonly string[]) {
  const lines: string[] = [];
  const ended = await run(process.execPath, [MAIN, ...argv], {
    env: { ...env, NO_COLOR: '1' },
    onLine: (line) => lines.push(line),
  });
  return { code: ended.code, output: ended.output, lines };
}

async function json(env: Environment, ...argv: readonly string[]): Promise<Record<string, unknown>[]> {
  const { code, output, lines } = await countersign(env, ...argv, '--json');
  expect(code, output).toBe(0);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Waits until the record of operations holds the reason. */
const recorded = (reason: string) =>
  until(`the record of ${reason}`, async () => {
    const entries = await json(auditor, 'audit', '--operations');
    return entries.find(({ detail }) => detail === reason);
  });

describe('what waits and what was decided', () => {
  it('pending shows it, decide ends it, audit tells how', async () => {
    const id = await builder.run('git push origin by-command');
    await waiting(builder.pid(id));
    const pending = await json(auditor, 'pending', '--agent', 'builder');
    expect(pending.find(({ proposalId }) => proposalId === id)).toMatchObject({ tools: ['Bash'], asks: ['platform'] });
    // The list, and all that would run of this one.
    expect((await countersign(auditor, 'pending')).output).toContain(id);
    expect((await countersign(auditor, 'pending', id)).output).toContain('"command": "git push origin by-command"');

    const reason = `Slack is down ${newId()}`;
    const vote = ['decide', '--agent', 'builder', '--proposal', id, '--approve', '--reason', reason];
    expect((await countersign(oncall, ...vote)).code).toBe(0);
    expect(await builder.wait(id)).toMatchObject({ outcome: 'approved', decidedBy: { id: 'T0E2E/U0BOB' } });
    expect(await recorded(reason)).toMatchObject({ accepted: true, decidedBy: { type: 'human', id: 'oncall' } });

    const trail = await json(auditor, 'audit', id, '--agent', 'builder');
    expect(trail.map(({ type }) => type)).toEqual(['evaluated', 'vote', 'decided']);
    const shown = await countersign(auditor, 'audit', id, '--agent', 'builder');
    expect(shown.output).toMatch(/decided.*U0BOB.*approved/);
    for (const line of shown.lines) expect(line.length).toBeLessThanOrEqual(100);

    const newest = await json(auditor, 'audit', '--agent', 'builder', '--limit', '3');
    expect(newest).toHaveLength(3);
    expect(newest[0]).toMatchObject({ type: 'decided', proposalId: id });
  });

  it('is refused to an agent, in one line', async () => {
    for (const argv of [['pending'], ['audit', '--agent', 'builder']]) {
      const { code, output } = await countersign(builder.environment, ...argv);
      expect({ code, lines: output.trim().split('\n').length }).toEqual({ code: 1, lines: 1 });
      expect(output).toMatch(/not authorized/i);
    }
  });

  it('is brought back by nobody who may not', async () => {
    expect((await countersign(auditor, 'redrive', 'proposals')).code).toBe(1);
  });
});

it('pause holds for one agent and is lifted', async () => {
  const reason = `an incident ${newId()}`;
  const writer = await agentNamed('writer');
  const pause = ['pause', '--agent', 'writer', '--reason', reason];
  expect((await countersign(oncall, ...pause, '--deny', '--until', '10m')).code).toBe(0);
  expect(await recorded(reason)).toMatchObject({ accepted: true, reasonCode: 'paused_deny' });
  expect(await writer.wait(await writer.run('git status'))).toMatchObject({ outcome: 'denied' });
  const lifted = `over ${newId()}`;
  expect((await countersign(oncall, 'pause', '--agent', 'writer', '--lift', '--reason', lifted)).code).toBe(0);
  await recorded(lifted);
  expect(await writer.wait(await writer.run('git status'))).toMatchObject({ outcome: 'approved' });
});

it('redrive brings a message back as its own sender’s, in an operator’s hands (A12)', async () => {
  const { outputs } = await e2eGate();
  const dead = await deadLetterUrl('Outcomes');
  await empty(dead);
  const raw = JSON.stringify({ proposalId: newId() });
  await misled('collect-outcomes', { AUDIT_TABLE: 'nowhere' }, () =>
    redeliveringSoon('Outcomes', async () => {
      await builder.sqs.send(new SendMessageCommand({ QueueUrl: outputs.OutcomesQueueUrl, MessageBody: raw }));
      await until('the dead letter', async () => (await messagesIn(dead)).some(({ Body }) => Body === raw), 90_000);
    }),
  );
  expect(await json(oncall, 'redrive', 'outcomes')).toEqual([{ queue: 'outcomes', moved: 1, left: [] }]);
  const [refusal] = await until('the refusal in the name of its sender', async () => {
    const entries = await recordsOf('builder', sha256Hex(raw));
    return entries.length ? entries : undefined;
  });
  expect(refusal?.entry).toMatchObject({ type: 'refused', agent: 'builder', reasonCode: 'invalid_outcome' });
  expect(await messagesIn(dead)).toEqual([]);
});
