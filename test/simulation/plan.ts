/** Draws from a seed what people, agents and operators do, and names the faults of a run. */
import {
  AGENTS,
  type AgentName,
  APPROVERS,
  LIMITS,
  type PersonName,
  POLICY_NAMES,
  type PolicyName,
  STAGED,
  type ToolName,
} from './policies.ts';
import { type Dice, diceOf } from './random.ts';

interface At {
  /** Milliseconds after the run began. */
  readonly at: number;
}

export interface Propose extends At {
  readonly do: 'propose';
  readonly id: string;
  readonly agent: AgentName;
  readonly tool: ToolName;
  /** Tells calls of one tool apart; equal ones are the same call. */
  readonly number: number;
  /** The same message is sent again so much later. */
  readonly copies: readonly number[];
  /** Another call under the same id, so much later: an agent that lies. */
  readonly other?: number;
  /** Once it is approved the agent runs it: itself, or by the gate; so many times, a few of them at once. */
  readonly run?: {
    readonly how: 'agent' | 'gate';
    readonly times: number;
    readonly apart: number;
    readonly report: boolean;
  };
  /** A second call of the same tool on the same card. */
  readonly also?: number;
  /** The message as the client would never send it. */
  readonly spoilt?: 'unsafe number' | 'double key' | 'no id';
  /** Over the real client's `gate`, which proposes, waits, redeems, runs and reports by itself. */
  readonly guarded?: boolean;
}
export interface Cancel extends At {
  readonly do: 'cancel';
  readonly id: string;
}
export interface Click extends At {
  readonly do: 'click';
  readonly id: string;
  readonly who: PersonName;
  readonly choice: 'approve' | 'reject';
  readonly remember: boolean;
  /** Clicks again so much later. */
  readonly again: readonly number[];
}
export interface Operate extends At {
  readonly do: 'operate';
  readonly effect: 'deny' | 'ask' | 'lift';
  readonly scope: { readonly all: true } | { readonly agent: AgentName } | { readonly tool: ToolName };
  readonly copies: readonly number[];
}
export interface Deploy extends At {
  readonly do: 'deploy';
  readonly policy: PolicyName;
}
export interface Outage extends At {
  readonly do: 'outage';
  readonly ports: readonly string[];
  readonly lasts: number;
  /** Calls seem to succeed, and have no effect. */
  readonly loses?: boolean;
}
/** The row of an approval is one that this version cannot read, or one with a field of a newer version. */
export interface Spoil extends At {
  readonly do: 'spoil';
  readonly id: string;
  readonly how: 'newer' | 'broken';
}
/** The agent's own queue is gone for good. */
export interface Mute extends At {
  readonly do: 'mute';
  readonly agent: AgentName;
}
/** The channel in which first stages are asked is archived, for good. */
export interface Archive extends At {
  readonly do: 'archive';
}
export type Step = Archive | Propose | Cancel | Click | Operate | Deploy | Outage | Spoil | Mute;

export interface Plan {
  readonly seed: number;
  readonly steps: readonly Step[];
  /** The share of port calls that meet a fault. */
  readonly rate: number;
  /** Faults by the call that meets them; undefined: drawn by `rate`. */
  readonly faults?: ReadonlyMap<string, Fault>;
}

/**
 * The fate of one call of a port. `before` and `after` throw with and without the effect, `end` is the end of the process at that moment,
 * `slow` takes so long before or after the effect, `gone` is a task token that Step Functions does not know.
 */
export type Fault =
  | { readonly kind: 'before' | 'after' | 'end-before' | 'end-after' | 'gone' | 'busy' }
  | { readonly kind: 'slow-before' | 'slow-after'; readonly ms: number }
  /** Of a whole run of a function: begun later, or begun once more by a message that was delivered twice. */
  | { readonly kind: 'late' | 'twice'; readonly ms: number };

const MINUTE = 60_000;
/** Steps begin within these; faults end with `CALM_AT`. */
const BUSY_MS = 8 * MINUTE;
export const CALM_AT = 22 * MINUTE;

const PORTS: readonly (readonly string[])[] = [
  ['cards'],
  ['workflow'],
  ['replies'],
  ['deferred'],
  ['rates'],
  ['slack'],
  ['approvals.read'],
  ['approvals.write', 'approvals.finish'],
  ['approvals.storeToken'],
  ['claims', 'sessions', 'control'],
  ['audit'],
  ['permits'],
  ['results', 'limits'],
  ['approvals', 'claims', 'journal', 'sessions', 'audit', 'permits', 'results', 'control', 'rates'],
];

export function planOf(seed: number): Plan {
  const dice = diceOf(seed);
  const rate = dice.one([0, 0.01, 0.03, 0.1]);
  const steps: Step[] = [];
  // Most runs are short: whatever breaks with one or two proposals is found many times faster.
  const count = dice.one([1, 1, 1, 2, 2, 3, 5]);
  for (let index = 0; index < count; index++) addProposal(`p${index}`, steps, dice);
  if (dice.chance(0.4)) dice.one(SCENES)(steps, dice);
  const rare = (share: number, step: () => Step) => {
    if (dice.chance(share)) steps.push(step());
  };
  for (let index = 0; index < 2; index++) {
    rare(0.3, () => operationOf(dice));
    rare(0.2, () => ({ do: 'deploy', at: dice.below(BUSY_MS), policy: dice.one(POLICY_NAMES) }));
    rare(0.2, () => ({
      do: 'outage',
      at: dice.below(BUSY_MS),
      ports: dice.one(PORTS),
      lasts: dice.below(10 * MINUTE),
    }));
  }
  rare(0.06, () => ({ do: 'mute', at: 0, agent: dice.one(AGENTS) }));
  rare(0.06, () => ({
    do: 'outage',
    at: dice.below(BUSY_MS),
    ports: ['cards'],
    lasts: dice.below(5 * MINUTE),
    loses: true,
  }));
  return { seed, rate, steps: steps.toSorted((one, other) => one.at - other.at) };
}

const TOOLS: readonly ToolName[] = [
  'Push',
  'Push',
  'Push',
  'Drop',
  'Drop',
  'Ship',
  'Sync',
  'Sync',
  'Look',
  'Wipe',
  'Pay',
  'Pay',
  'Ping',
  'Move',
];

function addProposal(id: string, steps: Step[], dice: Dice): void {
  const at = dice.below(dice.chance(0.5) ? 5_000 : BUSY_MS);
  const times = dice.one([1, 1, 1, 2, 3]);
  const isGuarded = dice.chance(0.2);
  const run = {
    how: dice.one(['agent', 'gate'] as const),
    times,
    apart: dice.one([0, 0, 50, 5_000, 30_000, 3 * MINUTE]),
    report: dice.chance(0.8),
  };
  steps.push({
    do: 'propose',
    at,
    id,
    agent: dice.one(AGENTS),
    tool: dice.one(TOOLS),
    number: dice.below(3),
    copies: isGuarded ? [] : several(dice, 0.2),
    // The client sends one call, as it should be.
    ...(isGuarded ? { guarded: true } : { ...oddities(dice), ...(dice.chance(0.8) ? { run } : {}) }),
  });
  const clicks = dice.below(4);
  for (let index = 0; index < clicks; index++)
    steps.push({
      do: 'click',
      at:
        at +
        dice.one([10, 1_000, 20_000, 2 * MINUTE, 8 * MINUTE, 10 * MINUTE, 10 * MINUTE + 5_000]) +
        dice.below(1_000),
      id,
      who: dice.chance(0.9) ? dice.one(APPROVERS) : dice.one(['olga', 'sam'] as const),
      choice: dice.chance(0.8) ? 'approve' : 'reject',
      remember: dice.chance(0.2),
      again: several(dice, 0.2),
    });
  if (dice.chance(0.04))
    steps.push({ do: 'spoil', at: at + dice.below(5 * MINUTE), id, how: dice.one(['newer', 'broken'] as const) });
  if (dice.chance(0.1)) steps.push({ do: 'cancel', at: Math.max(0, at + dice.one([-500, 0, 500, MINUTE])), id });
}

/** Plays that chance alone would hardly ever come to. */
const SCENES: readonly ((steps: Step[], dice: Dice) => void)[] = [
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
    steps.push({ do: 'outage', at: at + MINUTE, ports: ['workflow'], lasts: 4 * MINUTE });
    steps.push(clickOf('u9', at + 2 * MINUTE + dice.below(2 * MINUTE), false));
  },
  /** A store is out of service for minutes, while agents go on. */
  (steps, dice) => {
    const at = dice.below(MINUTE);
    steps.push({ do: 'outage', at, ports: dice.one([['claims'], ['sessions', 'control']]), lasts: 9 * MINUTE });
    for (let index = 0; index < 2; index++) {
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
  (steps, dice) => {
    const scope = dice.one([{ all: true }, { agent: 'coder' }, { tool: 'Pay' }] as const);
    const at = dice.below(MINUTE);
    const effects = ['deny', 'lift', dice.one(['deny', 'ask'] as const)] as const;
    for (const [index, effect] of effects.entries())
      steps.push({ do: 'operate', at: at + index * dice.one([10, 1_000, 20_000]), effect, scope, copies: [] });
    for (let index = 0; index < 3; index++) {
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
  /** Nobody is woken for some minutes: only the reconciler ends what people answered, shortly before all is well again. */
  (steps, dice) => {
    const at = CALM_AT - 4 * MINUTE;
    steps.push({ do: 'outage', at, ports: ['workflow'], lasts: 4 * MINUTE });
    for (let index = 0; index < 8; index++) {
      const agent = AGENTS[index % AGENTS.length] as AgentName;
      const call = { tool: 'Push', number: 20 + index, copies: [] } as const;
      steps.push({ do: 'propose', at: at + 1_000 + index, id: `w${index}`, agent, ...call });
      steps.push(clickOf(`w${index}`, at + 3 * MINUTE + dice.below(50_000), false));
    }
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

const clickOf = (id: string, at: number, remember: boolean): Click => ({
  do: 'click',
  at,
  id,
  who: 'alice',
  choice: 'approve',
  remember,
  again: [],
});

const oddities = (dice: Dice): Pick<Propose, 'other' | 'also' | 'spoilt'> => ({
  ...(dice.chance(0.05) ? { other: dice.below(MINUTE) } : {}),
  ...(dice.chance(0.15) ? { also: dice.below(3) + 3 * dice.below(2) } : {}),
  ...(dice.chance(0.03) ? { spoilt: dice.one(['unsafe number', 'double key', 'no id'] as const) } : {}),
});

const several = (dice: Dice, share: number): number[] =>
  dice.chance(share)
    ? Array.from({ length: 1 + dice.below(2) }, () => dice.one([0, 30, 2_000, 70_000, 5 * MINUTE]))
    : [];

function operationOf(dice: Dice): Operate {
  const scope = dice.one([
    { all: true },
    { agent: dice.one(AGENTS) },
    { tool: dice.one(['Push', 'Pay'] as const) },
  ] as const);
  const effect = dice.one(['deny', 'deny', 'ask', 'lift'] as const);
  return { do: 'operate', at: dice.below(BUSY_MS), effect, scope, copies: several(dice, 0.2) };
}
