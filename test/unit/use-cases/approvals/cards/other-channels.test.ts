/** Tests cards of one question in several channels: who is asked in each of them. */
import { describe, expect, test } from 'vitest';
import type { RenderedCard } from '../../../../../shared/adapters/slack/cards/card.ts';
import { bash, policyOf, World } from '../../world.ts';

const MINUTE = 60_000;
const approvers = [
  '  platform: { members: [alice], channel: approvals }',
  '  security: { members: [bob], channel: security }',
  '  both: { members: [alice, bob], channel: approvals }',
].join('\n');
const FIRST = '{ group: platform, timeout: 10m, escalateTo: security }';

let world: World;
const cardIn = (channel: string): RenderedCard => {
  const found = [...world.slack.cards].find(([at]) => at.startsWith(channel))?.[1];
  if (!found) throw new Error(`no card in ${channel}`);
  return found;
};
const hasButtons = (channel: string) => cardIn(channel).blocks.some(({ type }) => type === 'actions');
const escalated = async (stages: string) => {
  world = new World(policyOf({ approvers, approvals: `{ stages: [${stages}], timeout: 1h }` }));
  await world.send(bash('p1'));
  await world.clock.advance(11 * MINUTE);
  expect(hasButtons('C0SECURITY')).toBe(true);
};

describe('in the channel of an escalation', () => {
  test('a call that was changed waits for the first group again, and has no buttons', async () => {
    await escalated(FIRST);
    await world.edit('p1', 'bob', { command: 'git push origin other' });
    expect(hasButtons('C0APPROVALS')).toBe(true);
    expect(hasButtons('C0SECURITY')).toBe(false);
    const text = JSON.stringify(cardIn('C0SECURITY').blocks);
    expect(text).toContain('Waits for platform: coder wants to run git push origin other');
    expect(text).toContain('Now with *platform* in <#C0APPROVALS>');
    await world.clock.advance(11 * MINUTE);
    expect(hasButtons('C0SECURITY'), 'of the next escalation').toBe(true);
  });

  test('a call that its group approved has no buttons, and names who approved it', async () => {
    await escalated(`${FIRST}, { group: both }`);
    await world.click('p1', 'bob');
    expect(hasButtons('C0SECURITY')).toBe(false);
    expect(JSON.stringify(cardIn('C0SECURITY').blocks)).toContain(
      'platform approved (Bob). Now with *both* in <#C0APPROVALS>',
    );
  });

  test('a further stage that is asked there is told in the thread: an update of the card tells nobody', async () => {
    await escalated(`${FIRST}, { group: security }`);
    const told = world.slack.thread.length;
    await world.click('p1', 'alice');
    expect(world.slack.thread.slice(told)).toEqual([
      '<@U0BOB> git push origin main of coder waits for your answer. Until 10:00 UTC.',
    ]);
  });

  test('and is told by its card alone where nothing escalated', async () => {
    world = new World(policyOf({ approvers, approvals: `{ stages: [${FIRST}, { group: security }], timeout: 1h }` }));
    await world.send(bash('p1'));
    await world.click('p1', 'alice');
    expect(cardIn('C0SECURITY').text).toContain('One of security decides');
    await world.clock.advance(3 * MINUTE);
    expect(world.slack.thread).toEqual([]);
  });
});
