/** Permission hooks on the deployed stack (R4-156, A11). */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { agentNamed } from './harness/agents.ts';
import { waiting } from './harness/rows.ts';
import { ALICE, approve, cardOf } from './harness/slack.ts';

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
