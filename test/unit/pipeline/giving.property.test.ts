/** For every play: what was approved for later answers only calls that its giver saw and could approve now (D22, D52, D57). */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../permissions/properties/arbitraries.ts';
import { heard, operateNow, redemptionOf } from './giving-steps.ts';
import { bash, policyOf, World } from './world.ts';

const PERSONS = ['alice', 'bob', 'olga'] as const;
type Name = (typeof PERSONS)[number];
const ROOTS = { lead: '/workspace', helper: '/prod' } as const;
type AgentName = keyof typeof ROOTS;
const AGENTS = ['lead', 'helper'] as const;
const SESSIONS = { lead: ['main', 'l'], helper: ['main', 'h'] } as const;

interface File {
  readonly owners: Readonly<Record<AgentName, Name>>;
  readonly members: readonly Name[];
}

/** Everybody may be the requester of every agent. */
const documentOf = ({ owners, members }: File) =>
  policyOf({
    agents: AGENTS.map((agent) => {
      const requesters = PERSONS.filter((one) => one !== owners[agent]).join(', ');
      const more = agent === 'helper' ? ', mode: bubble, parents: [lead]' : '';
      return `  ${agent}: { owner: ${owners[agent]}, requesters: [${requesters}], projectRoot: ${ROOTS[agent]}${more} }`;
    }).join('\n'),
    approvers: `  platform: { members: [${members.join(', ')}], channel: approvals }\n  security: { members: [bob], channel: security }`,
    more: 'tools: { Bash: { permissions: [Execute] } }\nguardrails: { tools: { Bash: { maxConcurrent: 100, ratePerSecond: 1000 } } }\n',
  });

const file: fc.Arbitrary<File> = fc.record({
  owners: fc.record({ lead: fc.constantFrom(...PERSONS), helper: fc.constantFrom(...PERSONS) }),
  members: fc.subarray([...PERSONS], { minLength: 2 }),
});

interface Call {
  readonly agent: AgentName;
  readonly session: 0 | 1;
  readonly command: 'make x' | 'make y';
  readonly cwd: '/workspace' | '/prod' | undefined;
  readonly starts: boolean;
  readonly requester: Name | undefined;
}
/** The usual value, and now and then another. */
const mostly = <Usual, Other>(usual: Usual, ...others: readonly Other[]): fc.Arbitrary<Usual | Other> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(usual) },
    { weight: others.length, arbitrary: fc.constantFrom(...others) },
  );

const call: fc.Arbitrary<Call> = fc.record({
  agent: fc.constantFrom(...AGENTS),
  session: mostly(0, 1),
  command: fc.constantFrom('make x', 'make x', 'make y'),
  cwd: mostly(undefined, '/workspace', '/prod'),
  starts: mostly(false, true),
  requester: mostly(undefined, ...PERSONS),
});

type Step =
  | {
      readonly do: 'propose';
      readonly call: Call;
      readonly by: Name;
      readonly remember: 'session' | 'session-all-tools';
    }
  | { readonly do: 'start'; readonly session: 0 | 1 }
  | { readonly do: 'file'; readonly file: File }
  | { readonly do: 'revoke'; readonly agent: AgentName; readonly session: 0 | 1 }
  | { readonly do: 'wait'; readonly minutes: number };
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('propose' as const),
      call,
      by: fc.constantFrom(...PERSONS),
      remember: fc.constantFrom('session' as const, 'session-all-tools' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('start' as const), session: fc.constantFrom(0 as const, 1 as const) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('file' as const), file }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('revoke' as const),
      agent: fc.constantFrom(...AGENTS),
      session: fc.constantFrom(0 as const, 1 as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), minutes: fc.constantFrom(1, 31) }) },
);

/** An answer of somebody about a call that they saw. */
interface Given {
  readonly agent: AgentName;
  readonly session: string;
  readonly command: string | undefined;
  readonly folder: string;
  readonly starts: boolean;
  readonly by: Name;
  readonly members: string;
  readonly until: number;
}

const GRANT_MS = 30 * 60_000;
const HELPER_SESSION = 'h';

/** The gate beside a plain list of what people gave. */
class Play {
  readonly world: World;
  file: File;
  given: Given[] = [];
  /** The lead's session that started the helper's. */
  parent: string | undefined;
  #proposals = 0;

  constructor(first: File) {
    this.file = first;
    this.world = new World(documentOf(first));
  }

  sessionOf = ({ agent, session }: Pick<Call, 'agent' | 'session'>): string => SESSIONS[agent][session];
  folderOf = ({ agent, cwd }: Call): string => cwd ?? ROOTS[agent];

  /** The sessions that answer a call, its own first. */
  levelsOf(one: Call): { readonly agent: AgentName; readonly session: string }[] {
    const own = { agent: one.agent, session: this.sessionOf(one) };
    const isStarted = one.agent === 'helper' && own.session === HELPER_SESSION && this.parent !== undefined;
    return isStarted ? [own, { agent: 'lead', session: this.parent ?? '' }] : [own];
  }

  mayApprove(who: Name, one: Call, agents: readonly AgentName[]): boolean {
    const requester = one.requester ?? this.file.owners[one.agent];
    return (
      this.file.members.includes(who) && who !== requester && agents.every((agent) => this.file.owners[agent] !== who)
    );
  }

  /** People who saw exactly this call, or all of its tool, where it runs, and may approve it now. */
  isGiven(one: Call): boolean {
    const now = this.world.clock.now();
    const levels = this.levelsOf(one);
    return levels.some((level, depth) =>
      this.given.some(
        (each) =>
          each.agent === level.agent &&
          each.session === level.session &&
          (each.command ?? one.command) === one.command &&
          each.folder === this.folderOf(one) &&
          each.starts === startsOf(one) &&
          each.members === this.file.members.join() &&
          now < each.until &&
          this.mayApprove(
            each.by,
            one,
            levels.slice(0, depth + 1).map(({ agent }) => agent),
          ),
      ),
    );
  }

  async propose({
    call: one,
    by,
    remember,
  }: Extract<Step, { do: 'propose' }>): Promise<{ id: string; one: Call } | undefined> {
    const id = `p${this.#proposals++}`;
    const { agent } = one;
    const others = this.file.members.filter((who) => this.mayApprove(who, one, [agent]));
    await this.world.send(
      bash(id, one.command, {
        sessionId: this.sessionOf(one),
        ...(one.cwd ? { cwd: one.cwd } : {}),
        ...(one.requester ? { requester: one.requester } : {}),
        ...(startsOf(one) ? { starts: { agentId: 'helper', sessionId: HELPER_SESSION } } : {}),
      }),
      { agent },
    );
    const outcome = await heard(this.world, id, agent);
    if (outcome === 'error session_has_parent') return undefined;
    if (this.isGiven(one)) expect(outcome, id).toMatch(/^approved (cache_hit|bubble)$/);
    else expect(outcome, id).toMatch(others.length ? /^waits$/ : /^error no_approvers$/);
    if (outcome.startsWith('approved')) {
      this.started(one);
      return { id, one };
    }
    if (outcome !== 'waits') return undefined;
    const voted = await this.world.click(id, by, 'approve', { remember, agent });
    expect(voted.kind, `${by} on ${id}`).toBe(others.includes(by) ? 'counted' : 'refused');
    if (voted.kind === 'counted') {
      this.gave(one, by, remember);
      this.started(one);
    } else {
      // Nothing identical waits when the next is proposed.
      await this.world.send({ kind: 'cancel', proposalId: `c-${id}`, cancels: id }, { agent });
    }
    return undefined;
  }

  gave(one: Call, by: Name, remember: 'session' | 'session-all-tools'): void {
    const command = remember === 'session' ? one.command : undefined;
    const about = {
      agent: one.agent,
      session: this.sessionOf(one),
      command,
      folder: this.folderOf(one),
      starts: startsOf(one),
    };
    const members = this.file.members.join();
    // The later of two about the same takes the place of the earlier.
    const others = this.given.filter((each) => JSON.stringify(keyOf(each)) !== JSON.stringify({ ...about, members }));
    this.given = [...others, { ...about, by, members, until: this.world.clock.now() + GRANT_MS }];
  }

  started(one: Call): void {
    if (startsOf(one)) this.parent ??= this.sessionOf(one);
  }

  async change(one: Exclude<Step, { do: 'propose' }>): Promise<void> {
    switch (one.do) {
      case 'file':
        this.file = one.file;
        this.world.gate.usePolicy(documentOf(one.file));
        return;
      case 'revoke': {
        const session = this.sessionOf(one);
        await operateNow(this.world, { kind: 'revoke', agent: one.agent, session });
        this.given = this.given.filter((each) => each.agent !== one.agent || each.session !== session);
        return;
      }
      case 'start': {
        const sessionId = SESSIONS.lead[one.session];
        const starts = { agentId: 'helper', sessionId: HELPER_SESSION };
        await this.world.send(bash(`s${this.#proposals++}`, 'git status', { sessionId, starts }), { agent: 'lead' });
        this.parent ??= sessionId;
        return;
      }
      case 'wait':
        await this.world.clock.advance(one.minutes * 60_000);
        return;
      default:
        one satisfies never;
    }
  }
}

const startsOf = ({ agent, starts }: Pick<Call, 'agent' | 'starts'>): boolean => agent === 'lead' && starts;
const keyOf = ({ by: _, until: __, ...rest }: Given) => rest;

const redeemed = (play: Play, { id, one }: { readonly id: string; readonly one: Call }) =>
  redemptionOf(play.world, id, {
    agent: one.agent,
    input: { command: one.command },
    ...(one.cwd ? { cwd: one.cwd } : {}),
    ...(startsOf(one) ? { starts: { agentId: 'helper', sessionId: HELPER_SESSION } } : {}),
  });

test('a call is answered without people exactly if somebody who may approve it now saw it, in its folder, with what it starts', async () => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(file, fc.array(step, { minLength: 4, maxLength: 14 }), async (first, steps) => {
      const play = new Play(first);
      for (const one of steps) {
        if (one.do !== 'propose') await play.change(one);
        else if (await play.propose(one)) answered++;
      }
      expect(play.world.faults).toEqual([]);
    }),
    { numRuns: runs(150) },
  );
  // The play is about something.
  expect(answered).toBeGreaterThan(30);
});

test('a permit that a grant gave is good while the grant would answer its call, and no longer', async () => {
  let [granted, refused] = [0, 0];
  const later = fc.array(
    step.filter((one) => one.do !== 'propose'),
    { maxLength: 2 },
  );
  await fc.assert(
    fc.asyncProperty(file, fc.array(step, { minLength: 4, maxLength: 14 }), later, async (first, steps, changes) => {
      const play = new Play(first);
      const permits: { readonly id: string; readonly one: Call; readonly isFresh: boolean }[] = [];
      for (const [index, one] of steps.entries()) {
        const permit = one.do === 'propose' ? await play.propose(one) : await play.change(one);
        if (permit) permits.push({ ...permit, isFresh: index === steps.length - 1 && changes.length === 0 });
      }
      for (const one of changes) await play.change(one);
      for (const permit of permits) {
        const answer = await redeemed(play, permit);
        if (answer === 'granted') granted++;
        else refused++;
        if (answer === 'granted') expect(play.isGiven(permit.one), permit.id).toBe(true);
        else expect(answer, permit.id).toMatch(/^(revoked|permit_expired|policy_changed) none$/);
        if (permit.isFresh) expect(answer, permit.id).toBe('granted');
      }
    }),
    { numRuns: runs(150) },
  );
  expect(granted).toBeGreaterThan(10);
  expect(refused).toBeGreaterThan(10);
});
