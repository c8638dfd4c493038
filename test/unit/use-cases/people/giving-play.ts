/**
 * Runs a gate beside a plain list of what people gave, for random plays.
 *
 * Plays have sessions, owners, seats, folders and edits.
 */
import fc from 'fast-check';
import { expect } from 'vitest';
import { changeDelegation } from '../../../../shared/use-cases/people/delegation.ts';
import { heard, operateNow, redemptionOf } from '../giving-steps.ts';
import { bash, PEOPLE, policyOf, World } from '../world.ts';

const PERSONS = ['alice', 'bob', 'olga'] as const;
type Name = (typeof PERSONS)[number];
type AgentName = 'lead' | 'helper';
const AGENTS: readonly AgentName[] = ['lead', 'helper'];
const SESSIONS = { lead: ['main', 'l'], helper: ['main', 'h'] } as const;
const FOLDERS = ['/workspace', '/prod'] as const;
type Folder = (typeof FOLDERS)[number];

interface File {
  readonly owners: Readonly<Record<AgentName, Name>>;
  readonly members: readonly Name[];
  readonly roots: Readonly<Record<AgentName, Folder>>;
  /** The helper's: whoever is above it counts in each. */
  readonly mode: 'bubble' | 'default';
}

/** Everybody may be the requester of every agent. */
const documentOf = ({ owners, members, roots, mode }: File) =>
  policyOf({
    agents: AGENTS.map((agent) => {
      const requesters = PERSONS.filter((one) => one !== owners[agent]).join(', ');
      const more = agent === 'helper' ? `, mode: ${mode}, parents: [lead]` : '';
      return `  ${agent}: { owner: ${owners[agent]}, requesters: [${requesters}], projectRoot: ${roots[agent]}${more} }`;
    }).join('\n'),
    approvers: `  platform: { members: [${members.join(', ')}], channel: approvals }\n  security: { members: [bob], channel: security }`,
    more: 'tools: { Bash: { permissions: [Execute] } }\nguardrails: { tools: { Bash: { maxConcurrent: 100, ratePerSecond: 1000 } } }\n',
  });

/** The usual value, and now and then another. */
const mostly = <Usual, Other>(usual: Usual, ...others: readonly Other[]): fc.Arbitrary<Usual | Other> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(usual) },
    { weight: others.length, arbitrary: fc.constantFrom(...others) },
  );

export const file: fc.Arbitrary<File> = fc.record({
  owners: fc.record({ lead: mostly('olga', ...PERSONS), helper: mostly('olga', ...PERSONS) }),
  members: fc.oneof(fc.constant([...PERSONS]), fc.subarray([...PERSONS], { minLength: 1 })),
  roots: fc.record({ lead: mostly('/workspace', '/prod'), helper: mostly('/workspace', '/prod') }),
  mode: mostly('bubble', 'default', 'default'),
});

interface Call {
  readonly agent: AgentName;
  readonly session: 0 | 1;
  readonly command: 'make x' | 'make y';
  readonly cwd: Folder | undefined;
  readonly starts: boolean;
  readonly requester: Name | undefined;
}

const call: fc.Arbitrary<Call> = fc.record({
  agent: fc.constantFrom(...AGENTS),
  session: mostly(0, 1),
  command: fc.constantFrom('make x', 'make x', 'make y'),
  cwd: mostly(undefined, ...FOLDERS),
  starts: mostly(false, true),
  requester: mostly(undefined, ...PERSONS),
});

interface Propose {
  readonly do: 'propose';
  readonly call: Call;
  readonly by: Name;
  readonly remember: 'session' | 'session-all-tools' | undefined;
  /** Somebody changes the command first. */
  readonly editor: Name | undefined;
  /** Somebody passes their seat on to who votes. */
  readonly passer: Name | undefined;
  /** The file changes while it waits. */
  readonly meanwhile: File | undefined;
}
type Step =
  | Propose
  | { readonly do: 'start'; readonly session: 0 | 1; readonly requester: Name | undefined }
  | { readonly do: 'file'; readonly file: File }
  | { readonly do: 'delegate'; readonly from: Name; readonly to: Name | undefined }
  | { readonly do: 'revoke'; readonly agent: AgentName; readonly session: 0 | 1 }
  | { readonly do: 'wait'; readonly minutes: number };

const session = fc.constantFrom(0 as const, 1 as const);
const propose: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('propose' as const),
  call,
  by: fc.constantFrom(...PERSONS),
  remember: fc.constantFrom('session' as const, 'session-all-tools' as const, undefined),
  editor: mostly(undefined, ...PERSONS),
  passer: mostly(undefined, ...PERSONS),
  meanwhile: fc.option(file, { freq: 7, nil: undefined }),
});
const others: readonly fc.Arbitrary<Exclude<Step, Propose>>[] = [
  fc.record({ do: fc.constant('start' as const), session, requester: mostly(undefined, ...PERSONS) }),
  fc.record({ do: fc.constant('file' as const), file }),
  fc.record({ do: fc.constant('file' as const), file }),
  fc.record({
    do: fc.constant('delegate' as const),
    from: fc.constantFrom(...PERSONS),
    to: fc.constantFrom(...PERSONS, undefined),
  }),
  fc.record({ do: fc.constant('revoke' as const), agent: fc.constantFrom(...AGENTS), session }),
  fc.record({ do: fc.constant('wait' as const), minutes: fc.constantFrom(1, 31) }),
];
export const change = fc.oneof(...others);
export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: propose },
  ...others.map((arbitrary) => ({ weight: 1, arbitrary })),
);

/** A vote: in whose seat, and how it became theirs. */
interface Vote {
  readonly by: Name;
  readonly standsFor?: Name;
  readonly passed?: boolean;
}

/** An answer of somebody about a call that they saw. */
interface Given extends Vote {
  readonly agent: AgentName;
  readonly session: string;
  readonly command: string | undefined;
  readonly folder: string;
  readonly starts: boolean;
  readonly members: string;
  readonly until: number;
}

/** A call that may run, and its approvers. */
export interface Allowed {
  readonly id: string;
  readonly one: Call;
  readonly root: Folder;
  readonly requester: Name;
  readonly until: number;
  readonly voted: Vote | undefined;
  readonly editor: Name | undefined;
}

const GRANT_MS = 30 * 60_000;
const PERMIT_MS = { automatic: 15 * 60_000, human: 24 * 60 * 60_000 };
const HELPER_SESSION = 'h';
const STARTS = { agentId: 'helper', sessionId: HELPER_SESSION };

/** Each step is made on the gate and in the list, and what the gate says is what the list says. */
export class Play {
  readonly world: World;
  file: File;
  given: Given[] = [];
  /** The lead's session that started the helper's, and in whose names. */
  parent: string | undefined;
  startedFor: Name[] = [];
  seats = new Map<Name, Name>();
  #count = 0;

  constructor(first: File) {
    this.file = first;
    this.world = new World(documentOf(first));
  }

  sessionOf = ({ agent, session: index }: Pick<Call, 'agent' | 'session'>): string => SESSIONS[agent][index];

  folderOf({ agent, cwd }: Call, root: Folder = this.file.roots[agent]): string {
    return cwd ?? root;
  }

  isStarted = (one: Call): boolean =>
    one.agent === 'helper' && this.sessionOf(one) === HELPER_SESSION && this.parent !== undefined;

  /** The sessions whose approvals for later answer a call, its own first. */
  levelsOf(one: Call): { readonly agent: AgentName; readonly session: string }[] {
    const own = { agent: one.agent, session: this.sessionOf(one) };
    const escalates = this.isStarted(one) && this.file.mode === 'bubble';
    return escalates ? [own, { agent: 'lead', session: this.parent ?? '' }] : [own];
  }

  /** For whom the call is made: the owners of its agent and of the lead that a helper works for, and who asked for any of it. */
  beneficiaries(one: Call, requester: Name): Name[] {
    const { lead, helper } = this.file.owners;
    const owners = one.agent === 'helper' ? [helper, lead] : [lead];
    return [...owners, requester, ...(this.isStarted(one) ? this.startedFor : [])];
  }

  /** In whose seat somebody may vote today. */
  seatOf(voter: Name, barred: readonly Name[], passer?: Name): Vote | undefined {
    if (barred.includes(voter)) return undefined;
    const { members } = this.file;
    if (members.includes(voter)) return { by: voter };
    const has = (one: Name) => members.includes(one) && !barred.includes(one);
    if (passer && has(passer)) return { by: voter, standsFor: passer, passed: true };
    const absent = [...this.seats].find(([from, to]) => to === voter && has(from));
    return absent && { by: voter, standsFor: absent[0] };
  }

  /** Whether the vote would count today. */
  holds({ by, standsFor, passed }: Vote, barred: readonly Name[]): boolean {
    return this.seatOf(by, barred, passed ? standsFor : undefined) !== undefined;
  }

  /** People who saw exactly this call, or all of its tool, where it runs, and may approve it now. */
  isGiven(one: Call, requester: Name): boolean {
    const now = this.world.clock.now();
    const barred = this.beneficiaries(one, requester);
    return this.levelsOf(one).some((level) =>
      this.given.some(
        (each) =>
          each.agent === level.agent &&
          each.session === level.session &&
          (each.command ?? one.command) === one.command &&
          each.folder === this.folderOf(one) &&
          each.starts === startsOf(one) &&
          each.members === this.file.members.join() &&
          now < each.until &&
          this.holds(each, barred),
      ),
    );
  }

  async propose(step: Propose): Promise<Allowed | undefined> {
    const { call: one, meanwhile } = step;
    const { agent } = one;
    const id = `p${this.#count++}`;
    const requester = one.requester ?? this.file.owners[agent];
    const before = { file: this.file, barred: this.beneficiaries(one, requester) };
    const isOpen = this.file.members.some((who) => !before.barred.includes(who));
    await this.world.send(
      bash(id, one.command, { sessionId: this.sessionOf(one), ...namedIn(one), ...statedOf(one) }),
      { agent },
    );
    const outcome = await heard(this.world, id, agent);
    if (outcome === 'error session_has_parent') return undefined;
    if (this.isGiven(one, requester)) expect(outcome, id).toMatch(/^approved (cache_hit|bubble)$/);
    else expect(outcome, id).toBe(isOpen ? 'waits' : 'error no_approvers');
    if (outcome.startsWith('approved')) return this.#allowed(id, one, requester, undefined, undefined);
    if (outcome !== 'waits') return undefined;
    if (meanwhile) this.#use(meanwhile);
    const answered = await this.#answer(id, step, requester, before);
    // Nothing identical waits when the next is proposed.
    if (!answered) await this.world.send({ kind: 'cancel', proposalId: `c-${id}`, cancels: id }, { agent });
    return answered || undefined;
  }

  /** False: it still waits. Undefined: it ended, and may not run. */
  async #answer(
    id: string,
    { call: one, by, remember, editor, passer }: Propose,
    requester: Name,
    before: { readonly file: File; readonly barred: readonly Name[] },
  ): Promise<Allowed | undefined | false> {
    const { agent } = one;
    // People who could not approve it when it was asked cannot today either.
    const barredFrom = (asked: Call) => [...before.barred, ...this.beneficiaries(asked, requester)];
    const isSame = this.file.members.join() === before.file.members.join();
    const hasStayed = this.folderOf(one, before.file.roots[agent]) === this.folderOf(one);
    let asked = one;
    if (editor) {
      asked = { ...one, command: one.command === 'make x' ? 'make y' : 'make x' };
      const edited = await this.world.edit(id, editor, { command: asked.command }, agent);
      const seat = this.seatOf(editor, barredFrom(one));
      expect(edited.kind, `${editor} edits ${id}`).toBe(seat ? 'counted' : 'refused');
      if (!seat) return false;
      const outcome = await heard(this.world, id, agent);
      if (!hasStayed) expect(outcome, id).toBe('superseded superseded');
      if (outcome.startsWith('superseded') || outcome.startsWith('error')) return undefined;
      if (outcome !== 'waits') {
        expect([outcome, this.isGiven(asked, requester)], id).toEqual(['approved edited', true]);
        return this.#allowed(id, asked, requester, undefined, editor);
      }
    }
    const barred = barredFrom(asked);
    const passed = passer && passer !== by ? await this.world.passOn(id, passer, by, agent) : undefined;
    const from = passed && this.#passedSeat(passer as Name, by, barred);
    if (passed) expect(passed.kind, `${passer} passes ${id} on to ${by}`).toBe(from ? 'counted' : 'refused');
    const seat = this.seatOf(by, barred, from);
    const voted = await this.world.click(id, by, 'approve', { agent, ...(remember ? { remember } : {}) });
    expect(voted.kind, `${by} on ${id}`).toBe(seat ? 'counted' : 'refused');
    if (!seat) return false;
    const outcome = await heard(this.world, id, agent);
    const counts = hasStayed && (editor !== undefined || isSame);
    if (!counts) expect(outcome, id).not.toMatch(/^approved/);
    else expect(outcome, id).toBe(editor ? 'approved edited' : 'approved approved');
    if (!counts) return undefined;
    if (remember) this.#gave(asked, seat, remember);
    return this.#allowed(id, asked, requester, seat, editor);
  }

  /** The owner of the seat that the passer gives away, if they have one that the other may take. */
  #passedSeat(passer: Name, to: Name, barred: readonly Name[]): Name | undefined {
    const seat = this.seatOf(passer, barred);
    return seat && !barred.includes(to) ? (seat.standsFor ?? passer) : undefined;
  }

  #allowed(id: string, one: Call, requester: Name, voted: Vote | undefined, editor: Name | undefined): Allowed {
    if (startsOf(one)) {
      this.parent ??= this.sessionOf(one);
      this.startedFor.push(requester);
    }
    const lasts = voted || editor ? PERMIT_MS.human : PERMIT_MS.automatic;
    const until = this.world.clock.now() + lasts;
    return { id, one, root: this.file.roots[one.agent], requester, until, voted, editor };
  }

  #gave(one: Call, vote: Vote, remember: 'session' | 'session-all-tools'): void {
    const about = {
      agent: one.agent,
      session: this.sessionOf(one),
      command: remember === 'session' ? one.command : undefined,
      folder: this.folderOf(one),
      starts: startsOf(one),
      members: this.file.members.join(),
    };
    // The later of two about the same takes the place of the earlier.
    const left = this.given.filter((each) => JSON.stringify(keyOf(each)) !== JSON.stringify(keyOf({ ...about })));
    this.given = [...left, { ...about, ...vote, until: this.world.clock.now() + GRANT_MS }];
  }

  #use(next: File): void {
    this.file = next;
    this.world.gate.usePolicy(documentOf(next));
  }

  /** Whether the call may run now, by the list: undefined where the list does not know which approval for later it was. */
  mayRun({ one, root, requester, until, voted, editor }: Allowed): boolean | undefined {
    const barred = this.beneficiaries(one, requester);
    if (this.world.clock.now() >= until || this.folderOf(one, root) !== this.folderOf(one)) return false;
    const people = [voted?.by, voted?.standsFor, editor];
    if (people.some((who) => who && barred.filter((each) => each !== requester).includes(who))) return false;
    if (this.isGiven(one, requester)) return voted ? true : undefined;
    return voted !== undefined && this.holds(voted, barred);
  }

  redeemed({ id, one }: Allowed): Promise<string> {
    const { agent } = one;
    return redemptionOf(this.world, id, { agent, input: { command: one.command }, ...statedOf(one) });
  }

  async change(one: Exclude<Step, Propose>): Promise<void> {
    switch (one.do) {
      case 'file':
        return this.#use(one.file);
      case 'revoke': {
        const revoked = this.sessionOf(one);
        await operateNow(this.world, { kind: 'revoke', agent: one.agent, session: revoked });
        this.given = this.given.filter((each) => each.agent !== one.agent || each.session !== revoked);
        return;
      }
      case 'start': {
        const { requester } = one;
        const sessionId = SESSIONS.lead[one.session];
        const more = { sessionId, starts: STARTS, ...(requester ? { requester } : {}) };
        await this.world.send(bash(`s${this.#count++}`, 'git status', more), { agent: 'lead' });
        this.parent ??= sessionId;
        if (this.parent === sessionId) this.startedFor.push(requester ?? this.file.owners.lead);
        return;
      }
      case 'delegate': {
        const { from, to } = one;
        if (from === to) return;
        const until = to && new Date(this.world.clock.now() + 80 * 24 * 60 * 60_000).toISOString();
        const seat = { person: PEOPLE[from], ...(to && until ? { to: PEOPLE[to], until } : {}) };
        const at = this.#count++;
        const sent = { at, receivedAt: at, id: `d${at}`, isAhead: false };
        await changeDelegation(seat, 'a test', { id: sent.id, sent }, this.world.gate.parts);
        if (to) this.seats.set(from, to);
        else this.seats.delete(from);
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
const namedIn = ({ requester }: Call) => (requester ? { requester } : {});
/** In the message and in the redemption alike. */
const statedOf = (one: Call) => ({
  ...(one.cwd ? { cwd: one.cwd } : {}),
  ...(startsOf(one) ? { starts: STARTS } : {}),
});
const keyOf = ({ agent, session: name, command, folder, starts, members }: Omit<Given, 'by' | 'until'>) => [
  agent,
  name,
  command,
  folder,
  starts,
  members,
];
