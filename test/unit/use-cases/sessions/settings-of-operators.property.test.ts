/**
 * Checks that the stricter settings of a session and its agent hold (D58, A3, D9).
 *
 * For every play of operators, and of every possible parent.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../permissions/properties/arbitraries.ts';
import { heard, operateNow, redemptionOf } from '../giving-steps.ts';
import { bash, policyOf, World } from '../world.ts';

type Verdict = 'approved' | 'waits' | 'denied';
const ORDER: readonly Verdict[] = ['approved', 'waits', 'denied'];
const strongest = (...verdicts: readonly Verdict[]): Verdict =>
  verdicts.reduce((a, b) => (ORDER.indexOf(b) > ORDER.indexOf(a) ? b : a));

const MODES = ['default', 'acceptEdits', 'plan', 'dontAsk'] as const;
type Mode = (typeof MODES)[number];
/** One that a rule allows, an edit within the project, and one that nothing speaks of. */
const KINDS = ['ruled', 'edit', 'other'] as const;
type Kind = (typeof KINDS)[number];
const TABLE: Readonly<Record<Mode, Readonly<Record<Kind, Verdict>>>> = {
  default: { ruled: 'approved', edit: 'waits', other: 'waits' },
  acceptEdits: { ruled: 'approved', edit: 'approved', other: 'waits' },
  plan: { ruled: 'denied', edit: 'denied', other: 'denied' },
  dontAsk: { ruled: 'approved', edit: 'denied', other: 'denied' },
};

const AGENTS = ['lead', 'other', 'helper'] as const;
type AgentName = (typeof AGENTS)[number];
const SESSIONS = ['main', 's'] as const;
type Scope = (typeof SESSIONS)[number] | 'every';
const PARENTS = ['lead', 'other'] as const;
const AGENTS_YAML = `  lead: { owner: olga }
  other: { owner: olga, mode: acceptEdits }
  helper: { owner: olga, mode: bubble, parents: [lead, other] }`;
const FILE_MODES = { lead: 'default', other: 'acceptEdits' } as const;

type Step =
  | {
      readonly do: 'mode';
      readonly agent: (typeof PARENTS)[number];
      readonly scope: Scope;
      readonly mode: Mode | 'agent';
    }
  | { readonly do: 'rule'; readonly agent: AgentName; readonly scope: Scope; readonly effect: 'deny' | 'ask' | 'none' }
  | { readonly do: 'start'; readonly by: (typeof PARENTS)[number]; readonly session: (typeof SESSIONS)[number] }
  | {
      readonly do: 'propose';
      readonly agent: AgentName;
      readonly session: (typeof SESSIONS)[number];
      readonly kind: Kind;
    };
const scope = fc.constantFrom<Scope>('main', 's', 'every');
const session = fc.constantFrom(...SESSIONS);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('mode' as const),
      agent: fc.constantFrom(...PARENTS),
      scope,
      mode: fc.constantFrom(...MODES, 'agent' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('rule' as const),
      agent: fc.constantFrom(...AGENTS),
      scope,
      effect: fc.constantFrom('deny' as const, 'ask' as const, 'none' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('start' as const), by: fc.constantFrom(...PARENTS), session }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('propose' as const),
      agent: fc.constantFrom(...AGENTS),
      session,
      kind: fc.constantFrom(...KINDS),
    }),
  },
);

/** A plain model of operators' settings. */
class Settings {
  readonly modes = new Map<string, Mode>();
  /** Rules on the command that the file allows. */
  readonly rules = new Map<string, 'deny' | 'ask'>();
  /** The parent of the helper's session `s`. */
  parent: { readonly agent: (typeof PARENTS)[number]; readonly session: (typeof SESSIONS)[number] } | undefined;

  /** Rules speak of the command alone; one that asks is answered by nobody where nobody is asked. */
  #ruled(agent: AgentName, at: (typeof SESSIONS)[number], kind: Kind): 'deny' | 'ask' | undefined {
    if (kind !== 'ruled') return undefined;
    const effects = [this.rules.get(`${agent} ${at}`), this.rules.get(`${agent} every`)];
    return effects.includes('deny') ? 'deny' : effects.includes('ask') ? 'ask' : undefined;
  }

  #underMode(mode: Mode, kind: Kind, rule: 'deny' | 'ask' | undefined): Verdict {
    if (rule === 'deny') return 'denied';
    if (rule === 'ask' && mode !== 'plan') return mode === 'dontAsk' ? 'denied' : 'waits';
    return TABLE[mode][kind];
  }

  /** Whether a rule asks there: a child's own rule does not answer that. */
  asksByRule(agent: (typeof PARENTS)[number], at: (typeof SESSIONS)[number], kind: Kind): boolean {
    return this.#ruled(agent, at, kind) === 'ask' && this.ofParent(agent, at, kind) === 'waits';
  }

  ofParent(agent: (typeof PARENTS)[number], at: (typeof SESSIONS)[number], kind: Kind): Verdict {
    const rule = this.#ruled(agent, at, kind);
    const [own, every] = [this.modes.get(`${agent} ${at}`), this.modes.get(`${agent} every`)];
    const modes = [own ?? every ?? FILE_MODES[agent], every].filter((mode) => mode !== undefined);
    return strongest(...modes.map((mode) => this.#underMode(mode, kind, rule)));
  }

  ofHelper(at: (typeof SESSIONS)[number], kind: Kind): Verdict {
    const rule = this.#ruled('helper', at, kind);
    if (rule === 'deny') return 'denied';
    const own: Verdict | undefined = rule === 'ask' ? 'waits' : kind === 'ruled' ? 'approved' : undefined;
    const parent = at === 's' ? this.parent : undefined;
    if (parent) {
      const above = this.ofParent(parent.agent, parent.session, kind);
      if (own === undefined || above === 'denied') return above;
      return this.asksByRule(parent.agent, parent.session, kind) ? 'waits' : own;
    }
    if (PARENTS.some((agent) => this.ofParent(agent, 'main', kind) === 'denied')) return 'denied';
    if (PARENTS.some((agent) => this.asksByRule(agent, 'main', kind))) return 'waits';
    return own ?? 'waits';
  }

  of(agent: AgentName, at: (typeof SESSIONS)[number], kind: Kind): Verdict {
    return agent === 'helper' ? this.ofHelper(at, kind) : this.ofParent(agent, at, kind);
  }
}

const RULE = 'Bash(git status:*)';
const INPUTS = {
  ruled: () => ({ toolName: 'Bash', input: { command: 'git status' } }),
  edit: (n: number) => ({ toolName: 'Write', input: { file_path: `/workspace/${n}.ts`, content: 'x' } }),
  other: (n: number) => ({ toolName: 'Bash', input: { command: `make part-${n}` } }),
} as const satisfies Record<Kind, (n: number) => object>;

async function change(
  world: World,
  settings: Settings,
  one: Exclude<Step, { do: 'propose' }>,
  n: number,
): Promise<void> {
  switch (one.do) {
    case 'mode': {
      const where = one.scope === 'every' ? {} : { session: one.scope };
      await operateNow(world, { kind: 'set-mode', agent: one.agent, mode: one.mode, ...where });
      const key = `${one.agent} ${one.scope}`;
      if (one.mode === 'agent') settings.modes.delete(key);
      else settings.modes.set(key, one.mode);
      return;
    }
    case 'rule': {
      const where = one.scope === 'every' ? {} : { session: one.scope };
      const key = `${one.agent} ${one.scope}`;
      const before = settings.rules.get(key);
      const operation = { agent: one.agent, pattern: RULE, ...where };
      if (before) await operateNow(world, { kind: 'remove-rule', effect: before, ...operation });
      settings.rules.delete(key);
      if (one.effect === 'none') return;
      await operateNow(world, { kind: 'add-rule', effect: one.effect, ...operation });
      settings.rules.set(key, one.effect);
      return;
    }
    case 'start': {
      const starts = { agentId: 'helper', sessionId: 's' };
      const read = { kind: 'tool-call', toolName: 'Read', input: { file_path: '/workspace/a' } };
      await world.send({ ...read, proposalId: `s${n}`, sessionId: one.session, starts }, { agent: one.by });
      // Reading is allowed in every mode here but where nobody is asked and no rule speaks of it.
      if (!(await heard(world, `s${n}`, one.by)).startsWith('approved')) return;
      const isEarlier = settings.parent === undefined || (settings.parent.agent === 'other' && one.by === 'lead');
      if (isEarlier) settings.parent = { agent: one.by, session: one.session };
      return;
    }
    default:
      one satisfies never;
  }
}

const document = policyOf({
  agents: AGENTS_YAML,
  more: 'tools: { Bash: { permissions: [Execute] }, Write: { permissions: [Write] } }\nguardrails: { tools: { Bash: { maxConcurrent: 100, ratePerSecond: 1000 }, Write: { maxConcurrent: 100, ratePerSecond: 1000 } } }\n',
});

test('a verdict is the strongest of those under every setting that holds, at the proposal and at the redemption', async () => {
  const seen = { approved: 0, waits: 0, denied: 0 };
  let revoked = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 16 }), async (steps) => {
      const [world, settings] = [new World(document), new Settings()];
      const permits: { readonly id: string; readonly one: Extract<Step, { do: 'propose' }>; readonly call: object }[] =
        [];
      for (const [n, one] of steps.entries()) {
        if (one.do !== 'propose') {
          await change(world, settings, one, n);
          continue;
        }
        const call = INPUTS[one.kind](n);
        await world.send({ ...bash(`p${n}`), ...call, sessionId: one.session }, { agent: one.agent });
        const outcome = (await heard(world, `p${n}`, one.agent)).split(' ')[0];
        expect(outcome, `p${n}`).toBe(settings.of(one.agent, one.session, one.kind));
        seen[outcome as Verdict]++;
        if (outcome === 'approved') permits.push({ id: `p${n}`, one, call });
      }
      for (const { id, one, call } of permits) {
        const answer = await redemptionOf(world, id, { agent: one.agent, ...call });
        const now = settings.of(one.agent, one.session, one.kind);
        if (now === 'approved') expect(answer, id).toBe('granted');
        else expect(answer, id).toMatch(/^(revoked none|policy_changed usable)$/);
        if (now !== 'approved') revoked++;
      }
      expect(world.faults).toEqual([]);
    }),
    { numRuns: runs(120) },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(30);
  expect(revoked).toBeGreaterThan(5);
});
