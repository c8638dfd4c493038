/** Permission hooks and rules of operators on the deployed stack (R4-156, A11, D10, D36). */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { dynamoSessionStore } from '../../shared/adapters/dynamodb/session-store.ts';
import { e2eGate } from './gate.ts';
import { agentNamed, operatorNamed } from './harness/agents.ts';
import { waiting } from './harness/rows.ts';
import { ALICE, approve, BOB, cardOf, reject } from './harness/slack.ts';
import { until } from './harness/until.ts';

it('a function that the policy file names as a hook allows and denies; what it cannot lift it does not', async () => {
  const hooked = await agentNamed('hooked');
  const [allowed, denied, lifted] = await Promise.all([
    hooked.run('make hook-allows'),
    hooked.run('git status hook-denies'),
    hooked.run('rm hook-allows'),
  ]);
  expect(await hooked.wait(allowed)).toMatchObject({ outcome: 'approved', reasonCode: 'hook' });
  expect(await hooked.wait(denied)).toMatchObject({ outcome: 'denied', message: 'not on this machine' });
  expect(await hooked.wait(lifted)).toMatchObject({ outcome: 'denied', decidedBy: { type: 'rule' } });
});

it('G9 a hook that fails, answers something else or is not there has a person asked where a rule would allow', async () => {
  const hooked = await agentNamed('hooked');
  const glob = { toolName: 'Glob', input: { pattern: 'src/*.ts' } } as const;
  const ids = await Promise.all([
    hooked.run('git status hook-throws'),
    hooked.run('git status hook-junk'),
    hooked.client.propose({ proposalId: randomUUID(), ...glob }),
  ]);
  for (const id of ids) await waiting(hooked.pid(id));
  const [first = ''] = ids;
  await approve(ALICE, await cardOf(hooked.pid(first)));
  expect(await hooked.wait(first)).toMatchObject({ outcome: 'approved', decidedBy: { type: 'human' } });
});

it('D10, D36 an operator adds a rule to one session and takes it back', async () => {
  const [builder, oncall] = [await agentNamed('builder'), await operatorNamed('oncall')];
  const { root, outputs } = await e2eGate();
  const sessions = dynamoSessionStore(root.dynamodb, { state: outputs.StateTable, audit: outputs.AuditTable });
  const session = randomUUID();
  const rules = (count: number) =>
    until(`${count} rules of the session`, async () => {
      const row = await sessions.read('builder', session);
      return row?.rules.length === count ? row : undefined;
    });
  const rule = { agent: 'builder', session, effect: 'allow', pattern: 'Bash(make docs:*)' };
  await oncall.say({ kind: 'add-rule', ...rule });
  await rules(1);
  const decision = await builder.wait(await builder.run('make docs', { sessionId: session }));
  expect(decision).toMatchObject({ outcome: 'approved', decidedBy: { type: 'rule' } });
  await oncall.say({ kind: 'remove-rule', ...rule });
  await rules(0);
  const id = await builder.run('make docs', { sessionId: session });
  await waiting(builder.pid(id));
  await reject(BOB, await cardOf(builder.pid(id)), 'Not now.');
  expect((await builder.wait(id)).outcome).toBe('denied');
});
