/** Plays short scenes that chance alone would hardly ever come to. */
import { CALM_AT, type Click, clickOf, MAX_CALLS, MAX_PATTERN, MINUTE } from '../model/plan.ts';
import { AGENTS, type AgentName, LIMITS, type PersonName, PILOT, STAGED } from '../model/policies.ts';
import { receiverOf } from './later-scenes.ts';
import type { Scene } from './scene.ts';

const ONE_RUN = { how: 'agent', times: 1, apart: 0, report: true } as const;

export const SCENES: readonly Scene[] = [
  /** The first of two stages has answered, and then its channel is archived. */
  (steps, dice) => {
    const at = dice.below(MINUTE);
    steps.push({ do: 'propose', at, id: 'a0', agent: 'coder', tool: STAGED, number: 50, copies: [] });
    steps.push(clickOf('a0', at + 20_000, false), { do: 'archive', at: at + dice.one([MINUTE, 3 * MINUTE]) });
    steps.push({ ...clickOf('a0', at + 5 * MINUTE, false), who: 'bob' });
  },
  /** Rows that cannot be read stand before one whose people have answered, and which nobody woke. */
  (steps, dice) => {
    const at = CALM_AT - 5 * MINUTE;
    const call = { do: 'propose', tool: 'Push', copies: [] } as const;
    // Without a card they are due at once.
    steps.push({ do: 'outage', at, ports: ['cards'], lasts: 20_000 });
    for (let index = 0; index < 4; index++) {
      steps.push({ ...call, at: at + index, id: `u${index}`, agent: 'writer', number: 60 + index });
      steps.push({ do: 'spoil', at: at + 10_000, id: `u${index}`, how: 'broken' });
    }
    steps.push({ ...call, at: at + 30_000, id: 'u9', agent: 'coder', number: 69 });
    steps.push({ do: 'outage', at: at + MINUTE, ports: ['workflow', 'resumer'], lasts: 4 * MINUTE });
    steps.push(clickOf('u9', at + 2 * MINUTE + dice.below(2 * MINUTE), false));
  },
  /** A store is out of service for minutes, while agents go on. */
  (steps, dice, few) => {
    const at = dice.below(MINUTE);
    steps.push({ do: 'outage', at, ports: dice.one([['claims'], ['sessions', 'control']]), lasts: 9 * MINUTE });
    for (let calls = few(2), index = 0; index < calls; index++) {
      const tool = dice.one(['Look', 'Push'] as const);
      steps.push({
        do: 'propose',
        at: at + 1_000,
        id: `o${index}`,
        agent: 'coder',
        tool,
        number: 70 + index,
        copies: [],
      });
    }
  },
  /** The brake is pulled, released and pulled again, while agents go on. */
  (steps, dice, few) => {
    const scope = dice.one([{ all: true }, { agent: 'coder' }, { tool: 'Pay' }] as const);
    const at = dice.below(MINUTE);
    const effects = ['deny', 'lift', dice.one(['deny', 'ask'] as const)] as const;
    for (const [index, effect] of effects.entries())
      steps.push({ do: 'operate', at: at + index * dice.one([10, 1_000, 20_000]), effect, scope, copies: [] });
    for (let calls = few(3), index = 0; index < calls; index++) {
      const when = at + 30_000 + dice.below(4 * MINUTE);
      const run = { how: dice.one(['agent', 'gate'] as const), times: 1, apart: 0, report: true };
      steps.push({
        do: 'propose',
        at: when,
        id: `b${index}`,
        agent: 'coder',
        tool: 'Pay',
        number: index,
        copies: [],
        run,
      });
    }
  },
  /** The brake is pulled again before its release takes effect: that one met a store which did not work. */
  (steps, dice) => {
    const scope = dice.one([{ all: true }, { agent: 'coder' }, { tool: 'Pay' }] as const);
    const at = dice.below(MINUTE);
    const operate = (later: number, effect: 'deny' | 'lift') =>
      steps.push({ do: 'operate', at: at + later, effect, scope, copies: [] });
    operate(0, 'deny');
    steps.push({ do: 'outage', at: at + 900, ports: ['control'], lasts: 2_000 });
    operate(1_000, 'lift');
    operate(5_000, 'deny');
    const call = { agent: 'coder', tool: 'Pay', number: 140, copies: [] } as const;
    steps.push({ do: 'propose', at: at + 3 * MINUTE, id: 'd0', ...call });
    return 'quiet';
  },
  /** The brake is pulled after a call was approved, and before its agent runs it. */
  (steps, dice) => {
    const at = dice.below(MINUTE);
    const tool = dice.one(['Push', 'Pay'] as const);
    const run = { ...ONE_RUN, how: dice.one(['agent', 'gate'] as const), later: MINUTE };
    steps.push({ do: 'propose', at, id: 'h0', agent: 'coder', tool, number: 150, copies: [], run });
    steps.push(clickOf('h0', at + 20_000, false));
    steps.push({ do: 'operate', at: at + 50_000, effect: 'deny', scope: { agent: 'coder' }, copies: [] });
    return 'quiet';
  },
  /** A row that cannot be read ends while nobody can be told. */
  (steps, dice) => {
    const at = dice.below(MINUTE);
    steps.push({ do: 'propose', at, id: 'n0', agent: 'coder', tool: 'Push', number: 160, copies: [] });
    steps.push({ do: 'spoil', at: at + 10_000, id: 'n0', how: 'broken' });
    steps.push({ do: 'outage', at: at + 10 * MINUTE, ports: ['replies'], lasts: dice.one([2 * MINUTE, 5 * MINUTE]) });
    return 'quiet';
  },
  /** An approval for the session, and then a card of which one call is remembered. */
  (steps, dice) => {
    const at = dice.below(MINUTE);
    const call = {
      do: 'propose',
      agent: 'writer',
      tool: dice.one(['Push', 'Ship'] as const),
      number: 7,
      copies: [],
    } as const;
    steps.push({ ...call, at, id: 'm0' }, clickOf('m0', at + 20_000, true));
    const later = at + dice.one([MINUTE, 3 * MINUTE, 6 * MINUTE]);
    steps.push(
      { ...call, at: later, id: 'm1' },
      { ...call, at: later, id: 'm2', also: 8 },
      clickOf('m2', later + 20_000, false),
    );
    if (dice.chance(0.3))
      steps.push({
        do: 'revoke',
        at: later + dice.one([-20_000, 10_000]),
        agent: 'writer',
        everywhere: dice.chance(0.5),
      });
  },
  /** A rule allows one of two calls on a card, and people approve the other for once; the same card is asked for again. */
  (steps, dice) => {
    const at = dice.below(MINUTE);
    const call = { do: 'propose', agent: 'writer', tool: 'Ship', number: 90, also: 91, alsoTool: 'Look' } as const;
    steps.push({ ...call, at, id: 'x0', copies: [] }, clickOf('x0', at + 20_000, false));
    steps.push({ ...call, at: at + 3 * MINUTE, id: 'x1', copies: [] });
  },
  /** An operator adds a rule to as many long ones, and the agent asks. */
  (steps, dice) => {
    const at = dice.below(MINUTE);
    steps.push({ do: 'add rule', at, agent: 'coder', length: dice.one([MAX_PATTERN, MAX_PATTERN + 1]) });
    steps.push({ do: 'propose', at: at + MINUTE, id: 'j0', agent: 'coder', tool: 'Push', number: 120, copies: [] });
    steps.push(clickOf('j0', at + 2 * MINUTE, false));
    return 'quiet';
  },
  /** As many calls as one card may have. */
  (steps, dice) => {
    const at = dice.below(MINUTE);
    const tool = dice.one(['Look', 'Push', 'Wipe'] as const);
    const call = { agent: 'coder', tool, number: 130, more: MAX_CALLS - 1, copies: [] } as const;
    steps.push({ do: 'propose', at, id: 'k0', ...call }, clickOf('k0', at + 20_000, false));
    return 'quiet';
  },
  /** Two agents ask at the same moment. */
  (steps, dice) => {
    const at = dice.below(MINUTE);
    for (let index = 0; index < 2 * LIMITS.waiting; index++) {
      const agent = AGENTS[index % AGENTS.length] as AgentName;
      const call = { tool: dice.one(['Push', 'Ship'] as const), number: 100 + index, copies: [] } as const;
      steps.push({ do: 'propose', at, id: `q${index}`, agent, ...call });
    }
    return 'quiet';
  },
  /** A model decides several calls of one session at the same time, and each call of a store takes some milliseconds. */
  (steps, dice) => {
    const at = dice.below(MINUTE);
    steps.push({ do: 'lag', at: 0, most: 12 });
    for (let index = 0; index < 8; index++)
      steps.push({ do: 'propose', at, id: `g${index}`, agent: PILOT, tool: 'Push', number: 110 + index, copies: [] });
    return 'quiet';
  },
  /** Two identical calls on one card: one of them is withdrawn, or its row is damaged, before people answer. */
  (steps, dice) => {
    const at = dice.below(MINUTE);
    const call = { do: 'propose', agent: 'writer', tool: 'Push', number: 40, copies: [] } as const;
    steps.push({ ...call, at, id: 's0' }, { ...call, at: at + 5_000, id: 's1' });
    const id = dice.one(['s0', 's1']);
    steps.push(
      dice.chance(0.5) ? { do: 'spoil', at: at + 10_000, id, how: 'broken' } : { do: 'cancel', at: at + 10_000, id },
    );
    steps.push(clickOf('s0', at + 20_000, false));
  },
  /** One agent calls one limited tool again and again. */
  (steps, dice) => {
    const at = dice.below(MINUTE);
    const tool = dice.one(['Ping', 'Pay', 'Sync'] as const);
    for (let index = 0; index < (tool === 'Sync' ? LIMITS.waiting : 7); index++) {
      // Only the gate's own runs share slots.
      const how = tool === 'Sync' ? 'gate' : dice.one(['agent', 'gate'] as const);
      const run = { how, times: 1, apart: 0, report: true } as const;
      const call = { agent: 'coder', tool, number: index, copies: [], run } as const;
      steps.push({ do: 'propose', at: at + dice.below(1_000), id: `l${index}`, ...call });
      if (tool === 'Sync') steps.push(clickOf(`l${index}`, at + 20_000, false));
    }
    return dice.chance(0.5) ? 'quiet' : undefined;
  },
  /** A tool fails until its circuit opens, and works again; what comes of the first call after that is lost. */
  (steps, dice) => {
    const at = CALM_AT - 6 * MINUTE;
    const run = { how: 'gate', times: 1, apart: 0, report: true } as const;
    const call = (later: number, number: number) =>
      steps.push({
        do: 'propose',
        at: at + later,
        id: `f${number}`,
        agent: 'coder',
        tool: 'Look',
        number,
        copies: [],
        run,
      });
    steps.push({ do: 'outage', at, ports: ['tool'], lasts: 4 * MINUTE });
    for (let number = 0; number < 6; number++) call(1_000 + number * 20_000, number);
    call(5 * MINUTE, 6);
    steps.push({
      do: 'outage',
      at: at + 5 * MINUTE + 150,
      ports: ['limits.circuits'],
      lasts: dice.one([10_000, 40_000]),
    });
    for (const number of [7, 8]) call(8 * MINUTE + number * 10_000, number);
  },
  /** Two people answer the same card at the same moment, and a third soon after. */
  (steps, dice) => {
    const at = dice.below(MINUTE);
    steps.push({ do: 'propose', at, id: 'v0', agent: 'coder', tool: 'Drop', number: 30, copies: [] });
    const click = (who: PersonName, later: number, choice: Click['choice'] = 'approve') =>
      steps.push({ ...clickOf('v0', at + 20_000 + later, false), who, choice });
    click('alice', 0);
    click('bob', dice.one([0, 1, 400]));
    click('carol', dice.one([0, 2_000]), dice.one(['approve', 'reject'] as const));
  },
  /** Somebody changes a call, and then approves it as everybody else may. */
  (steps, dice) => {
    const at = dice.below(MINUTE);
    const tool = dice.one(['Drop', 'Drop', 'Push'] as const);
    const run = dice.chance(0.5) ? { ...ONE_RUN, unedited: true } : ONE_RUN;
    steps.push({ do: 'propose', at, id: 'e0', agent: 'coder', tool, number: 80, copies: [], run });
    steps.push({ ...clickOf('e0', at + 20_000, false), edit: 81 });
    for (const who of ['alice', 'bob', 'carol'] as const)
      if (dice.chance(0.8)) steps.push({ ...clickOf('e0', at + MINUTE + dice.below(2_000), false), who });
  },
  /** Nobody is woken for some minutes: only the reconciler ends what people answered, shortly before all is well again. */
  (steps, dice) => {
    const at = CALM_AT - 4 * MINUTE;
    steps.push({ do: 'outage', at, ports: ['workflow', 'resumer'], lasts: 4 * MINUTE });
    for (let index = 0; index < 8; index++) {
      const agent = AGENTS[index % AGENTS.length] as AgentName;
      const call = { tool: 'Push', number: 20 + index, copies: [] } as const;
      steps.push({ do: 'propose', at: at + 1_000 + index, id: `w${index}`, agent, ...call });
      steps.push(clickOf(`w${index}`, at + 3 * MINUTE + dice.below(50_000), false));
    }
  },
  /** Receivers hear of questions and answers, also of a call that somebody changes and of which a hook is asked again. */
  (steps, dice) => {
    const at = dice.below(MINUTE);
    const call = { do: 'propose', copies: [] } as const;
    steps.push(receiverOf(dice));
    steps.push({ ...call, at, id: 'told0', agent: 'coder', tool: 'Fix', number: 2 });
    steps.push({ ...clickOf('told0', at + 20_000, false), edit: dice.one([0, 1, 2, 3]) });
    if (dice.chance(0.5)) steps.push({ ...clickOf('told0', at + MINUTE, false), who: 'bob' });
    steps.push({
      ...call,
      at: at + 1_000,
      id: 'told1',
      agent: 'writer',
      tool: dice.one(['Push', 'Drop']),
      number: 170,
    });
    for (const who of ['alice', 'bob'] as const)
      if (dice.chance(0.7)) steps.push({ ...clickOf('told1', at + MINUTE, false), who });
    return 'quiet';
  },
  /** Several agents' worth of calls at once: more than may wait, and some of them the same. */
  (steps, dice) => {
    const at = dice.below(2 * MINUTE);
    for (let index = 0; index < 6; index++) {
      const call = { tool: dice.one(['Push', 'Ship', 'Sync', 'Ping', 'Pay'] as const), number: dice.below(2) };
      const run = { how: dice.one(['agent', 'gate', 'gate'] as const), times: 1, apart: 0, report: dice.chance(0.5) };
      steps.push({
        do: 'propose',
        at: at + dice.below(2_000),
        id: `c${index}`,
        agent: 'coder',
        ...call,
        copies: [],
        run,
      });
      if (dice.chance(0.7)) steps.push(clickOf(`c${index}`, at + 20_000 + dice.below(MINUTE), false));
    }
    if (dice.chance(0.5)) steps.push({ do: 'cancel', at: at + dice.below(MINUTE), id: 'c0' });
  },
];
