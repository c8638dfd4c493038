/** Declares the stores and queues that change or end an approval. */
import type { ApprovalStore } from '../../ports/stores/approval-store.ts';
import type { AuditLog } from '../../ports/stores/audit-log.ts';
import type { InputStore } from '../../ports/stores/input-store.ts';
import type { JournalStore } from '../../ports/stores/journal-store.ts';
import type { CardQueue, DeferredQueue, ReplySender } from '../../ports/stores/outbox.ts';
import type { Unsealer } from '../../ports/vault.ts';
import type { Resumer } from '../../ports/workflow.ts';
import type { BaseDependencies, Decides } from '../dependencies.ts';
import type { Hooks } from '../resolvers/call-hook.ts';
import type { PolicyModels } from '../resolvers/call-model.ts';
import type { Model } from '../resolvers/classify.ts';
import type { AskingDependencies } from '../resolvers/question-limits.ts';

/** The parts that end an approval, in `resume` and `reconcile`. */
export interface ResolveDependencies extends Decides {
  readonly approvals: ApprovalStore;
  /** The record, which holds the votes that an answer is taken from. */
  readonly audit: AuditLog;
  readonly journal: JournalStore;
  readonly inputs: InputStore;
  readonly cards: CardQueue;
  readonly replies: ReplySender;
  /** Ends the execution that waits for a decided approval, for a run that is not its execution's own. */
  readonly endWait?: ((pid: string) => Promise<unknown>) | undefined;
  /** Opens sealed originals. Among the functions that end approvals only `resume` has it. */
  readonly unsealer?: Unsealer | undefined;
  /** The queue for runs that need a model. */
  readonly deferred: Pick<DeferredQueue, 'handOver'>;
  /** Only `deliberate` has hooks and models, where an edited call is asked of them again. */
  readonly model?: Model | undefined;
  readonly hooks?: Hooks | undefined;
  readonly models?: PolicyModels | undefined;
  readonly asking?: AskingDependencies | undefined;
}

/** The parts that take votes: of clicks and operators. */
export interface VoteDependencies extends BaseDependencies {
  readonly approvals: ApprovalStore;
  readonly resumer: Resumer;
}
