/** Names what people, agents and operators do in a run, and the faults that it meets. */
import type { RedrivenQueue } from '../../../shared/contract/redrive.ts';
import type { ChooserName, FlowName, PersonName, PolicyName, ToolName } from './policies.ts';

interface At {
  /** Milliseconds after the run began. */
  readonly at: number;
}

/** Somebody tells how a run ended, so long after its end. */
export interface Report {
  readonly later: number;
  readonly as: 'succeeded' | 'failed';
  /**
   * `server` redeemed the permit, and `holder` is the agent, over its own queue. `guesser` is another server, which knows all but the redemption's
   * id, and `stranger` another agent.
   */
  readonly by: 'server' | 'holder' | 'guesser' | 'stranger';
}
export interface Propose extends At {
  readonly do: 'propose';
  readonly id: string;
  readonly agent: string;
  readonly tool: ToolName;
  /** Tells calls of one tool apart; equal ones are the same call. */
  readonly number: number;
  /** The same message is sent again so much later. */
  readonly copies: readonly number[];
  /** Another call under the same id, so much later: an agent that lies. */
  readonly other?: number;
  /** Once it is approved the agent runs it: itself, or by the gate; so many times, a few of them at once. */
  readonly run?: {
    /** `server`: a tool server runs it, which redeems the permit for the agent and reports by itself. */
    readonly how: 'agent' | 'gate' | 'server';
    readonly times: number;
    readonly apart: number;
    /** The first of them so long after the agent read its approval. */
    readonly later?: number;
    readonly report: boolean;
    /** With what it proposed, whatever people made of it. */
    readonly unedited?: boolean;
    /** Reports of a tool server, where `report` is true: by default one, of the end, and at once. */
    readonly reports?: readonly Report[];
  };
  /** A second call on the same card, of the same tool if no other one is named. */
  readonly also?: number;
  readonly alsoTool?: ToolName;
  /** So many further calls of the tool on the same card. */
  readonly more?: number;
  /** The input holds a secret. */
  readonly secret?: true;
  /** The input does not fit the row of its claim. */
  readonly large?: true;
  /** The message as the client would never send it. */
  readonly spoilt?: 'unsafe number' | 'double key' | 'no id';
  /** People have so long, where that is less than the policy file gives. */
  readonly lasts?: number;
  /** Over the real client's `gate`, which proposes, waits, redeems, runs and reports by itself. */
  readonly guarded?: boolean;
  /** A guarded call whose process ends so long after it began, once for each; another takes the call up under the same id. */
  readonly crashes?: readonly number[];
}
/** An action choice: which of these flows comes next, by an agent policy. */
export interface Choose extends At {
  readonly do: 'choose';
  readonly id: string;
  readonly agent: string;
  readonly policy: ChooserName;
  readonly flows: readonly FlowName[];
  readonly copies: readonly number[];
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
  /** Changes the call to this number instead of answering it. */
  readonly edit?: number;
  /** Takes this one of a choice's flows instead, by its place. */
  readonly substitute?: number;
  /** Clicks again so much later. */
  readonly again: readonly number[];
}
export interface Operate extends At {
  readonly do: 'operate';
  readonly effect: 'deny' | 'ask' | 'lift';
  readonly scope: { readonly all: true } | { readonly agent: string } | { readonly tool: ToolName };
  readonly copies: readonly number[];
  /** The pause ends by itself so long after it was sent. */
  readonly lasts?: number;
}
/** An operator answers in the place of a click, as the person that they are. */
export interface Decide extends At {
  readonly do: 'decide';
  readonly id: string;
  readonly choice: 'approve' | 'reject';
  readonly edit?: number;
  readonly copies: readonly number[];
}
/** After a restore: what was issued before it is void. */
interface VoidPermits extends At {
  readonly do: 'void permits';
}
/** The agent's sessions have as many rules of operators as they may, the longest that there are; an operator adds one of this length. */
export interface AddRule extends At {
  readonly do: 'add rule';
  readonly agent: string;
  readonly length: number;
}
/** An operator takes back what people approved for later: of this session, or of every session of the agent. */
export interface Revoke extends At {
  readonly do: 'revoke';
  readonly agent: string;
  readonly everywhere: boolean;
}
/** An operator delegates somebody's seat to another person, until so long after; without `to` takes it back. */
export interface Delegate extends At {
  readonly do: 'delegate';
  readonly person: PersonName;
  readonly to?: PersonName;
  readonly lasts?: number;
  /** The seat is delegated only so much later. */
  readonly begins?: number;
  readonly copies: readonly number[];
}
/** An operator has the events since so long before sent to the webhook again. */
export interface Replay extends At {
  readonly do: 'replay';
  readonly since: number;
  readonly copies: readonly number[];
}
/** Receivers of webhooks take what they are sent, or not. */
export interface Receive extends At {
  readonly do: 'receive';
  /** None of them works until so long after the run began. */
  readonly downFor: number;
  /** The share of messages that one which works does not take. */
  readonly badShare: number;
  /** A second key signs from then on, and alone some time later. */
  readonly keyAddedAt: number;
  readonly keyRemovedAt: number;
}
/** Slack's requests come to the endpoint, whose secret gets another key: an operator adds it, Slack signs with it, and the older one is taken away. */
export interface Endpoint extends At {
  readonly do: 'endpoint';
  readonly addedAt: number;
  readonly switchedAt: number;
  readonly removedAt: number;
}
/** Somebody sends the endpoint a person's yes that Slack did not send for this gate. */
export interface Forge extends At {
  readonly do: 'forge';
  readonly id: string;
  readonly who: PersonName;
  readonly how: Forgery;
}
/** Somebody writes to the task agent. */
export interface Talk extends At {
  readonly do: 'talk';
  readonly who: PersonName;
  readonly text: string;
  /** Slack sends the event again so much later, though it was answered. */
  readonly retries: readonly number[];
}
/** Somebody clicks on the task agent's newest question to this person. */
export interface Answer extends At {
  readonly do: 'answer';
  readonly who: PersonName;
  readonly of: PersonName;
  readonly choice: 'yes' | 'no';
  /** The same bytes come again so much later. */
  readonly again: readonly number[];
}
/** The canary looks whether the gate decides as it must; it may also leave a question to expire. */
export interface RunCanary extends At {
  readonly do: 'canary';
  readonly expires: boolean;
}
/** Messages of this queue are set aside for so long, as where each run of its function ends its process. */
interface SetAside extends At {
  readonly do: 'set aside';
  readonly queue: RedrivenQueue;
  readonly lasts: number;
}
/** An operator brings back what was set aside. */
export interface Redrive extends At {
  readonly do: 'redrive';
  readonly queue: RedrivenQueue;
  readonly limit?: number;
  readonly copies: readonly number[];
}
/** Forms that a card opens. */
export const FORMS = ['reject', 'edit', 'session', 'respond', 'pass'] as const;
export type FormName = (typeof FORMS)[number];
/** Somebody has Slack open a form on a card, fills it in and sends it. */
export interface Fill extends At {
  readonly do: 'fill';
  readonly id: string;
  readonly who: PersonName;
  readonly form: FormName;
  /** The click comes to the gate so much later: Slack opens no form for one that is three seconds old. */
  readonly slow: number;
  /** Sent so long after it opened. */
  readonly later: number;
  readonly edit?: number;
  /** The person who is asked instead after `pass`; without it nobody is. */
  readonly to?: PersonName;
  /** On the card as it was first, where it was drawn anew since. */
  readonly isStale?: true;
  /** Somebody else sends what was opened for `who`. */
  readonly sentBy?: PersonName;
  /** Another app shares the secret, and the form is its own. */
  readonly isForeign?: true;
  /** Sent again so much later. */
  readonly again: readonly number[];
}
/** A wish of somebody, besides votes. */
export type Wish =
  | { readonly kind: 'look' | 'back' }
  /** The first of what was given for later that they may take back. */
  | { readonly kind: 'take back' }
  | { readonly kind: 'away'; readonly to: PersonName; readonly lasts: number };
/** Somebody opens App Home, or types a command. */
export interface Visit extends At {
  readonly do: 'visit';
  readonly who: PersonName;
  readonly by: 'home' | 'command';
  readonly wish: Wish;
  /** Clicks, or types, so long after they looked, and sends the form so long after it opened. */
  readonly later: number;
  readonly isForeign?: true;
  readonly again: readonly number[];
}
/** An agent passes on the words of a user of its own to the task agent, over its queue. */
export interface Ask extends At {
  readonly do: 'ask';
  readonly id: string;
  readonly agent: string;
  readonly user: string;
  readonly text: string;
  readonly copies: readonly number[];
}
export const FORGERIES = [
  ...['unsigned', 'another key', 'old key', 'too old', 'of a time to come', 'changed', 'by GET'],
  ...['another app', 'another workspace'],
] as const satisfies readonly string[];
export type Forgery = (typeof FORGERIES)[number];
/** The operator is registered no longer. */
interface Dismiss extends At {
  readonly do: 'dismiss';
}
/** Somebody leaves the workspace, and may come back. */
export interface Leave extends At {
  readonly do: 'leave';
  readonly who: PersonName;
  readonly lasts?: number;
}
/** Days without anybody; then everybody comes back and tries what they did before once more. Until then TTL deletes no row that is over, or each. */
export interface Idle extends At {
  readonly do: 'idle';
  readonly days: number;
  readonly deletes: boolean;
}
export interface Deploy extends At {
  readonly do: 'deploy';
  readonly policy: PolicyName;
  /** Meanwhile some processes have this policy file, and others the one before. */
  readonly lasts?: number;
}
export interface Outage extends At {
  readonly do: 'outage';
  readonly ports: readonly string[];
  readonly lasts: number;
  /** Calls seem to succeed, and have no effect. */
  readonly loses?: boolean;
  /** Calls end their process. */
  readonly ends?: boolean;
}
/** Each call of a port takes a few milliseconds from now on, as a store over a network does. */
export interface Lag extends At {
  readonly do: 'lag';
  readonly most: number;
}
/** The row of an approval is one that this version cannot read, or one with a field of a newer version. */
export interface Spoil extends At {
  readonly do: 'spoil';
  readonly id: string;
  readonly how: 'newer' | 'broken';
}
/** The agent's own queue is gone for good. */
interface Mute extends At {
  readonly do: 'mute';
  readonly agent: string;
}
/** The channel in which first stages are asked is archived, for good. */
interface Archive extends At {
  readonly do: 'archive';
}
export type Step =
  | AddRule
  | Answer
  | Archive
  | Ask
  | Choose
  | Propose
  | Cancel
  | Click
  | Decide
  | Delegate
  | Operate
  | Deploy
  | Dismiss
  | Endpoint
  | Fill
  | Forge
  | Idle
  | Lag
  | Leave
  | Outage
  | Receive
  | Redrive
  | Replay
  | Revoke
  | RunCanary
  | SetAside
  | Spoil
  | Mute
  | Talk
  | Visit
  | VoidPermits;

export interface Plan {
  readonly seed: number;
  readonly steps: readonly Step[];
  /** The stores are DynamoDB's, on simulated tables, and each of their requests meets faults. */
  readonly onTables?: boolean;
  /** The share of port calls that meet a fault. */
  readonly rate: number;
  /** Faults by the call that meets them; undefined: drawn by `rate`. */
  readonly faults?: ReadonlyMap<string, Fault>;
}

export const planned = (seed: number, rate: number, steps: readonly Step[]): Plan => ({
  seed,
  rate,
  steps: steps.toSorted((one, other) => one.at - other.at),
});

/**
 * The fate of one call of a port. `before` and `after` throw with and without the effect, `end` is the end of the process at that moment,
 * `slow` takes so long before or after the effect, `gone` is a task token that Step Functions does not know. On tables, `part` is a
 * part of what was asked for, or a transaction that meets another one; `again` is a write that the SDK sends twice.
 */
export type Fault =
  | { readonly kind: 'before' | 'after' | 'end-before' | 'end-after' | 'gone' | 'busy' | 'part' | 'again' }
  | { readonly kind: 'slow-before' | 'slow-after'; readonly ms: number }
  /** Meets a whole run of a function: begun later, or once more by a message that was delivered twice. */
  | { readonly kind: 'late' | 'twice'; readonly ms: number };

export const MINUTE = 60_000;
/** A deployment takes one of these: at once, or while calls move to the new version by and by. */
export const SHIFTS_MS = [0, 20_000, 3 * MINUTE, 10 * MINUTE] as const;
/** Steps begin within these; faults end with `CALM_AT`. */
export const BUSY_MS = 8 * MINUTE;
export const CALM_AT = 22 * MINUTE;

/** One person's yes to a card, as plain as it can be. */
export const clickOf = (id: string, at: number, remember: boolean): Click => ({
  do: 'click',
  at,
  id,
  who: 'alice',
  choice: 'approve',
  remember,
  again: [],
});

export const inputOf = (number: number) => ({ number });

/** The number in an input that people may have changed. */
export const numberIn = (input: unknown, proposed: number): number =>
  (input as { readonly number?: number } | undefined)?.number ?? proposed;

/** Characters of the longest rule that an operator may add. */
export const MAX_PATTERN = 300;
/** Calls that one proposal may have. */
export const MAX_CALLS = 20;
