/** What the use cases of the gate have in common: its stores, its policy, its clock and its keys. Wired once per process. */
import type { Policy } from '../config/compile.ts';
import type { ShellParser } from '../permissions/shell/syntax/shell-parser.ts';
import type { ApprovalStore } from '../ports/approval-store.ts';
import type { AuditLog } from '../ports/audit-log.ts';
import type { ClaimStore } from '../ports/claim-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { DelegationStore } from '../ports/delegation-store.ts';
import type { JournalStore } from '../ports/journal-store.ts';
import type { CardQueue, DeferredQueue, ReplySender } from '../ports/outbox.ts';
import type { SessionStore } from '../ports/session-store.ts';
import type { TaskConversations } from '../ports/task-conversations.ts';
import type { TaskStore } from '../ports/task-store.ts';
import type { Sealer, Unsealer } from '../ports/vault.ts';
import type { Workflow } from '../ports/workflow.ts';
import type { IntentClassifier } from '../task-agent/ports.ts';
import type { TaskGuard } from './conversation/task-guardrails.ts';
import type { Registry } from './identity.ts';
import type { Throttle } from './intake/rate-limit.ts';
import type { Redactor } from './redaction/redactor.ts';
import type { Hooks } from './resolvers/call-hook.ts';
import type { PolicyModels } from './resolvers/call-model.ts';
import type { Model } from './resolvers/classify.ts';
import type { AskingDependencies } from './resolvers/question-limits.ts';

/** What every use case needs. */
export interface GateBase {
  /** Name of the deployment: part of every key (A1), and the one tenant (A4). */
  readonly deployment: string;
  readonly policy: Policy;
  readonly clock: Clock;
  /** Keys the digests that are stored (D24). */
  readonly digestKey: Uint8Array;
  /** Takes secrets out of what is stored, shown or told (D33). */
  readonly redactor: Redactor;
}

export interface Decides extends GateBase {
  shell(): Promise<ShellParser>;
  readonly sessions: SessionStore;
  /** Whether people who approved something could still (D52). */
  readonly delegations: Pick<DelegationStore, 'read'>;
}

/** What `evaluate` and `deliberate` work with. */
export interface IntakeGate extends Decides, Throttle {
  readonly agents: Registry;
  /** On an endpoint without IAM every sender is the account; only a local overlay policy may name it (A2). */
  readonly accountsAllowed: boolean;
  readonly claims: ClaimStore;
  /** Only where a model may be asked: without it, what needs one is put aside (A11, A18b). */
  readonly model?: Model | undefined;
  readonly hooks?: Hooks | undefined;
  /** The models of agent policies: only where they may be asked (A18b). */
  readonly models?: PolicyModels | undefined;
  /** Beside `model` and `hooks`. */
  readonly asking?: AskingDependencies | undefined;
  readonly journal: JournalStore;
  readonly tasks: Pick<TaskStore, 'list'>;
  readonly conversations: TaskConversations;
  /** The task agent's: patterns first, then a model; only where a model may be asked. */
  readonly taskClassifier?: IntentClassifier | undefined;
  /** Around the tools that the gate runs itself for the task agent. */
  readonly taskGuard: TaskGuard;
  readonly approvals: ApprovalStore;
  readonly audit: AuditLog;
  readonly workflow: Workflow;
  readonly replies: ReplySender;
  readonly sealer: Sealer;
}

/** What ends an approval: `resume` and `reconcile`. */
export interface FinishGate extends Decides {
  readonly approvals: ApprovalStore;
  readonly journal: JournalStore;
  readonly cards: CardQueue;
  readonly replies: ReplySender;
  /** Only `resume` has it (A20). */
  readonly unsealer?: Unsealer | undefined;
  /** Where a run goes on that needs a model. */
  readonly deferred: Pick<DeferredQueue, 'handOver'>;
  /** These only in `deliberate`: an edited call is asked of hooks and models again (D56). */
  readonly model?: Model | undefined;
  readonly hooks?: Hooks | undefined;
  readonly models?: PolicyModels | undefined;
  readonly asking?: AskingDependencies | undefined;
}

/** What changes an approval from outside: clicks, operators, cancels. */
export interface VoteGate extends GateBase {
  readonly approvals: ApprovalStore;
  readonly workflow: Workflow;
}
