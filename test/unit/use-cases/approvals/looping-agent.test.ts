/**
 * Checks that an agent in a loop leaves others their turn in the channel (A22, G34).
 *
 * The agent asks and withdraws, and Slack limits both.
 */
import { beforeAll, expect, test } from 'vitest';
import { SlackBusyError } from '../../../../shared/adapters/slack/posting/errors.ts';
import { LimitedSlack } from '../limited-slack.ts';
import { bash, policyOf, World } from '../world.ts';

const MINUTE = 60_000;
const STEP_MS = 500;
const EACH_MS = 7_300;
const LASTS_MS = 5 * MINUTE;
const AGENTS = { agents: '  coder: { owner: olga }\n  builder: { owner: olga }' };

interface Played {
  /** Milliseconds from the question of the calm agent to its card, for each. */
  readonly waits: readonly number[];
  readonly slack: LimitedSlack;
  readonly world: World;
  /** Cards of the looping agent, by the minute in which they were posted. */
  readonly byMinute: readonly number[];
}

/** `coder` asks each few seconds; if `loops`, `builder` asks twice a second and withdraws each question once its card stands. */
async function played({ loops, approvals }: { readonly loops: boolean; readonly approvals?: string }): Promise<Played> {
  const slack: LimitedSlack = new LimitedSlack(() => world.clock);
  const world: World = new World(policyOf({ ...AGENTS, ...(approvals ? { approvals } : {}) }), { poster: slack });
  const began = world.clock.now();
  const asked = new Map<string, number>();
  const open = new Set<string>();
  let nextAsk = EACH_MS;
  for (let now = 0, turn = 0; now < LASTS_MS; now += STEP_MS, turn++) {
    if (now >= nextAsk) {
      nextAsk += EACH_MS;
      const id = `calm-${turn}`;
      asked.set(id, world.clock.now());
      await world.send(bash(id, `git push calm ${turn}`));
      // The oldest approval is answered in time, so that its room is free.
      if (turn > 30) await answerOldest(world, asked);
    }
    if (loops) {
      const id = `loop-${turn}`;
      open.add(id);
      await world.send(bash(id, `git push loop ${turn}`), { agent: 'builder' });
      for (const one of open) await withdrawOnceShown(one);
    }
    await world.clock.advance(STEP_MS);
  }
  await world.clock.advance(MINUTE);

  const waits = [...asked].map(([id, at]) => (postedAt(id) ?? Number.POSITIVE_INFINITY) - at);
  const loopCards = slack.posted.filter(({ card }) => JSON.stringify(card).includes('push loop'));
  const byMinute = Object.values(Object.groupBy(loopCards, ({ at }) => String(Math.floor((at - began) / MINUTE)))).map(
    (cards) => cards?.length ?? 0,
  );
  return { waits, slack, world, byMinute };

  function postedAt(id: string): number | undefined {
    // On a card of its own, or on one that lists several calls.
    const text = new RegExp(`git push ${id.replace('-', ' ')}["\`]`);
    return slack.drawn.find(({ card }) => text.test(JSON.stringify(card.blocks)))?.at;
  }

  async function withdrawOnceShown(id: string): Promise<void> {
    const { approvals, cards } = world.gate.parts.state;
    const pid = world.pid(id, 'builder');
    if (approvals.has(pid) && !cards.has(pid)) return;
    open.delete(id);
    if (approvals.has(pid))
      await world.send({ kind: 'cancel', proposalId: `c-${id}`, cancels: id }, { agent: 'builder' });
  }
}

async function answerOldest(world: World, asked: ReadonlyMap<string, number>): Promise<void> {
  for (const id of asked.keys()) {
    const view = await world.look.approvals.read(world.pid(id));
    if (view?.approval.status !== 'pending' || !view.cards.length) continue;
    await world.click(id, 'alice');
    return;
  }
}

const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;

let alone: Played;
let beside: Played;
let besideUnlisted: Played;
beforeAll(async () => {
  alone = await played({ loops: false });
  beside = await played({ loops: true });
  besideUnlisted = await played({ loops: true, approvals: UNLISTED });
}, 60_000);

test("another agent's time to card stays within one and a half times its own alone", async () => {
  expect(alone.waits.length).toBeGreaterThan(35);
  expect(beside.waits).toHaveLength(alone.waits.length);
  expect(mean(beside.waits)).toBeLessThanOrEqual(1.5 * mean(alone.waits));
  expect(Math.max(...beside.waits)).toBeLessThan(5_000);
});

test('so it does where each call has a card of its own', async () => {
  expect(besideUnlisted.waits).toHaveLength(alone.waits.length);
  expect(Math.max(...besideUnlisted.waits)).toBeLessThan(5_000);
});

test('new cards of one agent are bounded a minute, the rest wait in line, and the row and the channel are told', async () => {
  const { byMinute, world, slack } = besideUnlisted;
  const { burst, perMinute } = world.gate.parts.policy.settings.approvals.newCards;
  expect(byMinute[0]).toBeLessThanOrEqual(burst + perMinute);
  for (const cards of byMinute.slice(1)) expect(cards).toBeLessThanOrEqual(perMinute + 1);
  const problems = [...world.gate.parts.state.approvals.values()].map(({ cardProblem }) => cardProblem);
  expect(problems).toContain('in_line');
  expect(slack.posted.length).toBeLessThan(200);
});

test('an agent that asks in a loop and is listed posts even less', async () => {
  const { slack, byMinute } = beside;
  const { burst, perMinute } = beside.world.gate.parts.policy.settings.approvals.newCards;
  for (const cards of byMinute) expect(cards).toBeLessThanOrEqual(burst + perMinute);
  expect(slack.posted.length).toBeLessThanOrEqual(besideUnlisted.slack.posted.length);
});

test('a hundred asks, decided and run, cost Slack a post and two updates each, and no reply in a thread', async () => {
  const world = new World(policyOf({ ...AGENTS, approvals: APPROVALS_AT_ONCE }));
  const sent = { post: 0, update: 0, reply: 0 };
  for (const method of ['post', 'update', 'reply'] as const) {
    const own = world.slack[method].bind(world.slack) as (...given: unknown[]) => Promise<never>;
    world.slack[method] = async (...given: unknown[]) => {
      sent[method] += 1;
      return own(...given);
    };
  }
  for (let ask = 0; ask < 100; ask++) {
    const id = `p${ask}`;
    await world.send(bash(id, `git push ${ask}`));
    await world.click(id, 'alice');
    const permitId = (await world.decided(id)).calls[0]?.permit?.permitId ?? '';
    const ran = { callId: 'call', permitId, status: 'succeeded', durationMs: 5 } as const;
    await world.gate.parts.cards.ran(world.pid(id), 'C0APPROVALS', ran, 'coder');
    await world.rest();
  }
  expect(sent).toEqual({ post: 100, update: 200, reply: 0 });
});

const UNLISTED = '{ approvers: platform, timeout: 1h, newCards: { listFrom: 1000 } }';
const APPROVALS_AT_ONCE = '{ approvers: platform, timeout: 1h, newCards: { burst: 100, perMinute: 100 } }';

test('an update that Slack makes wait holds up no first post', async () => {
  const world = new World(policyOf(AGENTS));
  await world.send(bash('p1'));
  world.slack.update = async () => Promise.reject(new SlackBusyError(600));
  await world.click('p1', 'alice');
  await world.send(bash('p2', 'git push next'));
  expect(world.slack.titles).toHaveLength(2);
});

test('several requests for one state of a row are one update', async () => {
  const world = new World(policyOf(AGENTS));
  const { update } = world.slack;
  let updates = 0;
  world.slack.update = async (...given) => {
    updates += 1;
    return update.apply(world.slack, given);
  };
  await world.send(bash('p1'));
  world.slack.down = true;
  await world.click('p1', 'alice');
  const { cards } = world.gate.parts;
  for (const revision of ['a', 'b', 'c'])
    await cards.refresh(world.pid('p1'), 'C0APPROVALS', revision, { agent: 'coder', only: 'update' });
  world.slack.down = false;
  updates = 0;
  await world.clock.advance(3 * MINUTE);
  expect(updates).toBe(1);
});
