/** Plays what a run of other scenes hardly comes to. */
import { MINUTE, type Wish } from '../model/plan.ts';
import { APPROVERS } from '../model/policies.ts';
import { endpointOf } from './last-scenes.ts';
import { callOf, clickBy } from './later-scenes.ts';
import type { Scene } from './scene.ts';
import { fillOf, RUN, visitOf } from './short-scenes.ts';

export const RARE_SCENES: readonly Scene[] = [
  /** A policy file asks for more people while cards of the one before stand, and people click on those. */
  (steps, dice, few) => {
    const at = dice.below(MINUTE);
    const deployedAt = at + dice.one([5_000, 15_000, 35_000]);
    steps.push({ do: 'deploy', at: deployedAt, policy: 'strict', lasts: dice.one([0, 0, 20_000]) });
    for (let calls = few(2), index = 0; index < calls; index++) {
      const id = `tighter${index}`;
      const when = at + index * 10_000;
      const tool = dice.one(['Ship', 'Ship', 'Ship', 'Push', 'Drop'] as const);
      steps.push(callOf(id, when, { tool, number: 440 + index, run: RUN }));
      steps.push(clickBy(id, when + dice.one([20_000, 50_000]), 'alice', { remember: dice.chance(0.2) }));
      if (dice.chance(0.3)) steps.push(clickBy(id, when + dice.one([21_000, 2 * MINUTE]), dice.one(APPROVERS)));
    }
  },
  /** Another app shares the secret, and shows people a Home of its own whose buttons are named as the gate's. */
  (steps, dice) => {
    const at = dice.below(MINUTE);
    const who = dice.one(APPROVERS);
    steps.push(endpointOf(at, dice), callOf('stranger0', at, { tool: 'Push', number: 450, run: RUN }));
    steps.push({ ...fillOf('stranger0', at, 0, dice), who, form: 'session', at: at + 10_000, later: 1_000, slow: 0 });
    const wishes: readonly Wish[] = [
      { kind: 'take back' },
      { kind: 'away', to: 'sam', lasts: 10 * MINUTE },
      { kind: 'back' },
    ];
    for (const [index, wish] of wishes.entries()) {
      const { isForeign: _, ...seen } = visitOf(at + MINUTE + index * 50_000, who, dice);
      const home = { ...seen, by: 'home', wish, later: 1_000 } as const;
      steps.push(home.wish.kind === 'away' || dice.chance(0.3) ? home : { ...home, isForeign: true });
    }
  },
  /** An agent withdraws a call about when it asks, and before it asks; its messages come again. */
  (steps, dice, few) => {
    const at = MINUTE + dice.below(MINUTE);
    for (let calls = few(2), index = 0; index < calls; index++) {
      const id = `withdrawn${index}`;
      const tool = dice.one(['Push', 'Push', 'Ship', 'Drop', 'Look'] as const);
      const copies = dice.chance(0.5) ? [dice.one([0, 30, 2_000, 70_000])] : [];
      steps.push(callOf(id, at, { tool, number: 460 + index, copies, run: RUN }));
      steps.push({ do: 'cancel', at: at + dice.one([-20_000, -500, -500, 0, 500, 30_000]), id });
      for (const who of ['alice', 'bob'] as const)
        if (dice.chance(0.7)) steps.push(clickBy(id, at + dice.one([20_000, 90_000]), who));
    }
  },
];
