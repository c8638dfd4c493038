/**
 * Plays a proposal's way with a failure at one call of one port, and reports the result (G27, G33).
 *
 * Covers G27 and G33.
 */
import { expect } from 'vitest';
import type { PolicyDocument } from '../../../shared/config/document.ts';
import { Failing, type Failure, isAsBeforeNext } from './crashes.ts';
import { World } from './world.ts';

const MINUTE = 60_000;

export interface Scenario {
  readonly name: string;
  readonly run: (world: World) => Promise<void>;
  /** The answer of a hook of the policy file about a command. */
  readonly hook?: (command: string) => 'ask' | 'deny';
  /** Outcomes that the agent may hear in the end; more than one where people may not come through at all. */
  readonly outcomes: readonly string[];
  /** How many approvals the row of an approved proposal holds; 1 by default. */
  readonly approvals?: number;
  /** Further checks of the end. */
  readonly check?: (world: World) => Promise<void>;
}

interface Played {
  readonly world: World;
  readonly failing: Failing;
  /** Whether the row that ended had its decision within the reconciler's time. */
  readonly soon: boolean;
  /** Calls of ports until people and agents had done all they do. */
  readonly calls: number;
}

/** A person whose click failed clicks again; one whose click counted, though the answer was lost, is told that it is decided. */
export async function insist(click: () => Promise<unknown>, world: World): Promise<void> {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      await click();
      return;
    } catch {
      await world.clock.advance(5_000);
    }
  }
}

/** Long enough for a message that was put back once. */
export const arrive = (world: World) => world.clock.advance(70_000);

export async function play(scenario: Scenario, policy: PolicyDocument, failure: Failure | undefined): Promise<Played> {
  const failing: Failing = new Failing(failure, () => world.clock);
  const { hook } = scenario;
  const world: World = new World(policy, { wrap: failing.wrap, ...(hook ? { hooks: hooksSaying(hook) } : {}) });
  await scenario.run(world);
  const { calls } = failing;
  await world.clock.advance(5 * MINUTE);
  const soon = await decidedIfEnded(world);
  await world.clock.advance(5 * MINUTE);
  return { world, failing, soon, calls };
}

const hooksSaying = (hook: NonNullable<Scenario['hook']>) => ({
  after: () => () => undefined,
  caller: {
    async call(_: unknown, body: string) {
      const { tool_input: input } = JSON.parse(body) as { tool_input: { command: string } };
      return JSON.stringify({ decision: hook(input.command) });
    },
  },
});

async function decidedIfEnded(world: World): Promise<boolean> {
  const view = await world.look.approvals.read(world.pid('p1'));
  return !view || view.approval.status === 'pending' || view.decision !== undefined;
}

const WORDS: Readonly<Record<string, string>> = {
  approved: 'Approved',
  denied: 'Rejected',
  expired: 'Expired',
  cancelled: 'Cancelled',
};

export async function check(scenario: Scenario, { world, soon }: Played): Promise<void> {
  const decision = await world.decided('p1');
  expect(scenario.outcomes).toContain(decision.outcome);
  expect(soon, 'a row that ended is decided within minutes').toBe(true);

  const types = (await world.audit('p1')).map(({ type }) => type);
  const view = await world.look.approvals.read(world.pid('p1'));
  const claims = types.filter((type) => type === 'evaluated' || type === 'cancel').length;
  expect(claims).toBeGreaterThanOrEqual(1);
  expect(types.filter((type) => type === 'decided')).toHaveLength(view ? 1 : 0);
  expect([world.waiting('agent', 'coder'), world.waiting('group', 'platform')].map(Math.abs)).toEqual([0, 0]);
  expect(await world.look.approvals.due(Number.MAX_SAFE_INTEGER, 10), 'nothing is left to look after').toEqual([]);
  expect(world.gate.workflow.waiting, 'every token was answered').toBe(0);
  // Nothing of a card is set aside for good: its row asks for it again.
  const { cards: _, ...queues } = world.gate.queues;
  for (const queue of Object.values(queues)) expect(queue.deadLetters).toEqual([]);

  const replies = world.gate.replies.sentTo('coder').filter(({ proposalId }) => proposalId === 'p1');
  expect(replies.length, 'the agent’s queue got the decision').toBeGreaterThan(0);
  for (const reply of replies) expect(reply).toEqual(decision);

  if (view) {
    expect(view.decision).toEqual(decision);
    const approvals = view.approval.votes.filter(({ choice }) => choice === 'approve');
    if (decision.outcome === 'approved')
      expect(approvals.length, 'nothing is approved without people (G9)').toBe(scenario.approvals ?? 1);
    const edited = view.approval.status === 'edited';
    // A card that was posted and never registered stays as it was, until somebody clicks on it (A22).
    for (const { channel, ts } of view.cards) {
      const { text } = world.slack.cards.get(`${channel}#${ts}`) ?? {};
      expect(text, 'the card shows how it ended').toContain(edited ? 'Changed' : WORDS[decision.outcome]);
    }
  }
  await scenario.check?.(world);
}

export const KINDS = (['before', 'after'] as const).flatMap((when) =>
  (['fault', 'crash'] as const).map((kind) => ({ when, kind })),
);

/** Lets one call after the other fail, the `most` first at most; what went wrong, by the call that failed. */
export async function brokenBy(
  scenario: Scenario,
  policy: PolicyDocument,
  { when, kind }: Pick<Failure, 'when' | 'kind'>,
  most = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const broken: string[] = [];
  const { instants } = (await play(scenario, policy, undefined)).failing;
  for (let at = 1; at <= Math.min(most, instants.length); at++) {
    if (isAsBeforeNext({ at, when, kind }, instants)) continue;
    const name = (failing?: Failing) => `${at}: ${failing?.hit ?? 'nothing failed'}`;
    let played: Played | undefined;
    try {
      played = await play(scenario, policy, { at, when, kind });
      expect(played.failing.hit).toBeDefined();
      await check(scenario, played);
    } catch (error) {
      broken.push(`${name(played?.failing)}: ${(error as Error).message.split('\n').slice(0, 3).join(' ')}`);
    }
  }
  return broken;
}
