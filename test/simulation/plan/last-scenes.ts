/** Plays budgets, tool servers, forgers, the canary, chats with the task agent and dead letters. */
import { type Endpoint, FORGERIES, MINUTE, type Report, type Step } from '../model/plan.ts';
import { APPROVERS, LIMITS, POLICY_NAMES } from '../model/policies.ts';
import type { Dice } from '../model/random.ts';
import { callOf, clickBy, receiverOf } from './later-scenes.ts';
import type { Scene } from './scene.ts';

export const LAST_SCENES: readonly Scene[] = [
  /** An agent pays again and again until its budget of the day is spent, each time after the payment before. */
  (steps, dice) => {
    const at = dice.below(MINUTE);
    for (let index = 0; index <= LIMITS.payments + dice.below(2); index++) {
      const run = { how: dice.one(['agent', 'gate', 'server'] as const), times: 1, apart: 0, report: dice.chance(0.8) };
      const when = at + index * 25_000 + dice.below(5_000);
      steps.push(callOf(`paid${index}`, when, { tool: 'Pay', number: 320 + index, run }));
    }
  },
  /** A tool server runs a call and reports its end: late, twice, otherwise than before; and others report it, too. */
  (steps, dice, few) => {
    const at = dice.below(4 * MINUTE);
    for (let calls = few(2), index = 0; index < calls; index++) {
      const id = `told-run${index}`;
      const tool = dice.one(['Look', 'Push', 'Pay', 'Ship', 'Drop'] as const);
      const reports = Array.from({ length: 1 + dice.below(3) }, () => reportOf(dice));
      const run = { how: 'server', times: dice.one([1, 1, 2]), apart: 0, report: true, reports } as const;
      steps.push(callOf(id, at + index * 30_000, { tool, number: 330 + index, run }));
      for (const who of ['alice', 'bob'] as const) steps.push(clickBy(id, at + index * 30_000 + 15_000, who));
    }
  },
  /** People click, Slack signs it, and others send what Slack did not. */
  (steps, dice, few) => {
    const at = dice.below(4 * MINUTE);
    steps.push(endpointOf(at, dice));
    for (let calls = few(2), index = 0; index < calls; index++) {
      const id = `signed${index}`;
      const when = at + dice.below(2 * MINUTE);
      steps.push(callOf(id, when, { tool: dice.one(['Push', 'Drop', 'Move'] as const), number: 340 + index }));
      for (const who of ['alice', 'bob'] as const)
        if (dice.chance(0.6))
          steps.push(
            clickBy(id, when + dice.one([20_000, 2 * MINUTE, 4 * MINUTE]), who, {
              choice: dice.chance(0.8) ? 'approve' : 'reject',
              remember: dice.chance(0.2),
              ...(dice.chance(0.15) ? { edit: 342 } : {}),
            }),
          );
      for (let forged = 1 + dice.below(2); forged > 0; forged--) {
        const how = dice.one(FORGERIES);
        steps.push({ do: 'forge', at: when + 10_000 + dice.below(MINUTE), id, who: dice.one(APPROVERS), how });
      }
    }
  },
  /** The canary looks whether the gate decides as it must, also while operators pause it, deploy, and have events sent again. */
  (steps, dice) => {
    const at = dice.below(4 * MINUTE);
    steps.push({ do: 'canary', at, expires: dice.chance(0.5) });
    if (dice.chance(0.5)) steps.push({ do: 'canary', at: at + 5 * MINUTE, expires: false });
    const scope = dice.one([{ all: true }, { tool: 'Push' }] as const);
    const effect = dice.one(['deny', 'ask'] as const);
    if (dice.chance(0.3)) steps.push({ do: 'operate', at: at + dice.below(3_000), effect, scope, copies: [] });
    if (dice.chance(0.3)) steps.push({ do: 'deploy', at: at + dice.below(MINUTE), policy: dice.one(POLICY_NAMES) });
    if (dice.chance(0.4)) steps.push({ do: 'replay', at: at + 3 * MINUTE, since: 10 * MINUTE, copies: [] });
    if (dice.chance(0.2)) steps.push(receiverOf(dice));
    steps.push(callOf('beside', at, { tool: 'Push', number: 350 }), clickBy('beside', at + 20_000, 'alice'));
  },
  /** Two people chat with the task agent, rename what they named, and delete it or not; Slack sends their words again. */
  (steps, dice, few) => {
    const at = dice.below(2 * MINUTE);
    steps.push(endpointOf(at, dice));
    for (const who of (['alice', 'bob'] as const).slice(0, few(2))) {
      const say = (later: number, text: string) =>
        steps.push({ do: 'talk', at: at + later, who, text, retries: retriesOf(dice) });
      say(dice.below(1_000), `todo: ${who} buys milk`);
      const next = dice.one([20_000, 20_000, 59 * MINUTE, 61 * MINUTE]);
      if (dice.chance(0.5)) say(next, `make it ${who} buys oat milk`);
      else steps.push(...deletion(who, at + next, dice));
    }
  },
  /** Messages are set aside, and an operator brings them back: at once, late, twice, or after another policy file. */
  (steps, dice, few) => {
    const at = dice.below(4 * MINUTE);
    const queue = dice.one(['cards', 'webhooks'] as const);
    const lasts = dice.one([40_000, 2 * MINUTE]);
    steps.push({ do: 'set aside', at, queue, lasts });
    if (queue === 'webhooks') steps.push({ ...receiverOf(dice), downFor: 0 });
    for (let calls = few(3), index = 0; index < calls; index++) {
      const tool = dice.one(['Push', 'Move', 'Look'] as const);
      const id = `aside${index}`;
      const when = at + dice.below(lasts);
      steps.push(callOf(id, when, { tool, number: 360 + index }));
      if (tool !== 'Look') steps.push(clickBy(id, when + dice.one([20_000, 3 * MINUTE]), dice.one(APPROVERS)));
    }
    if (dice.chance(0.3)) steps.push({ do: 'deploy', at: at + lasts, policy: dice.one(POLICY_NAMES) });
    for (let orders = 1 + dice.below(2); orders > 0; orders--) {
      const later = dice.one([0, 20_000, 5 * MINUTE, 12 * MINUTE]);
      const copies = dice.chance(0.4) ? [dice.one([0, 500, MINUTE])] : [];
      const part = dice.chance(0.2) ? { limit: 1 } : {};
      steps.push({ do: 'redrive', at: at + lasts + later, queue, ...part, copies });
    }
  },
];

function deletion(who: 'alice' | 'bob', at: number, dice: Dice): Step[] {
  const steps: Step[] = [{ do: 'talk', at, who, text: `delete ${who} buys milk`, retries: retriesOf(dice) }];
  // Half of the answers come when the question is over.
  const answeredAt = at + dice.one([20_000, 4 * MINUTE, 6 * MINUTE, 6 * MINUTE]);
  const again = dice.chance(0.3) ? [dice.one([0, MINUTE, 6 * MINUTE])] : [];
  const other = who === 'alice' ? 'bob' : 'alice';
  if (dice.chance(0.4))
    steps.push({ do: 'talk', at: answeredAt, who, text: dice.one(['yes', 'yes', 'no']), retries: retriesOf(dice) });
  else steps.push({ do: 'answer', at: answeredAt, who: dice.one([who, who, other]), of: who, choice: 'yes', again });
  return steps;
}

/** Sent again although they were answered: soon, and after the queue has forgotten them. */
const retriesOf = (dice: Dice): number[] =>
  dice.chance(0.4) ? [dice.one([500, MINUTE]), ...(dice.chance(0.5) ? [6 * MINUTE] : [])] : [];

export function endpointOf(at: number, dice: Dice): Endpoint {
  const addedAt = at + dice.below(MINUTE);
  const switchedAt = addedAt + dice.one([10_000, 70_000, 2 * MINUTE, 60 * MINUTE]);
  return { do: 'endpoint', at: 0, addedAt, switchedAt, removedAt: switchedAt + dice.one([30_000, 2 * MINUTE]) };
}

const reportOf = (dice: Dice): Report => ({
  later: dice.one([0, 0, 500, 20_000, 3 * MINUTE]),
  as: dice.one(['succeeded', 'succeeded', 'failed'] as const),
  by: dice.one(['server', 'server', 'holder', 'guesser', 'stranger'] as const),
});
