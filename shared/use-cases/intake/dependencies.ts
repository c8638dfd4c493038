/** Declares the stores and queues that evaluate and deliberate work with. */
import type { ApprovalStore } from '../../ports/stores/approval-store.ts';
import type { AuditLog } from '../../ports/stores/audit-log.ts';
import type { ClaimStore } from '../../ports/stores/claim-store.ts';
import type { InputStore } from '../../ports/stores/input-store.ts';
import type { JournalStore } from '../../ports/stores/journal-store.ts';
import type { ReplySender } from '../../ports/stores/outbox.ts';
import type { TaskConversations } from '../../ports/stores/task-conversations.ts';
import type { TaskStore } from '../../ports/stores/task-store.ts';
import type { Sealer } from '../../ports/vault.ts';
import type { Workflow } from '../../ports/workflow.ts';
import type { IntentClassifier } from '../../task-agent/decisions/ports.ts';
import type { TaskGuardrails } from '../conversation/task-guardrails.ts';
import type { Decides } from '../dependencies.ts';
import type { Registry } from '../identity.ts';
import type { Hooks } from '../resolvers/call-hook.ts';
import type { PolicyModels } from '../resolvers/call-model.ts';
import type { Model } from '../resolvers/classify.ts';
import type { AskingDependencies } from '../resolvers/question-limits.ts';
import type { Throttle } from './rate-limit.ts';

/** The parts that `evaluate` and `deliberate` work with. */
export interface IntakeDependencies extends Decides, Throttle {
  readonly agents: Registry;
  /** On an endpoint without IAM every sender is the account; only a local overlay policy may name it. */
  readonly accountsAllowed: boolean;
  readonly claims: ClaimStore;
  /** Only where a model may be asked: without it, a message that needs one is deferred. */
  readonly model?: Model | undefined;
  readonly hooks?: Hooks | undefined;
  /** The models of agent policies: only where they may be asked. */
  readonly models?: PolicyModels | undefined;
  /** Beside `model` and `hooks`. */
  readonly asking?: AskingDependencies | undefined;
  readonly journal: JournalStore;
  readonly inputs: InputStore;
  readonly tasks: Pick<TaskStore, 'list'>;
  readonly conversations: TaskConversations;
  /** The task agent's: patterns first, then a model; only where a model may be asked. */
  readonly taskClassifier?: IntentClassifier | undefined;
  /** Around the tools that the gate runs itself for the task agent. */
  readonly taskGuardrails: TaskGuardrails;
  readonly approvals: ApprovalStore;
  readonly audit: AuditLog;
  readonly workflow: Workflow;
  readonly replies: ReplySender;
  readonly sealer: Sealer;
}
