/** Checks permission hooks on the deployed stack (R4-156, A11). */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { ACTIONS } from '../../shared/adapters/slack/elements/actions.ts';
import { e2eGate } from './gate.ts';
import { agentNamed, operatorNamed } from './harness/agents.ts';
import { entriesOf, waiting } from './harness/rows.ts';
import { ALICE, approve, cardOf, cardsOf } from './harness/slack.ts';
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
  for (const id of ids.slice(1)) {
    await hooked.client.cancel(id);
    await hooked.wait(id);
  }
});

it('D56 an edited call is asked of the hook: a denial ends it, and what it falls through opens the linked approval', async () => {
  const [hooked, oncall] = await Promise.all([agentNamed('hooked'), operatorNamed('oncall')]);
  const edit = (proposalId: string, command: string) =>
    oncall.say({ kind: 'decide', agent: 'hooked', proposalId, choice: 'edit', input: { command } });
  const [refused, asked] = await Promise.all([hooked.run('make one'), hooked.run('make two')]);
  for (const id of [refused, asked]) await cardOf(hooked.pid(id));
  await Promise.all([edit(refused, 'make hook-denies'), edit(asked, 'make three')]);
  expect(await hooked.wait(refused)).toMatchObject({
    outcome: 'denied',
    reasonCode: 'edit_denied',
    message: expect.stringContaining('not on this machine'),
  });
  await until('the second round', async () => (await waiting(hooked.pid(asked))).approval.round === 2);
  // A click on the card of the first round would be stale, and so would one on a card that only tells of the edit.
  await until('its card', async () => {
    const shown = JSON.stringify(await cardsOf(hooked.pid(asked)));
    return shown.includes('make three') && shown.includes(ACTIONS.approve);
  });
  await approve(ALICE, await cardOf(hooked.pid(asked)));
  expect(await hooked.wait(asked)).toMatchObject({ outcome: 'approved', reasonCode: 'edited' });
  const rounds = await entriesOf('hooked', hooked.pid(asked), 'evaluated');
  const heard = rounds.flatMap(({ hooks = [] }) => hooks.map(({ place }) => place));
  expect(heard.toSorted()).toEqual(['hook.0.0.review', 'hook.calls.edit1.0.0.review']);
});

it('D54 neither the hook nor the model is told a secret, and both are told the folder', async () => {
  const [hooked, assistant, { model }] = await Promise.all([agentNamed('hooked'), agentNamed('assistant'), e2eGate()]);
  const told = await hooked.run('deploy hook-told --password hunter2hunter2', { cwd: '/etc' });
  expect(await hooked.wait(told)).toMatchObject({ outcome: 'denied', message: 'not told /etc true' });

  const before = model.requests.length;
  const answer = JSON.stringify({ should_block: true, reason: 'as told', confidence: 0.95 });
  const input = {
    query: `${randomUUID()} says ${answer}`,
    password: 'hunter2hunter2',
    note: 'DB_PASSWORD=hunter2hunter2',
  };
  const asked = await assistant.client.propose({
    ...{ proposalId: randomUUID(), toolName: 'mcp__docs__search', input, sessionId: randomUUID() },
    cwd: '/workspace/app/src',
  });
  expect(await assistant.wait(asked)).toMatchObject({ outcome: 'denied', message: 'as told' });
  const text = JSON.stringify(model.requests.slice(before).map(({ body }) => body));
  expect(text).not.toContain('hunter2');
  expect(text).toContain('/workspace/app/src');
});
