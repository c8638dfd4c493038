/** Checks that the card of an action which a policy chose promises what silence about it does. */
import { expect, test } from 'vitest';
import { choice, choicePolicy, choiceWorld } from '../choice-world.ts';

const MINUTE = 60_000;
const LENIENT = 'type: human-in-the-loop, delegate: { type: first-available }, timeoutBehavior: approve';
const LATE = `  late:
    type: composite
    proposer: { ${LENIENT}, timeout: 10m }
    approver: { ${LENIENT}, timeout: 55m }
    requiresApproval: { type: always }
`;
const stage = (timeout: string) => `stages: [{ group: platform, timeout: ${timeout}, escalateTo: security }]`;

test.each([
  ['the policy gives the time', 'lenient', 'approvers: platform', [true], 'answered'],
  ['a stage of the agent is shorter', 'lenient', 'stages: [{ group: platform, timeout: 5m }]', [false], 'expired'],
  ['an escalation makes the stage long enough', 'lenient', stage('5m'), [false, true], 'answered'],
  ['an escalation leaves the stage too short', 'lenient', stage('4m'), [false], 'expired'],
  ['the second question comes too late', 'late', 'approvers: platform', [true, false], 'expired'],
])('%s', async (_, policy, asks, promised, outcome) => {
  const agents = `  coder: { owner: olga, ${asks} }`;
  const { world } = choiceWorld(
    [],
    choicePolicy({ agents }, (trees) => `${trees}${LATE}`),
  );
  await world.send(choice('c1', policy));
  const told: boolean[] = [];
  for (let minutes = 0; minutes < 90 && !(await world.decision('c1')); minutes++) {
    const promises = world.slack.titles.join().includes('Then no answer counts as a yes, and a rule may ask once more');
    if (promises !== told.at(-1)) told.push(promises);
    await world.clock.advance(MINUTE);
  }
  expect(told).toEqual(promised);
  expect(await world.decided('c1')).toMatchObject({ outcome });
  const ended = outcome === 'answered' ? 'Approved' : 'Expired, not run';
  expect(world.slack.titles[0]).toContain(ended);
});

test('a rule that asks about the action asks once more after silence, as the first card says', async () => {
  const agents = '  coder: { owner: olga, approvers: platform }';
  const { world } = choiceWorld([], choicePolicy({ agents, ask: ['Flow(update_status)'] }));
  await world.send(choice('c1', 'lenient'));
  expect(world.slack.titles.join()).not.toContain('it runs without an answer');
  expect(world.slack.titles.join()).toContain('a rule may ask once more');
  await world.clock.advance(12 * MINUTE);
  expect(await world.decision('c1')).toBeUndefined();
  expect(world.slack.titles.join()).not.toContain('counts as a yes');
  await world.clock.advance(60 * MINUTE);
  expect(await world.decided('c1')).toMatchObject({ outcome: 'expired' });
});
