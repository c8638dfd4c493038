/** Models one approval of the documents: who is asked, whose answer counts, how it ends. */

export interface ModelStage {
  readonly group: string;
  readonly quorum: number;
  readonly timeoutMs?: number | undefined;
  readonly escalateTo?: string | undefined;
}

interface ModelFacts {
  readonly calls: readonly string[];
  readonly stages: readonly ModelStage[];
  readonly members: Readonly<Record<string, readonly string[]>>;
  /** The owner of the agent, and the requester. */
  readonly barred: readonly string[];
  readonly beganAt: number;
  readonly endsAt: number;
}

type CallAnswer = 'approve' | 'reject';
interface ModelVote {
  readonly who: string;
  /** The member in whose place they voted, or they themselves. */
  readonly seat: string;
  readonly stage: number;
  readonly calls: ReadonlyMap<string, CallAnswer>;
}

interface Delegation {
  readonly person: string;
  readonly to: string;
  readonly until: number;
}

/** A seat, with whoever gave it and whoever has it. */
interface Passed {
  readonly seat: string;
  readonly by: string;
  readonly to: string;
}

type ModelEnd = 'approved' | 'rejected' | 'expired' | 'cancelled';

export class ApprovalModel {
  readonly #facts: ModelFacts;
  readonly #votes: ModelVote[] = [];
  #passed: readonly Passed[] = [];
  #delegations: Delegation[] = [];
  #since: number;
  stage = 0;
  isEscalated = false;
  end: ModelEnd | undefined;

  constructor(facts: ModelFacts) {
    this.#facts = facts;
    this.#since = facts.beganAt;
  }

  /** The groups that are asked now, the stage's own first. */
  get groups(): string[] {
    return this.#groupsOf(this.stage, this.isEscalated);
  }

  /** Everybody whose answer about some call would count, and who has not passed it on. */
  asked(now: number): string[] {
    if (this.end !== undefined) return [];
    return this.#everybody().filter((who) => this.openTo(who, now).length > 0 && !this.#hasPassed(who));
  }

  /** The calls that somebody may still answer. */
  openTo(who: string, now: number): string[] {
    const seat = this.#seatOf(who, this.stage, this.isEscalated, this.#passed, now);
    if (seat === undefined) return [];
    const theirs = this.#votes.filter((vote) => [who, seat].some((one) => [vote.who, vote.seat].includes(one)));
    return this.#facts.calls.filter(
      (call) => this.tally(call) === 'open' && theirs.every(({ calls }) => !calls.has(call)),
    );
  }

  /**
   * Counts an answer, or returns false. `calls`: absent for an answer to all of them. `isNeeded`: whether the gate keeps the person for a later
   * stage, where this model does not say so itself.
   */
  vote(
    who: string,
    answer: CallAnswer,
    calls: readonly string[] | undefined,
    now: number,
    isNeeded?: boolean,
  ): boolean {
    if (this.end !== undefined) return false;
    const about = calls ?? this.openTo(who, now);
    if (!about.length || about.some((call) => !this.#isFree(call, who, now))) return false;
    if (answer === 'approve' && (isNeeded ?? this.#isNeededLater(who, now))) return false;
    const seat = this.#seatOf(who, this.stage, this.isEscalated, this.#passed, now) ?? who;
    this.#votes.push({ who, seat, stage: this.stage, calls: new Map(about.map((call) => [call, answer])) });
    const tallies = this.#facts.calls.map((call) => this.tally(call));
    if (tallies.includes('open')) return true;
    if (!tallies.includes('approved')) this.end = 'rejected';
    else if (this.stage + 1 < this.#facts.stages.length) this.#begin(this.stage + 1, now);
    else this.end = 'approved';
    return true;
  }

  /** "Not me": returns false where it is not theirs to give, or `to` may not have it. */
  pass(who: string, to: string, now: number): boolean {
    const seat = this.#seatOf(who, this.stage, this.isEscalated, this.#passed, now);
    const hasVoted = this.#votes.some((vote) => vote.who === who || vote.seat === who);
    if (this.end !== undefined || seat === undefined || hasVoted || to === who || this.#facts.barred.includes(to))
      return false;
    const before = this.#passed;
    this.#passed = [...before.filter((one) => one.seat !== seat), { seat, by: who, to }];
    // Nobody would be asked of a place that somebody takes who has answered.
    if (this.openTo(to, now).length) return true;
    this.#passed = before;
    return false;
  }

  delegate(person: string, to: string, until: number): void {
    this.#delegations = [...this.#delegations.filter((one) => one.person !== person), { person, to, until }];
  }

  cancel(): void {
    this.end ??= 'cancelled';
  }

  /** Applies time: an escalation, the end of a stage, the end of the wait. `escalatedAt`: when the gate escalated, if it did. */
  wait(now: number, escalatedAt: number | undefined): void {
    if (this.end !== undefined) return;
    if (escalatedAt !== undefined && !this.isEscalated) {
      this.isEscalated = true;
      this.#since = escalatedAt;
    }
    if (now >= this.deadline) this.end = 'expired';
  }

  /** When the wait ends unless somebody answers or it escalates, in milliseconds. */
  get deadline(): number {
    const { timeoutMs, escalateTo } = this.#stageAt(this.stage);
    const { endsAt } = this.#facts;
    const hasEnd = timeoutMs !== undefined && (escalateTo === undefined || this.isEscalated);
    return hasEnd ? Math.min(endsAt, this.#since + timeoutMs) : endsAt;
  }

  /** When the gate has to ask a further group; undefined if it does not. */
  get escalatesAt(): number | undefined {
    const { timeoutMs, escalateTo } = this.#stageAt(this.stage);
    return escalateTo === undefined || this.isEscalated || timeoutMs === undefined
      ? undefined
      : this.#since + timeoutMs;
  }

  tally(call: string): 'approved' | 'rejected' | 'open' {
    for (let stage = 0; stage <= this.stage; stage++) {
      const answers = this.#votes.flatMap((vote) => (vote.stage === stage ? (vote.calls.get(call) ?? []) : []));
      if (answers.includes('reject')) return 'rejected';
      if (answers.length < this.#stageAt(stage).quorum) return 'open';
    }
    return 'approved';
  }

  /** People who gave this answer about the call. */
  answerers(call: string, answer: CallAnswer): string[] {
    return this.#votes.flatMap(({ who, calls }) => (calls.get(call) === answer ? [who] : []));
  }

  #begin(stage: number, now: number): void {
    this.stage = stage;
    this.isEscalated = false;
    this.#passed = [];
    this.#since = now;
  }

  #isFree(call: string, who: string, now: number): boolean {
    const seat = this.#seatOf(who, this.stage, this.isEscalated, this.#passed, now);
    const isTheirs = ({ who: voter, seat: place }: ModelVote) =>
      [voter, place].some((one) => one === who || one === seat);
    return seat !== undefined && !this.#votes.some((vote) => isTheirs(vote) && vote.calls.has(call));
  }

  #hasPassed(who: string): boolean {
    return this.#passed.findLast(({ by, to }) => by === who || to === who)?.by === who;
  }

  #everybody(): string[] {
    const { members } = this.#facts;
    return [
      ...new Set([
        ...Object.values(members).flat(),
        ...this.#delegations.map(({ to }) => to),
        ...this.#passed.map(({ to }) => to),
      ]),
    ];
  }

  #stageAt(index: number): ModelStage {
    const stage = this.#facts.stages[index];
    if (!stage) throw new Error('there is no such stage');
    return stage;
  }

  #groupsOf(index: number, isEscalated: boolean): string[] {
    const { group, escalateTo } = this.#stageAt(index);
    return isEscalated && escalateTo !== undefined ? [group, escalateTo] : [group];
  }

  #seatOf(
    who: string,
    stage: number,
    isEscalated: boolean,
    passed: readonly Passed[],
    now: number,
  ): string | undefined {
    const { barred, members } = this.#facts;
    if (barred.includes(who)) return undefined;
    const isMember = (one: string) => this.#groupsOf(stage, isEscalated).some((group) => members[group]?.includes(one));
    const given = passed.filter(({ to }) => to === who).map(({ seat }) => seat);
    const delegated = this.#delegations
      .filter(({ to, until }) => to === who && now < until)
      .map(({ person }) => person);
    return [who, ...given, ...delegated].find(
      (seat) => !barred.includes(seat) && (given.includes(seat) || isMember(seat)),
    );
  }

  /** Whether the stages that are left could be answered by different people, and not once this one has approved here. */
  #isNeededLater(who: string, now: number): boolean {
    const hasVoted = (one: string) => this.#votes.some((vote) => vote.who === one || vote.seat === one);
    const places = this.#facts.stages.slice(this.stage).flatMap(({ quorum }, index) => {
      const passed = index === 0 ? this.#passed : [];
      const may = this.#everybody().filter((one) => {
        const seat = this.#seatOf(one, this.stage + index, true, passed, now);
        return seat !== undefined && !hasVoted(one) && !hasVoted(seat) && !(index === 0 && this.#hasPassed(one));
      });
      const given = index === 0 ? this.#approvalsSoFar() : 0;
      return Array.from({ length: Math.max(index === 0 ? 1 : 0, quorum - given) }, () => may);
    });
    if (this.#facts.stages.length - this.stage < 2) return false;
    const others = places.slice(1).map((may) => may.filter((one) => one !== who));
    return canFill(places) && !canFill(others);
  }

  #approvalsSoFar(): number {
    const open = this.#facts.calls.filter((call) => this.tally(call) === 'open');
    return this.#votes.filter(
      ({ stage, calls }) => stage === this.stage && open.every((call) => calls.get(call) === 'approve'),
    ).length;
  }
}

/** Tries every assignment: the numbers are small. */
function canFill([first, ...rest]: readonly (readonly string[])[]): boolean {
  if (!first) return true;
  return first.some((one) => canFill(rest.map((may) => may.filter((other) => other !== one))));
}
