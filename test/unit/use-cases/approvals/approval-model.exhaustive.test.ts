/**
 * Plays drawn sequences of answers on one approval beside a model of the documents.
 *
 * Compares after each step whose answers count, who is asked and told, where buttons stand, and whom decisions name.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadPolicy } from '../../../../shared/config/load.ts';
import type { Person } from '../../../../shared/contract/index.ts';
import { audienceOf } from '../../../../shared/use-cases/approvals/voting/audience.ts';
import { passOn, vote } from '../../../../shared/use-cases/approvals/voting/cast-vote.ts';
import { pendingFor } from '../../../../shared/use-cases/approvals/voting/pending-for.ts';
import { World } from '../world.ts';
import { ApprovalModel, type ModelStage } from './approval-model.ts';

const RUNS = Number(process.env['COUNTERSIGN_RUNS'] ?? 300);
const MINUTE = 60_000;
const NAMES = ['ann', 'ben', 'cleo', 'dan', 'eve', 'olga', 'rita'];
const GROUPS = ['platform', 'security', 'leads'];
const personOf = (name: string): Person => ({ team: 'T0DEMO', user: `U0${name.toUpperCase()}` });
const nameOf = ({ user }: Person): string => user.slice(2).toLowerCase();
const channelOf = (group: string): string => `C0${group.toUpperCase()}`;

interface Plan {
  readonly members: Readonly<Record<string, readonly string[]>>;
  readonly stages: readonly ModelStage[];
  readonly calls: number;
  readonly hasRequester: boolean;
}
type Step =
  | {
      readonly do: 'vote';
      readonly who: string;
      readonly answer: 'approve' | 'reject';
      readonly calls?: readonly number[] | undefined;
    }
  | { readonly do: 'pass' | 'delegate'; readonly who: string; readonly to: string; readonly minutes: number }
  | { readonly do: 'wait'; readonly minutes: number }
  | { readonly do: 'cancel' };

const name = fc.constantFrom(...NAMES);
const group = fc.constantFrom(...GROUPS);
const stage: fc.Arbitrary<ModelStage> = fc
  .record({
    group,
    quorum: fc.constantFrom(1, 1, 1, 2),
    timeout: fc.option(fc.constantFrom(5, 12)),
    escalateTo: fc.option(group),
  })
  .map(({ group: first, quorum, timeout, escalateTo }) => ({
    ...{ group: first, quorum, timeoutMs: timeout === null ? undefined : timeout * MINUTE },
    escalateTo: timeout === null || escalateTo === null || escalateTo === first ? undefined : escalateTo,
  }));
const some = fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 });
const plan: fc.Arbitrary<Plan> = fc.record({
  members: fc.record({ platform: some, security: some, leads: some }),
  stages: fc.array(stage, { minLength: 1, maxLength: 3 }),
  calls: fc.constantFrom(1, 1, 2, 3),
  hasRequester: fc.boolean(),
});
const voting = fc.record({
  do: fc.constant('vote' as const),
  who: name,
  answer: fc.constantFrom('approve' as const, 'approve' as const, 'approve' as const, 'reject' as const),
  calls: fc.option(fc.uniqueArray(fc.nat(2), { minLength: 1, maxLength: 3 }), { nil: undefined }),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: voting },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('pass' as const, 'delegate' as const),
      who: name,
      to: name,
      minutes: fc.constantFrom(4, 30),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), minutes: fc.constantFrom(1, 3, 6) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'cancel' as const }) },
);

const stageText = ({ group: one, quorum, timeoutMs, escalateTo }: ModelStage): string =>
  `{ group: ${one}, quorum: ${quorum}${timeoutMs ? `, timeout: ${timeoutMs / MINUTE}m` : ''}${escalateTo ? `, escalateTo: ${escalateTo}` : ''} }`;
const textOf = ({ members, stages }: Plan): string => `
people:
${NAMES.map((one) => `  ${one}: { team: T0DEMO, user: ${personOf(one).user}, name: ${one} }`).join('\n')}
agents: { coder: { owner: olga, requesters: [rita] } }
channels:
${GROUPS.map((one) => `  ${one}: { team: T0DEMO, id: ${channelOf(one)} }`).join('\n')}
approvers:
${GROUPS.map((one) => `  ${one}: { members: [${members[one]?.join(', ')}], channel: ${one} }`).join('\n')}
approvals: { timeout: 1h, stages: [${stages.map(stageText).join(', ')}] }
rules: { ask: ['Bash(git push:*)'] }
`;

/** Cards and replies with whom they mention, since the last look. */
function heardIn({ slack }: World) {
  let heard: { readonly channel: string; readonly text: string }[] = [];
  const { post, reply } = slack;
  slack.post = (channel, card) => {
    heard.push({ channel, text: JSON.stringify(card.blocks[1]) });
    return post.call(slack, channel, card);
  };
  slack.reply = (at, note) => {
    heard.push({ channel: at.channel, text: note.text });
    return reply.call(slack, at, note);
  };
  return {
    isTold: (who: string, channels: readonly string[]) =>
      heard.some(({ channel, text }) => channels.includes(channel) && text.includes(`<@${personOf(who).user}>`)),
    forget: () => {
      heard = [];
    },
  };
}

class Played {
  readonly world: World;
  readonly model: ApprovalModel;
  readonly calls: readonly string[];
  readonly #heard: ReturnType<typeof heardIn>;
  #asks = '';
  #clicks = 0;

  private constructor(world: World, model: ApprovalModel, calls: readonly string[], heard: ReturnType<typeof heardIn>) {
    [this.world, this.model, this.calls, this.#heard] = [world, model, calls, heard];
  }

  /** Undefined where the policy file is refused, or nobody is asked. */
  static async begin(drawn: Plan): Promise<Played | undefined> {
    let world: World;
    try {
      world = new World(loadPolicy(textOf(drawn), 'countersign.yaml'));
    } catch {
      return undefined;
    }
    const heard = heardIn(world);
    const calls = Array.from({ length: drawn.calls }, (_, index) => `c${index}`);
    const beganAt = world.clock.now();
    await world.send({
      kind: 'tool-call',
      proposalId: 'p1',
      ...(drawn.hasRequester ? { requester: 'rita' } : {}),
      calls: calls.map((id) => ({ id, toolName: 'Bash', input: { command: `git push ${id}` } })),
    });
    if (await world.decision('p1')) return undefined;
    const barred = ['olga', ...(drawn.hasRequester ? ['rita'] : [])];
    const { expiresAt } = (await world.row('p1')).approval;
    const model = new ApprovalModel({ ...drawn, calls, barred, beganAt, endsAt: Date.parse(expiresAt) });
    const played = new Played(world, model, calls, heard);
    await played.#compare({ do: 'wait', minutes: 0 });
    return played;
  }

  get now(): number {
    return this.world.clock.now();
  }

  async do(one: Step): Promise<void> {
    this.#heard.forget();
    const { approval } = await this.world.row('p1');
    const click = { pid: approval.pid, isBot: false, requestId: `k${++this.#clicks}` };
    const seen = { questionDigest: approval.question.digest, via: 'slack' } as const;
    if (one.do === 'vote') {
      const calls = this.calls.length > 1 ? one.calls?.flatMap((index) => this.calls[index] ?? []) : undefined;
      const named = calls?.length ? calls : undefined;
      const whole = one.answer === 'approve' ? { choice: 'approve' as const } : { choice: 'reject' as const };
      const ballot = named
        ? { choice: 'approve' as const, calls: named.map((id) => ({ id, choice: one.answer })) }
        : whole;
      const voted = await vote(
        { ...click, person: personOf(one.who), ballot: { ...seen, ...ballot } },
        this.world.gate.parts,
      );
      const refusal = voted.kind === 'refused' ? voted.refusal : undefined;
      // A person who answered about another call of the batch is still free: the model of one call cannot tell.
      const isNeeded = this.calls.length > 1 ? refusal === 'needed_later' : undefined;
      const counts = this.model.vote(one.who, one.answer, named, this.now, isNeeded);
      expect(voted.kind, refusal).toBe(counts ? 'counted' : 'refused');
    } else if (one.do === 'pass') {
      const counts = this.model.pass(one.who, one.to, this.now);
      const passed = await passOn(
        { ...click, ...seen, person: personOf(one.who), to: personOf(one.to) },
        this.world.gate.parts,
      );
      expect(passed.kind, passed.kind === 'refused' ? passed.refusal : '').toBe(counts ? 'counted' : 'refused');
      await this.world.rest();
      if (counts && this.model.asked(this.now).includes(one.to))
        expect(this.#heard.isTold(one.to, this.model.groups.map(channelOf)), `${one.to} is told`).toBe(true);
    } else if (one.do === 'delegate') {
      const until = this.now + one.minutes * MINUTE;
      const { delegations } = this.world.gate.parts;
      const read = await delegations.read();
      const others = read.delegations.filter(({ person }) => nameOf(person) !== one.who);
      const added = {
        person: personOf(one.who),
        to: personOf(one.to),
        until: new Date(until).toISOString(),
        by: 'test',
      };
      await delegations.write({ ...read, version: read.version + 1, delegations: [...others, added] });
      this.model.delegate(one.who, one.to, until);
    } else if (one.do === 'cancel') {
      this.model.cancel();
      await this.world.send({ kind: 'cancel', proposalId: `end-${this.#clicks}`, cancels: 'p1' });
    }
    for (let minute = 0; one.do === 'wait' && minute < one.minutes; minute++) {
      await this.world.clock.advance(MINUTE);
      await this.#keepTime();
    }
    await this.world.rest();
    await this.#compare(one);
  }

  /** The gate escalates within two minutes of its time. */
  async #keepTime(): Promise<void> {
    if (this.model.end !== undefined) return;
    const { approval } = await this.world.row('p1');
    const { escalatesAt } = this.model;
    const isEscalated = approval.escalated === true && approval.stage === (this.model.stage || undefined);
    if (escalatesAt !== undefined && this.now >= escalatesAt + 2 * MINUTE && this.now < this.model.deadline)
      expect(isEscalated, 'escalated in time').toBe(true);
    const at = isEscalated && escalatesAt !== undefined ? Date.parse(approval.stageSince ?? '') : undefined;
    if (at !== undefined) expect(at).toBeGreaterThanOrEqual(escalatesAt ?? 0);
    this.model.wait(this.now, at);
  }

  async #compare(one: Step): Promise<void> {
    const { world, model } = this;
    const view = await world.row('p1');
    const { approval, cards } = view;
    const hasButtons = ({ channel, ts }: { readonly channel: string; readonly ts: string }) =>
      JSON.stringify(world.slack.cards.get(`${channel}#${ts}`)?.blocks).includes('countersign_reject"');
    const channels = model.groups.map(channelOf);
    if (model.end !== undefined) {
      if (model.end !== 'expired') expect([approval.status, cards.some(hasButtons)]).toEqual([model.end, false]);
      return;
    }
    expect([approval.status, approval.stage ?? 0, approval.escalated ?? false]).toEqual([
      'pending',
      model.stage,
      model.isEscalated,
    ]);
    expect(
      cards
        .filter(hasButtons)
        .map(({ channel }) => channel)
        .toSorted(),
    ).toEqual(channels.toSorted());
    const asked = model.asked(this.now).toSorted();
    const audience = await audienceOf(approval, world.gate.parts);
    expect(audience.flatMap(({ people }) => people.map(({ person }) => nameOf(person))).toSorted()).toEqual(asked);
    const waits = NAMES.map(async (who) => {
      const found = await pendingFor({ person: personOf(who), isBot: false }, [approval], world.gate.parts);
      return found.length ? [who] : [];
    });
    expect((await Promise.all(waits)).flat().toSorted()).toEqual(asked);
    const asks = `${model.stage} ${model.isEscalated}`;
    if (asks !== this.#asks && one.do !== 'delegate')
      for (const who of asked) expect(this.#heard.isTold(who, channels), `${who} is told`).toBe(true);
    this.#asks = asks;
  }

  /** Each call's decision names those who answered about it, and nobody else. */
  async end(): Promise<void> {
    for (let minute = 0; minute < 65; minute++) {
      await this.world.clock.advance(MINUTE);
      await this.#keepTime();
    }
    const decision = await this.world.decided('p1');
    for (const { id, outcome, decidedBy, permit } of decision.calls) {
      const tally = this.model.tally(id);
      const isCancelled = this.model.end === 'cancelled';
      const wanted = isCancelled
        ? 'cancelled'
        : tally === 'rejected'
          ? 'denied'
          : this.model.end === 'approved'
            ? 'approved'
            : 'expired';
      expect([id, outcome]).toEqual([id, wanted]);
      const answer = wanted === 'approved' ? 'approve' : 'reject';
      const by = wanted === 'approved' || wanted === 'denied' ? this.model.answerers(id, answer) : [];
      const named =
        decidedBy.type === 'human'
          ? decidedBy.id.split(',').map((one) => one.slice('T0DEMO/U0'.length).toLowerCase())
          : [];
      expect(named).toEqual(by);
      expect(permit?.allowedBy?.people?.map(nameOf) ?? []).toEqual(wanted === 'approved' ? by : []);
    }
    expect(this.world.faults).toEqual([]);
    this.world.gate.stop();
  }
}

test('an approval goes as the documents say, whatever people do to it and in whatever order', async () => {
  await fc.assert(
    fc.asyncProperty(plan, fc.array(step, { maxLength: 14 }), async (drawn, steps) => {
      const played = await Played.begin(drawn);
      if (!played) return;
      for (const one of steps) await played.do(one);
      await played.end();
    }),
    { numRuns: RUNS },
  );
});
