/** Declares the parts of a gate in memory, and the interface that tests and local runs use. */
import type { PolicyDocument } from '../../config/document.ts';
import type { Person } from '../../contract/approval.ts';
import type { AskedInSlack } from '../../contract/operation.ts';
import type { GuardedTool } from '../../guardrails/settings/call.ts';
import type { ShellParser } from '../../permissions/shell/syntax/shell-parser.ts';
import type { DecisionReader, ProposalQueue, Redeemer } from '../../ports/agent-side.ts';
import type { CarriedMessage } from '../../ports/carried-message.ts';
import type { Clock, Ids } from '../../ports/clock.ts';
import type { GuardrailEvent } from '../../ports/guardrail-events.ts';
import type { PeopleDirectory } from '../../ports/people.ts';
import type { SecretDetector } from '../../ports/secret-detector.ts';
import type { ClaimLimits } from '../../ports/stores/claim-store.ts';
import type { ResultReader } from '../../ports/stores/result-store.ts';
import type { Timers } from '../../ports/timers.ts';
import type { ExecutionDependencies } from '../../use-cases/execution/dependencies.ts';
import type { OutcomeMessage } from '../../use-cases/execution/record-outcome.ts';
import type { IntakeDependencies } from '../../use-cases/intake/dependencies.ts';
import type { Incoming } from '../../use-cases/intake/message.ts';
import type { OperatorDependencies, OperatorMessage } from '../../use-cases/operations/dependencies.ts';
import type { ReconcileDependencies, Repaired } from '../../use-cases/reconcile/reconcile.ts';
import type { SlackPoster } from '../slack/posting/poster.ts';
import type { SlackOutMessage } from '../sqs/slack-out-message.ts';
import type { memoryReplies } from './outbox.ts';
import type { MemoryFifoQueue } from './queues/fifo-queue.ts';
import type { MemoryQueue } from './queues/queue.ts';
import type { GateStores } from './stores.ts';
import type { MemoryWorkflow } from './workflow.ts';

export interface MemoryGateOptions {
  readonly document: PolicyDocument;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ids: Ids;
  /** Loaded with the first shell command. */
  readonly shell: () => Promise<ShellParser>;
  /** Loaded with the first text that may hold a secret. */
  readonly detector: () => Promise<SecretDetector>;
  /** Posts and updates cards: Slack's client, or what a test looks at. */
  readonly poster: SlackPoster;
  /** Draws the App Home of somebody; absent: there is none. */
  readonly drawHome?: (person: Person) => Promise<void>;
  readonly deployment?: string;
  readonly digestKey?: Uint8Array;
  /** The clock of the guardrails, where processes share one, as deployed ones do that of the table. Default: `clock`. */
  readonly sharedClock?: Clock;
  readonly limits?: ClaimLimits;
  /** Default: in memory, with `limits`. */
  readonly stores?: GateStores;
  /** Default: nobody is in any user group. */
  readonly people?: PeopleDirectory;
  /** Models and hooks that the worker of the deferred queue may ask; the other worker defers messages that need them. */
  readonly model?: IntakeDependencies['model'];
  readonly hooks?: IntakeDependencies['hooks'];
  /** The models of agent policies, for the same worker. */
  readonly models?: IntakeDependencies['models'];
  /** Tools that the gate may run itself. */
  readonly tools?: readonly GuardedTool[];
  /** The task agent's, for the same worker. */
  readonly taskClassifier?: IntakeDependencies['taskClassifier'];
  /** How often `reconcile` runs by itself; 0: only when it is called. Default: each minute. */
  readonly reconcileEveryMs?: number;
  /** Called with what the guardrails did. */
  readonly onEvent?: (event: GuardrailEvent) => void;
  /** Called with how long people could not see a question, in milliseconds, once for each that they see. */
  readonly onShown?: (delayMs: number) => void;
  /** Called with faults that end in a retry; they are no errors of the caller's. */
  readonly onFault?: (where: string, error: unknown) => void;
  /** Stands between the use cases and each of their ports: lets a test fail one call, or count them. */
  readonly wrap?: <Port extends object>(name: string, port: Port) => Port;
  /** Stands around each run of a function, by the function's name: lets a test end one midway, or begin it twice. */
  readonly invoke?: <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;
  /** The process that is at work, where processes differ: each holds its policy file and its guardrails. Default: one with the newest file. */
  readonly process?: () => { readonly document: PolicyDocument } | undefined;
  /** Batches of one queue that are worked at once, where the deployed function allows several; default: one. */
  readonly atOnce?: number;
  /** Between 0 and 1, for the pauses between retries; default: `Math.random`. */
  readonly random?: () => number;
}

/** All that the use cases need, in one object. */
export type MemoryGateParts = IntakeDependencies & ReconcileDependencies & OperatorDependencies & ExecutionDependencies;

export interface MemoryGate {
  /** For the use cases themselves: `vote(click, gate.parts)`, and whatever a test wants to look into. */
  readonly parts: MemoryGateParts & Omit<GateStores, 'aliases' | 'readersOf'>;
  readonly workflow: MemoryWorkflow;
  readonly replies: ReturnType<typeof memoryReplies>;
  readonly queues: {
    readonly proposals: MemoryQueue<Incoming>;
    readonly deferred: MemoryQueue<Incoming>;
    readonly operators: MemoryQueue<OperatorMessage>;
    readonly cards: MemoryFifoQueue<SlackOutMessage>;
    readonly executions: MemoryQueue<CarriedMessage>;
    readonly outcomes: MemoryQueue<OutcomeMessage>;
  };
  /** Parts for the client of one agent: its queue, under its identity, and a reader of its own rows. */
  agentSide(agent: string): {
    readonly agent: string;
    readonly deployment: string;
    readonly queue: ProposalQueue;
    readonly reader: DecisionReader;
    readonly clock: Clock;
    readonly executions: ProposalQueue;
    readonly outcomes: ProposalQueue;
    readonly results: ResultReader;
    readonly redeemer: Redeemer;
  };
  /** Sends one operation as this operator. */
  operateAs(operator: string, raw: string): void;
  /** Passes on what a person asked for in Slack, as the function does that verified it. */
  askInSlack(asked: AskedInSlack): void;
  reconcile(): Promise<Repaired>;
  /** Another policy file from now on, as after a redeployment. */
  usePolicy(document: PolicyDocument): void;
  stop(): void;
}
