/** Plays what takes its time: pauses that end, escalations, seats, people and processes that go. */
import { CALM_AT, type Click, clickOf, MINUTE, type Propose, type Receive } from '../model/plan.ts';
import { AGENTS, APPROVERS, ESCALATED, ESCALATES_MS, type ToolName } from '../model/policies.ts';
import type { Dice } from '../model/random.ts';
import type { Scene } from './scene.ts';

const runOf = (dice: Dice, later = 0) => ({
  how: dice.one(['agent', 'gate'] as const),
  times: dice.one([1, 1, 2]),
  apart: 0,
  later,
  report: dice.chance(0.9),
});

export const callOf = (
  id: string,
  at: number,
  more: Partial<Propose> & { readonly tool: ToolName; readonly number: number },
) => ({ do: 'propose', at, id, agent: 'coder', copies: [], ...more }) as const;

export const clickBy = (id: string, at: number, who: Click['who'], more: Partial<Click> = {}): Click => ({
  ...clickOf(id, at, false),
  who,
  ...more,
});

/** A receiver of webhooks, whose secret gets another key in the run. */
export function receiverOf(dice: Dice): Receive {
  const keyAddedAt = dice.below(10 * MINUTE);
  return {
    ...{ do: 'receive', at: 0, keyAddedAt, keyRemovedAt: keyAddedAt + dice.one([MINUTE, 5 * MINUTE, 60 * MINUTE]) },
    downFor: dice.one([0, 0, 0, MINUTE, 40 * MINUTE, 3_000 * MINUTE]),
    badShare: dice.one([0, 0.1, 0.3]),
  };
}

export const LATER_SCENES: readonly Scene[] = [
  /** A pause ends by itself, while agents go on; a longer or a shorter one may come in its place. */
  (steps, dice, few) => {
    const at = dice.below(4 * MINUTE);
    const scope = dice.one([{ all: true }, { agent: 'coder' }, { tool: 'Pay' }] as const);
    const effect = dice.one(['deny', 'deny', 'ask'] as const);
    const pause = { do: 'operate', effect, scope, copies: dice.chance(0.3) ? [dice.below(3 * MINUTE)] : [] } as const;
    const lasts = dice.one([20_000, MINUTE, 3 * MINUTE]);
    steps.push({ ...pause, at, lasts });
    if (dice.chance(0.4))
      steps.push({ ...pause, at: at + dice.below(lasts), lasts: dice.one([10_000, 4 * MINUTE]), copies: [] });
    for (let calls = few(4), index = 0; index < calls; index++) {
      const tool = dice.one(['Pay', 'Look', 'Push'] as const);
      const when = at + dice.below(lasts + MINUTE);
      steps.push(callOf(`t${index}`, when, { tool, number: 200 + index, run: runOf(dice, dice.below(MINUTE)) }));
      if (tool === 'Push') steps.push(clickBy(`t${index}`, when + dice.below(lasts), dice.one(APPROVERS)));
    }
  },
  /** Nobody of the group that is asked first answers: another one is asked as well. */
  (steps, dice) => {
    const at = dice.below(2 * MINUTE);
    steps.push(callOf('r0', at, { tool: ESCALATED, number: 210, run: runOf(dice) }));
    const moments = [
      MINUTE,
      ESCALATES_MS - 1_000,
      ESCALATES_MS,
      ESCALATES_MS + 70_000,
      ESCALATES_MS + 4 * MINUTE,
      6 * MINUTE,
    ];
    for (let clicks = 1 + dice.below(3); clicks > 0; clicks--)
      steps.push(
        clickBy('r0', at + dice.one(moments) + dice.below(2_000), dice.one(['bob', 'bob', 'alice', 'carol']), {
          choice: dice.chance(0.8) ? 'approve' : 'reject',
          ...(dice.chance(0.2) ? { edit: 211 } : {}),
        }),
      );
  },
  /** An operator answers beside the people who click. */
  (steps, dice) => {
    const at = dice.below(4 * MINUTE);
    const tool = dice.one(['Push', 'Drop', 'Move', ESCALATED] as const);
    steps.push(callOf('y0', at, { tool, number: 220, run: runOf(dice) }));
    for (let answers = 1 + dice.below(2); answers > 0; answers--)
      steps.push({
        do: 'decide',
        at: at + 10_000 + dice.below(MINUTE),
        id: 'y0',
        choice: dice.chance(0.8) ? 'approve' : 'reject',
        ...(dice.chance(0.3) ? { edit: 221 } : {}),
        copies: dice.chance(0.4) ? [dice.one([0, 500, 2 * MINUTE])] : [],
      });
    for (const who of APPROVERS)
      if (dice.chance(0.6)) steps.push(clickBy('y0', at + 10_000 + dice.below(2 * MINUTE), who));
  },
  /** The agent's process ends at any moment, and another takes the call up under the same id. */
  (steps, dice) => {
    const at = dice.below(4 * MINUTE);
    const tool = dice.one(['Push', 'Look', 'Pay', 'Ship', 'Drop'] as const);
    const crashes = Array.from({ length: 1 + dice.below(3) }, () => dice.one([1, 70, 200, 600, 2_000, 20_000, 40_000]));
    steps.push(
      callOf('z0', at, { tool, number: 230, guarded: true, crashes: crashes.map((ms) => ms + dice.below(400)) }),
    );
    for (const who of ['alice', 'bob'] as const)
      if (dice.chance(0.8)) steps.push(clickBy('z0', at + 15_000 + dice.below(20_000), who));
  },
  /** The tables were restored: what was issued before runs nothing any more. */
  (steps, dice, few) => {
    const at = dice.below(2 * MINUTE);
    steps.push({ do: 'void permits', at: at + 2 * MINUTE + dice.below(MINUTE) });
    for (let calls = few(3), index = 0; index < calls; index++) {
      const when = at + index * 70_000;
      const tool = dice.one(['Push', 'Look'] as const);
      const run = runOf(dice, dice.below(3 * MINUTE));
      steps.push(callOf(`void${index}`, when, { agent: 'writer', tool, number: 240, run }));
      if (tool === 'Push') steps.push(clickBy(`void${index}`, when + 10_000, 'alice', { remember: dice.chance(0.5) }));
    }
  },
  /** Somebody changes a call to one that somebody else has before their eyes, and refuses. */
  (steps, dice) => {
    const at = dice.below(2 * MINUTE);
    const agent = dice.one(AGENTS);
    const tool = dice.one(['Push', 'Ship', 'Sync'] as const);
    steps.push(callOf('same0', at, { agent, tool, number: 250 }), callOf('same1', at, { agent, tool, number: 251 }));
    const moments = [at + 20_000, at + 40_000, at + MINUTE];
    // Mostly the change, the answer to the other card, and then the approval.
    const choices = dice.chance(0.6) ? moments : moments.toSorted(() => (dice.chance(0.5) ? 1 : -1));
    const [edited = at, answered = at, approved = at] = choices;
    steps.push(clickBy('same1', edited, 'bob', { edit: 250 }));
    const choice = dice.chance(0.7) ? 'reject' : 'approve';
    steps.push(clickBy('same0', answered, 'carol', { choice, remember: choice === 'approve' && dice.chance(0.5) }));
    steps.push(clickBy('same1', Math.max(approved, edited + 10_000), 'alice', { remember: dice.chance(0.3) }));
    if (dice.chance(0.5)) steps.push(callOf('same2', at + 3 * MINUTE, { agent, tool, number: 250 }));
  },
  /** Somebody's seat is delegated to one who has none, taken back, and delegated again, while both of them answer. */
  (steps, dice, few) => {
    const at = dice.below(2 * MINUTE);
    const person = dice.one(APPROVERS);
    const lasts = dice.one([MINUTE, 3 * MINUTE, 20 * MINUTE]);
    const copies = dice.chance(0.3) ? [dice.one([0, MINUTE, 3 * MINUTE])] : [];
    const begins = dice.chance(0.4) ? 3 * MINUTE : 0;
    const give = { do: 'delegate', person, to: 'sam', copies } as const;
    steps.push({ ...give, at, lasts, begins });
    if (dice.chance(0.5)) {
      // Early enough that whoever lost it tries once more before it would be over.
      const taken = at + begins + dice.below(Math.min(lasts, 3 * MINUTE) - 45_000);
      steps.push({ do: 'delegate', person, at: taken, copies: [] });
      steps.push(
        callOf('lost', taken + 20_000, { agent: 'writer', tool: 'Push', number: 273 }),
        clickBy('lost', taken + 40_000, 'sam'),
      );
    }
    if (dice.chance(0.2)) steps.push({ ...give, at: at + dice.below(4 * MINUTE), person: dice.one(APPROVERS), lasts });
    for (let calls = few(2), index = 0; index < calls; index++) {
      const tool = dice.one(['Push', 'Drop', 'Move', ESCALATED] as const);
      const when = at + dice.below(2 * MINUTE);
      steps.push(callOf(`place${index}`, when, { tool, number: 270 + index, run: runOf(dice) }));
      for (const who of ['sam', person, dice.one(APPROVERS)] as const)
        if (dice.chance(0.8))
          steps.push(
            clickBy(`place${index}`, when + 5_000 + dice.below(4 * MINUTE), who, { remember: dice.chance(0.3) }),
          );
    }
    // The same call once more, when the delegation is over.
    if (dice.chance(0.5))
      steps.push(callOf('place2', at + 4 * MINUTE, { tool: 'Push', number: 270, run: runOf(dice) }));
  },
  /** A receiver of events lost some: an operator has them sent again, while calls are decided. */
  (steps, dice, few) => {
    const at = dice.below(4 * MINUTE);
    for (let calls = few(3), index = 0; index < calls; index++) {
      const tool = dice.one(['Look', 'Push', 'Wipe'] as const);
      const when = at + dice.below(2 * MINUTE);
      steps.push(
        callOf(`event${index}`, when, { tool, number: 290 + index, ...(dice.chance(0.2) ? { secret: true } : {}) }),
      );
      if (tool === 'Push') steps.push(clickBy(`event${index}`, when + 10_000, dice.one(APPROVERS)));
    }
    const copies = dice.chance(0.3) ? [dice.one([0, MINUTE])] : [];
    steps.push({
      do: 'replay',
      at: at + dice.one([MINUTE, 3 * MINUTE]),
      since: dice.one([MINUTE, 10 * MINUTE]),
      copies,
    });
    if (dice.chance(0.3)) steps.push(receiverOf(dice));
  },
  /** Somebody leaves the workspace, or is back soon, while processes that draw cards and count votes remember them. */
  (steps, dice, few) => {
    const at = dice.below(MINUTE);
    const who = dice.one(APPROVERS);
    const left = at + MINUTE + dice.below(MINUTE);
    steps.push({ do: 'leave', at: left, who, ...(dice.chance(0.15) ? { lasts: 3 * MINUTE } : {}) });
    const moments = [1_000, MINUTE, 4 * MINUTE + 50_000, 5 * MINUTE + 5_000, 6 * MINUTE, 8 * MINUTE];
    for (let calls = 1 + few(3), index = 0; index < calls; index++) {
      const tool = dice.one(['Push', 'Drop', 'Move'] as const);
      steps.push(callOf(`left${index}`, left - 40_000, { agent: dice.one(AGENTS), tool, number: 300 + index }));
      // With the first of them a process hears that the person is a member.
      const clicked = index ? left + dice.one(moments) + dice.below(2_000) : left - 10_000;
      steps.push(clickBy(`left${index}`, clicked, who));
      if (dice.chance(0.3)) steps.push(clickBy(`left${index}`, left + dice.below(3 * MINUTE), dice.one(APPROVERS)));
    }
  },
  /** The operator is let go, and goes on to send orders, which processes take that read the registry minutes ago. */
  (steps, dice) => {
    const at = dice.below(MINUTE);
    const scope = { agent: 'coder' } as const;
    const gone = at + MINUTE;
    steps.push({ do: 'operate', at, effect: 'deny', scope, copies: [] }, { do: 'dismiss', at: gone });
    const moments = [1_000, MINUTE, 4 * MINUTE + 50_000, 5 * MINUTE + 5_000, 6 * MINUTE, 9 * MINUTE];
    for (const effect of ['lift', 'deny', 'lift'] as const)
      steps.push({ do: 'operate', at: gone + dice.one(moments) + dice.below(2_000), effect, scope, copies: [] });
    for (let index = 0; index < 2; index++)
      steps.push(callOf(`gone${index}`, at + dice.below(11 * MINUTE), { tool: 'Look', number: 310 + index }));
  },
  /** The process of a limited call ends in the middle, and nobody gives its slot back; another call comes once all is well again. */
  (steps, dice) => {
    const at = CALM_AT - 2 * MINUTE;
    const run = { ...runOf(dice), how: 'gate', times: 1 } as const;
    steps.push(callOf('slot0', at, { tool: 'Sync', number: 280, run }), clickBy('slot0', at + 20_000, 'alice'));
    steps.push({ do: 'outage', at, ports: ['work'], lasts: 2 * MINUTE, ends: true });
    const later = CALM_AT + dice.one([70_000, 2 * MINUTE]);
    steps.push(callOf('slot1', later, { tool: 'Sync', number: 281, run }), clickBy('slot1', later + 20_000, 'alice'));
  },
  /** An agent states how long it waits, and people answer at the end of that. */
  (steps, dice) => {
    const at = dice.below(4 * MINUTE);
    const lasts = dice.one([20_000, 90_000, 5 * MINUTE]);
    const tool = dice.one(['Push', 'Drop', 'Move', ESCALATED] as const);
    const copies = dice.chance(0.4) ? [dice.one([500, lasts, lasts + MINUTE])] : [];
    steps.push(callOf('end0', at, { tool, number: 260, lasts, copies, run: runOf(dice) }));
    for (const who of APPROVERS)
      if (dice.chance(0.6)) steps.push(clickBy('end0', at + lasts + dice.one([-10_000, -500, 0, 500]), who));
    if (dice.chance(0.3)) steps.push({ do: 'cancel', at: at + lasts + dice.one([-500, 0, 500]), id: 'end0' });
  },
];
