/**
 * Plays one user's conversation with the engine: a clock that stands, and tasks in memory.
 *
 * The caller keeps pending questions.
 */
import {
  type AgentDecision,
  type AuditRecord,
  type DecisionContext,
  type PendingConfirmation,
  processMessage,
  type TaskAgentPorts,
  type ToolCall,
  type ToolInvocationRecord,
  toolsOfStore,
} from '../../../shared/task-agent/index.ts';
import { tasksInMemory } from '../../support/tasks-in-memory.ts';

const CONVERSATION = '99999999-9999-4999-8999-999999999999';
export const START = Date.parse('2026-01-03T10:00:00.000Z');

export class AgentWorld {
  now = START;
  readonly records: AuditRecord[] = [];
  readonly invocations: ToolInvocationRecord[] = [];
  readonly calls: ToolCall[] = [];
  pending: PendingConfirmation | null = null;
  #ids = 0;

  readonly store = tasksInMemory(
    () => this.now,
    () => {
      this.#ids += 1;
      return `00000000-0000-4000-8000-${String(this.#ids).padStart(12, '0')}`;
    },
  );

  readonly ports: TaskAgentPorts = {
    clock: { now: () => this.now },
    audit: { decided: (record) => void this.records.push(record), invoked: (one) => void this.invocations.push(one) },
    tools: (call) => {
      this.calls.push(call);
      return toolsOfStore(this.store)(call);
    },
  };

  context(message: string, overrides: Partial<DecisionContext> = {}): DecisionContext {
    return {
      user_id: 'u1',
      message,
      conversation_id: CONVERSATION,
      pending_confirmation: this.pending,
      ...overrides,
    };
  }

  /** Says something, and keeps what the decision says is pending. */
  async say(message: string, ports: Partial<TaskAgentPorts> = {}): Promise<AgentDecision> {
    const decision = await processMessage(this.context(message), { ...this.ports, ...ports });
    const next = decision.pending_action;
    this.pending = next?.created_at && next.expires_at ? (next as PendingConfirmation) : null;
    return decision;
  }

  async descriptions(user = 'u1'): Promise<string[]> {
    return (await this.store.list(user)).map((task) => task.description);
  }
}
