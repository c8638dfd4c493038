/** Plays forms, App Home, commands and task messages over the queues of agents. */
import { type Fill, FORMS, MINUTE, type Visit, type Wish } from '../model/plan.ts';
import { APPROVERS, HELPER, type PersonName } from '../model/policies.ts';
import type { Dice } from '../model/random.ts';
import { endpointOf } from './last-scenes.ts';
import { callOf, clickBy } from './later-scenes.ts';
import type { Scene } from './scene.ts';

export const SHORT_SCENES: readonly Scene[] = [
  /** People open forms on cards that others answer meanwhile, and send them late, twice, or as somebody else. */
  (steps, dice, few) => {
    const at = dice.below(MINUTE);
    steps.push(endpointOf(at, dice));
    for (let calls = few(2), index = 0; index < calls; index++) {
      const id = `formed${index}`;
      const when = at + index * 20_000;
      const tool = dice.one(['Push', 'Push', 'Drop', 'Ship'] as const);
      steps.push(callOf(id, when, { tool, number: 400 + index, ...(dice.chance(0.5) ? { run: RUN } : {}) }));
      for (let fills = 2 + dice.below(2); fills > 0; fills--) steps.push(fillOf(id, when, 410 + fills, dice));
      if (dice.chance(0.5)) steps.push(clickBy(id, when + dice.one([20_000, 70_000, 3 * MINUTE]), dice.one(APPROVERS)));
    }
    if (dice.chance(0.3)) steps.push({ do: 'outage', at, ports: ['slackApi'], lasts: dice.below(3 * MINUTE) });
  },
  /** People ask somebody else, who may answer then; or they go away, and come back. */
  (steps, dice, few) => {
    const at = dice.below(MINUTE);
    steps.push(endpointOf(at, dice));
    const parts = few(3);
    const isStood = parts === 3 || dice.chance(0.4);
    const passers = [dice.one(APPROVERS), dice.one(APPROVERS)].slice(0, isStood ? parts - 1 : parts);
    for (const [index, who] of passers.entries()) {
      const id = `passed${index}`;
      const when = at + index * 40_000;
      steps.push(
        callOf(id, when, { tool: dice.one(['Push', 'Drop', 'Drop'] as const), number: 420 + index, run: RUN }),
      );
      const to = dice.one(['sam', 'sam', 'sam', 'sam', 'olga', 'bob'] as const);
      const { isForeign: _, sentBy: __, ...own } = fillOf(id, when, 0, dice);
      const pass = { ...own, who, form: 'pass' as const, later: 2_000, slow: 0 };
      steps.push(dice.chance(0.8) ? { ...pass, to } : pass);
      for (const [voter, share] of [
        [who, 0.8],
        ['sam', 0.8],
        [dice.one(APPROVERS), 0.3],
      ] as const)
        if (dice.chance(share)) steps.push(clickBy(id, when + 30_000 + dice.below(2 * MINUTE), voter));
      steps.push(visitOf(when + MINUTE, dice.one([who, 'sam', 'sam'] as const), dice));
    }
    for (let visits = dice.below(few(3)); visits > 0; visits--)
      steps.push(visitOf(at + dice.below(4 * MINUTE), dice.one(APPROVERS), dice));
    if (!isStood) return;
    steps.push(callOf('stood', at, { tool: dice.one(['Push', 'Drop'] as const), number: 425, run: RUN }));
    const away = { kind: 'away', to: 'sam', lasts: MINUTE } as const;
    steps.push({ ...visitOf(at + 5_000, dice.one(APPROVERS), dice), wish: away, again: [] });
    const sits = { choice: dice.chance(0.8) ? 'approve' : 'reject' } as const;
    steps.push(clickBy('stood', at + dice.one([40_000, 3 * MINUTE, 6 * MINUTE]), 'sam', sits));
  },
  /** People approve for later, and somebody takes it back, at home or by a command; the same call comes again and again. */
  (steps, dice) => {
    const at = dice.below(MINUTE);
    steps.push(endpointOf(at, dice));
    const again = (index: number, when: number) =>
      steps.push(callOf(`given${index}`, when, { tool: 'Push', number: 430, run: RUN }));
    again(0, at);
    steps.push({ ...fillOf('given0', at, 0, dice), who: dice.one(APPROVERS), form: 'session', later: 1_000, slow: 0 });
    for (let index = 1; index < 4; index++) again(index, at + 30_000 + index * 40_000 + dice.below(5_000));
    for (let visits = 1 + dice.below(3); visits > 0; visits--) {
      const who = dice.one(['alice', 'bob', 'carol', 'olga', 'sam'] as const);
      const wish = dice.chance(0.8) ? ({ kind: 'take back' } as const) : wishOf(dice);
      steps.push({ ...visitOf(at + 30_000 + dice.below(2 * MINUTE), who, dice), wish });
    }
    for (const who of APPROVERS) if (dice.chance(0.3)) steps.push(clickBy('given3', at + 4 * MINUTE, who));
  },
  /** Two users of two agents tell the task agent what to do, in conversations of one name; a person does so in Slack. */
  (steps, dice) => {
    const at = dice.below(MINUTE);
    // Two messages are decided at once, where each look at the tables takes a while.
    if (dice.chance(0.7)) steps.push({ do: 'lag', at: 0, most: 20 });
    let count = 0;
    const say = (agent: string, user: string, when: number, text: string) => {
      const copies = dice.chance(0.4) ? [dice.one([0, 500, MINUTE, 6 * MINUTE])] : [];
      steps.push({ do: 'ask', id: `told${count}`, at: when, agent, user, text, copies });
      count += 1;
    };
    // Each of the others has the agent or the name of the user in common with the first.
    for (const [agent, user] of USERS) {
      const when = at + dice.below(500);
      say(agent, user, when, `todo: ${agent} of ${user} buys milk`);
      if (dice.chance(0.5)) say(agent, user, when + dice.below(10), `todo: ${agent} of ${user} buys bread`);
      // Nobody knows the later one of two questions.
      const asksTwice = dice.chance(0.3);
      for (const later of asksTwice ? [0, 3] : [])
        say(
          agent,
          user,
          at + MINUTE + later + dice.below(5),
          `delete ${agent} of ${user} buys ${later ? 'milk' : 'bread'}`,
        );
      if (!asksTwice && dice.chance(0.7)) say(agent, user, at + MINUTE, `delete ${agent} of ${user} buys milk`);
      const words = dice.one(asksTwice ? ['no', ''] : ['yes', 'yes', 'no', '']);
      if (words) say(agent, user, at + dice.one([80_000, 2 * MINUTE, 7 * MINUTE]), words);
    }
    if (!dice.chance(0.5)) return;
    steps.push(endpointOf(at, dice), { do: 'talk', at, who: 'alice', text: 'todo: alice buys milk', retries: [] });
  },
];

/** Agents of the task agent, and users of theirs. */
const USERS = [
  [HELPER, 'U0ALICE'],
  [HELPER, 'u2'],
  ['writer', 'U0ALICE'],
] as const;

export const RUN = { how: 'agent', times: 1, apart: 0, report: true } as const;

export function fillOf(id: string, at: number, edit: number, dice: Dice): Fill {
  const form = dice.one([...FORMS, 'reject', 'respond'] as const);
  const to = dice.one(['sam', 'bob', 'olga', undefined] as const);
  return {
    ...{ do: 'fill', id, form, at: at + dice.one([5_000, 20_000, MINUTE]) + dice.below(10_000) },
    who: dice.one(['alice', 'bob', 'carol', 'alice', 'bob', 'sam', 'olga'] as const),
    slow: dice.chance(0.3) ? dice.one([2_500, 4_000, 4_000]) : 0,
    later: dice.one([2_000, 20_000, 90_000, 11 * MINUTE]),
    again: dice.chance(0.3) ? [dice.one([0, 500, MINUTE])] : [],
    ...(form === 'edit' ? { edit } : {}),
    ...(form === 'pass' && to ? { to } : {}),
    ...(dice.chance(0.2) ? { isStale: true } : {}),
    ...(dice.chance(0.15) ? { sentBy: dice.one(['bob', 'sam', 'olga'] as const) } : {}),
    ...(dice.chance(0.25) ? { isForeign: true } : {}),
  };
}

export const visitOf = (at: number, who: PersonName, dice: Dice): Visit => ({
  ...{ do: 'visit', at, who, by: dice.one(['home', 'command'] as const), wish: wishOf(dice) },
  later: dice.one([1_000, 20_000]),
  again: dice.chance(0.3) ? [dice.one([0, 500, MINUTE])] : [],
  ...(dice.chance(0.25) ? { isForeign: true } : {}),
});

const wishOf = (dice: Dice): Wish =>
  dice.chance(0.3)
    ? { kind: dice.one(['look', 'back'] as const) }
    : { kind: 'away', to: dice.one(['sam', 'sam', 'bob', 'olga'] as const), lasts: dice.one([MINUTE, 10 * MINUTE]) };
