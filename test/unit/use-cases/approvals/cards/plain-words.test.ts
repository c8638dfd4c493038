/** Checks that a card of which Slack takes the plain words alone counts as unseen. */
import { expect, test } from 'vitest';
import type { RenderedCard } from '../../../../../shared/adapters/slack/cards/card.ts';
import { SlackRefusedError } from '../../../../../shared/adapters/slack/posting/errors.ts';
import type { Card } from '../../../../../shared/ports/stores/approval-store.ts';
import { bash, FakeSlack, policyOf, World } from '../../world.ts';
import { CHANNEL, MINUTE } from './burst-world.ts';

const SILENT = '{ approvers: platform, timeout: 1h, timeoutBehavior: Approve, newCards: { listFrom: 3 } }';

/** Takes no blocks with buttons for as long as `refuses` holds. */
class PickySlack extends FakeSlack {
  refuses = true;
  readonly #refused = new SlackRefusedError('invalid_blocks');

  override async post(channel: string, card: RenderedCard): Promise<Card> {
    const place = await super.post(channel, this.#taken(card));
    return this.refuses ? { ...place, ...{ refused: this.#refused } } : place;
  }
  override async update(at: Card, card: RenderedCard): Promise<boolean> {
    await super.update(at, this.#taken(card));
    if (this.refuses) throw this.#refused;
    return true;
  }
  #taken = (card: RenderedCard): RenderedCard => (this.refuses ? { ...card, ...card.plain } : card);
}

function pickyWorld(approvals: string) {
  const slack = new PickySlack();
  return { slack, world: new World(policyOf({ approvals }), { poster: slack }) };
}

const look = async (world: World, only: 'post' | 'update', revision: string) => {
  await world.gate.parts.cards.refresh(world.pid('p1'), CHANNEL, revision, { agent: 'coder', only });
  await world.rest();
};
const promisesRun = (slack: FakeSlack): boolean => {
  const { text = '', blocks = [] } = [...slack.cards.values()].at(-1) ?? {};
  return /then it runs without an answer/i.test(`${text} ${JSON.stringify(blocks)}`);
};
const hasButtons = (slack: FakeSlack) => JSON.stringify([...slack.cards.values()].at(-1)?.blocks).includes('action_id');

test('a look for missing cards does not make silence about a card without buttons a yes', async () => {
  const { slack, world } = pickyWorld(SILENT);
  await world.send(bash('p1'));
  expect(hasButtons(slack)).toBe(false);
  await look(world, 'post', 'again');
  expect((await world.row('p1')).cardProblem).toBe('refused');
  expect(promisesRun(slack)).toBe(false);
  await world.clock.advance(62 * MINUTE);
  expect(await world.decided('p1')).toMatchObject({ outcome: 'expired', reasonCode: 'expired' });
});

test('once an update is taken, the card has its buttons, and silence about it counts', async () => {
  const { slack, world } = pickyWorld(SILENT);
  await world.send(bash('p1'));
  slack.refuses = false;
  await look(world, 'update', 'again');
  expect([hasButtons(slack), promisesRun(slack)]).toEqual([true, true]);
  expect((await world.row('p1')).cardProblem).toBeUndefined();
  await world.clock.advance(62 * MINUTE);
  expect(await world.decided('p1')).toMatchObject({ outcome: 'approved', reasonCode: 'timeout_approved' });
});

test('so it is with one that was drawn before: drawn anew it is refused, and no look at the same row takes that back', async () => {
  const { slack, world } = pickyWorld(SILENT);
  slack.refuses = false;
  await world.send(bash('p1'));
  await look(world, 'update', 'first');
  slack.refuses = true;
  await world.gate.parts.cards.refresh(world.pid('p1'), CHANNEL, 'anew', {
    agent: 'coder',
    only: 'update',
    anew: true,
  });
  await world.rest();
  await look(world, 'update', 'again');
  expect(hasButtons(slack)).toBe(false);
  expect((await world.row('p1')).cardProblem).toBe('refused');
});

test('a list in plain words stays refused until it is taken, however often it is drawn', async () => {
  const { slack, world } = pickyWorld(SILENT);
  slack.refuses = false;
  for (const id of ['p1', 'p2']) await world.send(bash(id, `git push ${id}`));
  slack.refuses = true;
  await world.send(bash('p3', 'git push p3'));
  await world.clock.advance(20_000);
  const again = async (revision: string) => {
    const { cards } = await world.row('p3');
    await world.gate.parts.cards.list(cards[0]?.list ?? '', CHANNEL, 'coder', revision);
    await world.clock.advance(20_000);
    return (await world.row('p3')).cardProblem;
  };
  expect([await again('one'), await again('two')]).toEqual(['refused', 'refused']);
  expect([hasButtons(slack), promisesRun(slack)]).toEqual([false, false]);
  slack.refuses = false;
  expect(await again('three')).toBeUndefined();
  expect([hasButtons(slack), promisesRun(slack)]).toEqual([true, true]);
});

test('the thread of a card whose update Slack refuses is told the news, once', async () => {
  const { slack, world } = pickyWorld('{ stages: [{ group: platform, remind: 20m }], timeout: 1h }');
  slack.refuses = false;
  await world.send(bash('p1'));
  slack.refuses = true;
  await world.clock.advance(21 * MINUTE);
  expect(slack.thread).toHaveLength(1);
  await look(world, 'update', 'again');
  expect(slack.thread).toHaveLength(1);
  await world.click('p1', 'alice');
  const told = slack.thread.length;
  const { permit } = (await world.decided('p1')).calls[0] ?? {};
  const ran = {
    callId: 'call',
    permitId: permit?.permitId ?? '',
    status: 'failed',
    durationMs: 5,
    errorCode: 'E_DOWN',
  } as const;
  await world.gate.parts.cards.ran(world.pid('p1'), CHANNEL, ran, 'coder');
  await world.rest();
  expect(slack.thread.slice(told).join()).toContain('E_DOWN');
});
