/** Keeps a run's history as somebody outside of the gate could have seen it. */
import { isDeepStrictEqual } from 'node:util';
import type { CanaryReport } from '../../../shared/client/canary/canary.ts';
import type { Decision } from '../../../shared/contract/index.ts';
import type { RedrivenQueue } from '../../../shared/contract/redrive.ts';
import type { GateEvent } from '../../../shared/ports/gate-events.ts';
import type { Ask, Choose, Forgery, FormName, Operate, Propose, Report } from './plan.ts';
import type { FlowName, PersonName, PolicyName } from './policies.ts';

/** `since`: when the run of the function began that did it. */
export interface Seen {
  readonly at: number;
  readonly since: number;
}

export interface Vote {
  readonly at: number;
  readonly id: string;
  readonly who: PersonName;
  readonly choice: 'approve' | 'reject' | 'edit' | 'substitute' | 'respond' | 'pass';
  /** The person who is asked instead, where this one passes. */
  readonly to?: PersonName | undefined;
  readonly remember: boolean;
  /** The number that the person changed the call to. */
  readonly edit?: number;
  /** The flow of a choice that the person approved, or named instead. */
  readonly flow?: FlowName | undefined;
  /** Digests of the actions on the card that the person had before their eyes; empty for one that is out of date. */
  readonly seen: readonly string[];
  /** Numbers that stand on the card which the person clicks on; undefined where nobody looked. */
  readonly shows?: readonly number[];
  /** The id of the operation that an operator votes on. */
  readonly requestId: string;
  /** The answer to the person; undefined while nothing came back. */
  told?: string;
  toldAt?: number;
}

export interface Operated extends Ordered {
  readonly effect: Operate['effect'];
  readonly scope: Operate['scope'];
  /** When it ends by itself. */
  readonly until?: number;
}

/** An operation, whatever it is about. */
interface Ordered {
  readonly at: number;
  readonly id: string;
  /** Whether a person in Slack was told that it is on its way. */
  promise?: 'none' | 'made';
  /** When the record held that it is done, or refused. */
  doneAt?: number;
  refusedAt?: number;
}

export interface Revoked extends Ordered {
  readonly agent: string;
  /** One approval for later, and not all of the agent's. */
  readonly isSingle?: boolean;
}

/** A seat that `to` has from `from` until `until`; without `to` it is taken back. */
export interface Delegated extends Ordered {
  readonly person: PersonName;
  readonly to?: PersonName;
  readonly from: number;
  readonly until: number;
}

/** Events of that time are sent to the webhook again. */
interface Replayed extends Ordered {
  readonly from: number;
}

/** `length`: of its pattern. */
interface Ruled extends Ordered {
  readonly length: number;
}

export interface Decided extends Seen {
  readonly agent: string;
  readonly decision: Decision;
}

/** A call that ran. */
export interface Effect extends Seen {
  readonly id: string;
  /** The number in the input that ran. */
  readonly number: number;
  readonly permitId: string;
  readonly by: 'agent' | 'gate';
  until: number;
  /** Whether its process ended in the middle of it. */
  isInterrupted?: boolean;
  /** Whether its agent says how it ended. */
  isReported?: boolean;
}

/** Somebody's word on how the run of a call ended. */
export interface Reported {
  readonly at: number;
  readonly id: string;
  readonly as: Report['as'];
  readonly by: Report['by'];
  /** As they state it. No two reports state the same, unless one is the other sent again. */
  readonly startedAt: string;
  /** The answer, where one came: over a queue there is none. */
  told?: string;
}

/** A click that somebody sent in a person's name. */
interface Forged {
  readonly at: number;
  readonly id: string;
  readonly who: PersonName;
  readonly how: Forgery;
  status?: number;
  /** The words of the record, where the click came to it. */
  heard?: string;
}

/** Words of somebody to the task agent. */
interface ChatMessage {
  readonly at: number;
  readonly who: PersonName;
  readonly text: string;
  /** When the gate took them from Slack, which may send them again. */
  heardAt?: number;
}

/** Somebody clicked for a form. */
interface Opened {
  readonly at: number;
  readonly id: string;
  readonly who: PersonName;
  readonly form: FormName;
  endedAt?: number;
  isOpen?: boolean;
  /** Sent to them in private, instead of a form. */
  told?: string | undefined;
  /** In the words of the record. */
  refusal?: string | undefined;
  status?: number | undefined;
}

/** A form that was sent, once for each time that it was answered. */
interface Submitted {
  readonly at: number;
  readonly id: string;
  readonly who: PersonName;
  readonly form: string;
  readonly isClosed: boolean;
  readonly heard: string | undefined;
}

/** Somebody looked at their Home, or at the answer to a command. */
interface Looked {
  readonly at: number;
  readonly since: number;
  readonly who: PersonName;
  /** How many approvals it lists as theirs to answer, and grants as theirs to take back. */
  readonly waiting: number;
  readonly given: number;
}

/** Words of a user to the task agent that an agent passes on over its queue. */
type Asked = Ask & { readonly sentAt: number };

interface Redriven extends Ordered {
  readonly queue: RedrivenQueue;
  /** Whether it is limited to so many messages. */
  readonly isPart: boolean;
}

/** Facts of the run that a judge has to allow for, and that differ between the simulator and a deployed gate. */
export interface Terms {
  /** Clocks of two processes are apart by no more. */
  readonly apartMs: number;
  /** When the last fault has ended; infinite while faults go on. */
  calmAt: number;
  /** Waiting approvals that one agent may have. */
  readonly waiting: number;
  /** Whether the run goes on until each operation and each permit has its end, and the history names them. */
  readonly isWhole?: boolean;
}

/** A hook was asked about a call with this number, and answered as it does. */
interface Heard {
  readonly at: number;
  readonly id: string;
  readonly number: number;
}

/** A request to the receiver of a webhook. */
interface HeardEvent {
  readonly at: number;
  readonly webhook: string;
  readonly id: string;
  readonly seconds: number;
  readonly signatures: readonly string[];
  readonly body: string;
  /** Whether the receiver answered that it has it, or how long it wants to be left alone. */
  isTaken: boolean;
  askedMs: number;
}

interface Webhooks {
  /** Events in the line of a webhook. */
  readonly put: {
    readonly at: number;
    readonly webhook: string;
    readonly id: string;
    readonly name: string;
    readonly proposalId: string | null;
  }[];
  readonly heard: HeardEvent[];
  /** Events that were set aside: webhook and id. */
  readonly dead: Set<string>;
  /** Keys that the secret held. */
  keys: readonly { readonly key: string; readonly from: number; readonly until: number }[];
  /** Whether the bus lost any. */
  isLost: boolean;
}

export class History {
  readonly began: number;
  readonly terms: Terms;
  readonly sent: (Propose & { readonly sentAt: number })[] = [];
  readonly choices: (Choose & { readonly sentAt: number })[] = [];
  /** Ids under which other calls were sent as well. */
  readonly lied = new Set<string>();
  /** Ids of proposals that lay among the dead letters from the beginning. */
  readonly givenUp = new Set<string>();
  readonly votes: Vote[] = [];
  readonly operations: Operated[] = [];
  /** Rules that operators add. */
  readonly ruled: Ruled[] = [];
  /** Orders to take back approvals for later. */
  readonly revoked: Revoked[] = [];
  /** Orders about seats. */
  readonly delegated: Delegated[] = [];
  /** Orders to send events again, and what the line of the webhook was given. */
  readonly replayed: Replayed[] = [];
  readonly events: (readonly GateEvent[])[] = [];
  /** When the operator was registered no longer. */
  dismissedAt: number | undefined;
  /** People who left the workspace, until they came back. */
  readonly left: { readonly who: PersonName; readonly at: number; readonly until: number }[] = [];
  /** When days passed without anybody. */
  readonly jumps: number[] = [];
  /** Events that left by webhooks. */
  readonly webhooks: Webhooks = { put: [], heard: [], dead: new Set(), keys: [], isLost: false };
  /** Orders that make permits, and approvals for later, void. */
  readonly voided: Ordered[] = [];
  /** Until `doneAt`, some processes have this policy file and others the one before. */
  readonly deployed: { readonly at: number; readonly policy: PolicyName; version?: string; doneAt?: number }[] = [];
  readonly decided: Decided[] = [];
  readonly heard: Heard[] = [];
  readonly withdrawn: { readonly at: number; readonly id: string }[] = [];
  /** Ids of approvals whose row this version cannot read. */
  readonly broken = new Set<string>();
  /** Ids of approvals whose time was moved back. */
  readonly aged = new Set<string>();
  /** Entries of the record, by their keys, as they were first put; and keys that were put twice. */
  readonly entries = new Set<string>();
  readonly overwritten: string[] = [];
  /** When the channel of first stages was archived. */
  archivedAt: number | undefined;
  /** Processes of these names that ended in the middle of their work. */
  readonly ended: string[] = [];
  /** Whether the queue of messages that wait for a store failed as well. */
  isDeferredOut = false;
  /** Whether something was out of service for minutes: what failed meanwhile is tried again more and more seldom. */
  isLongOut = false;
  /** Agents whose own queue takes nothing. */
  readonly muted = new Set<string>();
  /** Times in which something did not work; one that has no end yet lasts until faults end. */
  readonly troubled: { readonly from: number; readonly until: number }[] = [];
  readonly effects: Effect[] = [];
  readonly reports: Reported[] = [];
  /** Answers of the endpoint to what Slack signed, and to what somebody else sent. */
  readonly signed: { readonly at: number; readonly status: number }[] = [];
  readonly forged: Forged[] = [];
  /** Ids of proposals on which one click counted twice. */
  readonly replays: string[] = [];
  /** When the endpoint's secret got another key, and Slack signed with it. */
  endpoint: { readonly addedAt: number; readonly switchedAt: number } | undefined;
  /** Words of people to the task agent, and how somebody answered its question to one of them. */
  readonly talks: ChatMessage[] = [];
  readonly answered: {
    readonly at: number;
    readonly who: PersonName;
    readonly of: PersonName;
    readonly choice: 'yes' | 'no';
  }[] = [];
  readonly canaries: { readonly at: number; readonly report: CanaryReport }[] = [];
  readonly forms: Opened[] = [];
  readonly submitted: Submitted[] = [];
  readonly looked: Looked[] = [];
  readonly asks: Asked[] = [];
  /** Orders of another app that shares the secret, and that the gate promised to carry out. */
  readonly strangers: string[] = [];
  /** Orders to bring back what was set aside. */
  readonly redriven: Redriven[] = [];
  /** Every answer of the gate that a call may run, whether the agent heard it or not. */
  readonly opened: (Seen & { readonly id: string; readonly agent: string; readonly waiting: number })[] = [];
  readonly #lines: string[] | undefined;

  constructor(began: number, isTold: boolean, terms: Terms) {
    this.began = began;
    this.terms = terms;
    this.#lines = isTold ? [] : undefined;
    this.deployed.push({ at: began, policy: 'usual' });
  }

  /** Whether anything failed by chance, or was out of service. */
  isFaulty = false;

  /** All that operators sent and that the record tells of. */
  get orders(): readonly Ordered[] {
    const { operations, revoked, ruled, voided, delegated, replayed, redriven } = this;
    return [...operations, ...revoked, ...ruled, ...voided, ...delegated, ...replayed, ...redriven];
  }

  /** A line for people; made only where somebody reads it. */
  tell(at: number, line: () => string): void {
    this.#lines?.push(`${((at - this.began) / 1_000).toFixed(3).padStart(9)} s  ${line()}`);
  }

  get lines(): readonly string[] {
    return this.#lines ?? [];
  }
}

/** A vote of which nobody heard back may have counted. */
export const mayCount = (told: string | undefined): boolean =>
  told === undefined || told === 'counted' || told === OF_AN_EARLIER_ROUND;

/**
 * The refusal of an operator's message whose round is over. The vote may have counted there: a process that ends tells nobody, and the next
 * delivery finds another question.
 */
const OF_AN_EARLIER_ROUND = 'refused as stale_digest';

/** When the first message was sent that may lift an operation: of the same scope, and later than itself; or its own end, as the fastest clock has it. */
export function liftOf({ scope, at, effect, until = NEVER }: Operated, { operations, terms }: History): number {
  const same = operations.filter((other) => isDeepStrictEqual(other.scope, scope) && other.at > at);
  const end = same.find(
    (other) =>
      other.effect === 'lift' || (effect === 'deny' && other.effect === 'ask') || (other.until ?? NEVER) < until,
  );
  return Math.min(end?.at ?? NEVER, until - terms.apartMs);
}

const NEVER = Number.POSITIVE_INFINITY;
