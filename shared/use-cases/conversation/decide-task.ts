/**
 * Decides one message to the task agent, with the permission stages in front of its tools.
 * The gate remembers itself what waits for a yes. Deterministic in what it is given; changes are planned, and written by whoever claims the
 * decision.
 */
import type { AuditEntry } from '../../contract/index.ts';
import type { PendingConfirmation, TaskConversation } from '../../contract/task-conversation.ts';
import { lengthDelimited, sha256Hex, uuidFrom } from '../../domain/digest.ts';
import type { Clock } from '../../ports/clock.ts';
import type { TaskTurn } from '../../ports/stores/task-conversations.ts';
import type { TaskStore } from '../../ports/stores/task-store.ts';
import { timerDeadline } from '../../task-agent/decisions/deadline.ts';
import {
  type AgentDecision,
  type AuditRecord,
  type DecisionContext,
  type IntentClassifier,
  processMessage,
  type ToolCall,
  type ToolResult,
  type ToolRunner,
  toolsOfStore,
} from '../../task-agent/index.ts';
import type { REFUSALS } from '../../task-agent/rules/turn.ts';
import { callsToRun, recordedTools } from '../../task-agent/two-phase.ts';
import type { CallWithVerdict } from '../kernel/calls/authorization/call-with-verdict.ts';
import { nextHistory, seenHistory } from './chat-history.ts';
import { ListFullError, plannedTasks } from './planned-task-store.ts';

export interface TaskMessage {
  readonly pid: string;
  /** The owner of the user names: a Slack workspace, or one agent. */
  readonly scope: string;
  /** The contract's DecisionContext as it came; what it says is pending is not believed. */
  readonly context: Readonly<Record<string, unknown>>;
  /** The message's position in its channel, if it has one. */
  readonly sentAt?: string | undefined;
  /** By the clocks of the gate. */
  readonly heardAt?: number | undefined;
  /** In a thread of direct messages: each message there leaves a row, so that a yes behind it is none to a question outside. */
  readonly isInThread?: boolean | undefined;
  /** `caller`: whoever sent it runs the tools, and has run these so far. */
  readonly tools: 'gate' | { readonly results: readonly ToolResult[]; readonly continues: boolean };
}

interface TaskFacts {
  readonly now: number;
  /** Measures how long tools take. */
  readonly clock: Clock;
  readonly conversation: TaskConversation | undefined;
  readonly tasks: Pick<TaskStore, 'list'>;
  readonly authorize: (call: ToolCall) => Promise<CallWithVerdict>;
  /** Whether the yes of whoever asked is all that this call still needs. */
  readonly confirmable: (call: CallWithVerdict) => boolean;
  readonly classifier: IntentClassifier;
  /** So many messages of the conversation the gate remembers. Absent: whoever sends a message tells its history. */
  readonly history?: number | undefined;
  /** Around each call that the gate runs itself; absent: the engine's deadline alone. */
  readonly guard?: ((call: CallWithVerdict, run: () => Promise<ToolResult>) => Promise<ToolResult>) | undefined;
}

export interface DecidedTask {
  readonly decision: AgentDecision;
  readonly record: AuditRecord;
  readonly invocations: NonNullable<AuditEntry['invocations']>;
  readonly authorized: readonly CallWithVerdict[];
  /** The calls of `judged` that the caller may run now. */
  readonly toRun: readonly CallWithVerdict[];
  readonly turn: TaskTurn;
}

/** The name under which a user's tasks are kept. No agent's name and no workspace's holds a slash. */
export const ownerOf = (scope: string, userId: unknown): string =>
  `${scope}/${typeof userId === 'string' ? userId : ''}`;

/** Undefined where the context names no conversation: such a message is refused by the engine, and nothing is remembered of it. */
export function conversationKeyOf({ scope, context }: Pick<TaskMessage, 'scope' | 'context'>): string | undefined {
  const { user_id: user, conversation_id: conversation } = context;
  if (typeof user !== 'string' || typeof conversation !== 'string') return undefined;
  return sha256Hex(lengthDelimited([scope, user, conversation.toLowerCase()]));
}

export async function decideTask(message: TaskMessage, facts: TaskFacts): Promise<DecidedTask> {
  const { conversation, now } = facts;
  const results = message.tools === 'gate' ? undefined : message.tools.results;
  const open = message.tools !== 'gate' && message.tools.continues ? conversation?.turn : undefined;
  const at = open ? Date.parse(open.at) : now;
  const pending = open ? open.pending : answerable(conversation, message);
  const context: Record<string, unknown> = {
    ...(open?.context ?? message.context),
    ...(facts.history === undefined ? {} : { message_history: seenHistory(conversation, now, message.heardAt) }),
    pending_confirmation: pending ?? null,
  };
  const authorized: CallWithVerdict[] = [];
  const invocations: DecidedTask['invocations'] = [];
  let record: AuditRecord | undefined;
  /** A change whose tool has failed, or ended after its time, is not what the user is told: it is not written. */
  let isChanged = false;
  let intent: unknown = open?.intent;
  const plan = plannedTasks({
    tasks: facts.tasks,
    owner: ownerOf(message.scope, context['user_id']),
    now: at,
    newId: uuidFrom(sha256Hex(lengthDelimited([open?.pid ?? message.pid, 'task']))),
  });
  const ofStore = toolsOfStore(plan.store);
  const inline = (call: ToolCall) =>
    ofStore(call).catch((error: unknown) => {
      if (error instanceof ListFullError) return refusedWith('LIST_FULL', error.message);
      throw error;
    });
  const recorded = results && recordedTools(results);
  const tools: ToolRunner = async (call) => {
    const one = await facts.authorize(call);
    authorized.push(one);
    if (!isPermitted(one, facts)) return notPermitted(one);
    if (recorded) return recorded(call);
    if (call.tool_name === 'delete_task') {
      const task = (await plan.store.list('')).find(({ id }) => id === call.parameters.task_id);
      if (task && task.description !== pending?.task_description) return RENAMED;
    }
    return facts.guard ? facts.guard(one, () => inline(call)) : inline(call);
  };
  const decision = await processMessage(context as unknown as DecisionContext, {
    // A turn that its caller runs stands at the time it began.
    clock: results ? { now: () => at } : facts.clock,
    audit: {
      invoked: ({ tool_name, success, error_message, invoked_at, duration_ms }) => {
        if (success) isChanged = tool_name !== 'list_tasks';
        const error = error_message?.slice(0, 200).toWellFormed() ?? null;
        if (!results) invocations.push({ tool_name, success, error_message: error, invoked_at, duration_ms });
      },
      decided: (one) => {
        record = one;
      },
    },
    tools,
    deadline: timerDeadline,
    classifier: async (text, history, options) => {
      intent ??= await facts.classifier(text, history, options);
      return intent;
    },
  });
  if (!record) throw new Error('the engine keeps a record of every decision');
  const left = results ? callsToRun(decision, results).map(({ sequence }) => sequence) : [];
  const toRun = authorized.filter((_, index) => left.includes(index + 1));
  const next = nextConversation(message, facts, decision, toRun.length > 0 ? { context, at, intent, pending } : null);
  const write = isChanged ? plan.write() : undefined;
  return {
    decision,
    record,
    invocations,
    authorized,
    toRun,
    turn: { ...(next ? { conversation: next } : {}), ...(write ? { write } : {}) },
  };
}

/** The deletion that the user confirmed, if the message came after the question: an older one that comes late answers nothing. */
function answerable(
  conversation: TaskConversation | undefined,
  { sentAt }: TaskMessage,
): PendingConfirmation | undefined {
  const pending = conversation?.pending;
  return pending && !isBefore(sentAt, pending.saidAt) ? pending.confirmation : undefined;
}

/** Slack's time stamps: seconds and microseconds, each of one length. */
const isBefore = (sentAt: string | undefined, asked: string | undefined): boolean =>
  sentAt !== undefined && asked !== undefined && sentAt <= asked;

interface OpenTurn {
  readonly context: Readonly<Record<string, unknown>>;
  readonly at: number;
  readonly intent: unknown;
  readonly pending: PendingConfirmation | undefined;
}

/** The row behind this message; undefined if it changes nothing. */
function nextConversation(
  message: TaskMessage,
  { conversation, now, history: keep }: TaskFacts,
  decision: AgentDecision,
  open: OpenTurn | null,
): TaskConversation | undefined {
  const key = conversationKeyOf(message);
  if (key === undefined) return undefined;
  const { sentAt } = message;
  const pid = message.pid;
  const asks = decision.pending_action as PendingConfirmation | null;
  const old = conversation?.pending;
  const isLate = old !== undefined && isBefore(sentAt, old.saidAt);
  const pending = asks
    ? { confirmation: asks, askedBy: pid, ...(sentAt ? { saidAt: sentAt } : {}) }
    : isLate
      ? old
      : undefined;
  const history = nextHistory(message.context, { conversation, keep, now }, decision);
  const turn = open && {
    pid: conversation?.turn && message.tools !== 'gate' && message.tools.continues ? conversation.turn.pid : pid,
    context: withoutPending(open.context),
    at: new Date(open.at).toISOString(),
    intent: open.intent ?? null,
    ...(open.pending ? { pending: open.pending } : {}),
  };
  const isKnown = old ?? conversation?.turn ?? conversation?.history ?? message.isInThread;
  if (!pending && !turn && !history && !isKnown) return undefined;
  return {
    key,
    version: (conversation?.version ?? 0) + 1,
    ...(pending ? { pending } : {}),
    ...(turn ? { turn } : {}),
    ...(history ? { history } : {}),
    updatedAt: new Date(now).toISOString(),
  };
}

function withoutPending({ pending_confirmation: _, ...context }: Readonly<Record<string, unknown>>) {
  return context;
}

const isPermitted = (call: CallWithVerdict, facts: TaskFacts): boolean =>
  call.verdict.verdict === 'allow' || (call.verdict.verdict === 'ask' && facts.confirmable(call));

const NOT_PERMITTED: ToolResult = { success: false, data: null, error: 'not permitted', error_code: null };
const refusedWith = (code: keyof typeof REFUSALS, error = NOT_PERMITTED.error): ToolResult => ({
  ...NOT_PERMITTED,
  error,
  error_code: code,
});

/**
 * The user is told whether trying again can help; which rule it was is in the record of the call. People are asked about calls that agents
 * propose, never about a chat's. A pause passes.
 */
function notPermitted({ verdict: { verdict, code } }: CallWithVerdict): ToolResult {
  if (verdict === 'ask') return refusedWith('NEEDS_APPROVAL');
  return verdict === 'deny' && code !== 'paused' ? refusedWith('NOT_ALLOWED') : NOT_PERMITTED;
}

/** The task's title is not the confirmed one. */
const RENAMED: ToolResult = { success: false, data: null, error: 'renamed since', error_code: 'NOT_FOUND' };
