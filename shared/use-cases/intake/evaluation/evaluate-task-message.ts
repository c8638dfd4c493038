/** Decides a message to the task agent over the queue; writes its changes with its claim. */
import { DEFAULT_SESSION } from '../../../contract/bounds.ts';
import type { TaskMessageProposal } from '../../../contract/proposal.ts';
import { pidOf } from '../../../domain/digest.ts';
import { ownValue } from '../../../domain/own.ts';
import type { SessionWrites } from '../../../ports/stores/session-store.ts';
import { type AuditRecord, classifyIntent } from '../../../task-agent/index.ts';
import { isUndecided } from '../../../task-agent/intent/model-classifier.ts';
import type { Subject } from '../../audit/audit-entry.ts';
import { confirmableBy, taskAuthorizer } from '../../conversation/authorize-task-call.ts';
import {
  conversationKeyOf,
  type DecidedTask,
  decideTask,
  ownerOf,
  type TaskMessage,
} from '../../conversation/decide-task.ts';
import { taskAnswer } from '../../conversation/task-answer.ts';
import { allowedBy } from '../../kernel/calls/authorization/allowed-by.ts';
import type { CallWithVerdict } from '../../kernel/calls/authorization/call-with-verdict.ts';
import { permitOf } from '../../kernel/calls/permit.ts';
import { type KernelAnswer, refused } from '../../kernel/calls/run.ts';
import { messages } from '../../model-messages.ts';
import { CONFLICT, retryOnConflict } from '../../retry-on-conflict.ts';
import type { IntakeDependencies } from '../dependencies.ts';
import { isOver } from '../expiry.ts';
import type { Identified } from '../message.ts';
import { commitAnswer, defer, refuse } from './commit.ts';
import type { Known } from './decide-in-session.ts';

interface TaskAnswered {
  readonly answer: KernelAnswer;
  readonly calls: readonly CallWithVerdict[];
  /** Absent: the gate has refused the message itself. */
  readonly record?: AuditRecord;
  readonly invocations?: DecidedTask['invocations'];
  readonly writes?: SessionWrites;
}

/** Messages of one user in one batch wait for each other. */
export async function evaluateTask(
  message: Identified,
  proposal: TaskMessageProposal,
  known: Pick<Known, 'control' | 'sessionCache'>,
  deps: IntakeDependencies,
): Promise<void> {
  const { subject, incoming, startedAt } = message;
  const { state } = proposal;
  if (isOver(proposal, incoming, startedAt, deps)) {
    await refuse(message, { code: 'expired', message: messages.expiredBeforeRead(), outcome: 'expired' }, deps);
    return;
  }
  const field = await secretNameIn(proposal, deps);
  if (field !== undefined) {
    await refuse(message, { code: 'secret_in_name', message: messages.secretInName(field) }, deps);
    return;
  }
  await known.sessionCache.runExclusive(subject.agent, ownerOf('task#', proposal.context['user_id']), () =>
    retryOnConflict('the conversation kept changing while it was written', async () => {
      const decided = await decideTaskMessage(proposal, subject, known, deps);
      if (!decided) return defer(message, deps);
      const { record: task, invocations, ...answered } = decided;
      const about = { ...message, ...(task ? { task } : {}), ...(invocations ? { invocations } : {}) };
      if ((await commitAnswer(about, { ...answered, state }, deps)) === 'done') return undefined;
      known.sessionCache.invalidate();
      return CONFLICT;
    }),
  );
}

/**
 * The first field beside the conversation's own text that holds a secret: each is kept, or given back, as it is. A user's id is the key of their
 * tasks, and with a mark in its place all users whose ids are tokens would be one.
 */
async function secretNameIn(
  { context, results: _, ...stated }: TaskMessageProposal,
  { redactor }: Pick<IntakeDependencies, 'redactor'>,
): Promise<string | undefined> {
  const names = { ...stated, 'context.user_id': context['user_id'] };
  const { value, found } = await redactor.json(names);
  return found ? Object.entries(names).find(([name, given]) => ownValue(value, name) !== given)?.[0] : undefined;
}

/** Decides a message to the task agent. Undefined where a model has to be asked, and there is none here. */
async function decideTaskMessage(
  proposal: TaskMessageProposal,
  subject: Subject,
  { control, sessionCache }: Pick<Known, 'control' | 'sessionCache'>,
  deps: IntakeDependencies,
): Promise<TaskAnswered | undefined> {
  const { agent, pid } = subject;
  const { taskAgent, agents } = deps.policy.settings;
  const settings = agents[agent];
  if (!settings) throw new Error('the agent has no settings');
  if (!taskAgent.enabled) return refusedWith('unsupported_kind', messages.unsupported(proposal.kind));
  const { continues } = proposal;
  // Tasks and the record hold the text, so secrets are taken out before anything is decided.
  const { value: context } = await deps.redactor.json(proposal.context);
  const { value: results } = await deps.redactor.json(proposal.results ?? []);
  const message: TaskMessage = {
    ...{ pid, scope: `agent:${agent}`, context },
    tools: proposal.tools === 'caller' ? { results, continues: continues !== undefined } : 'gate',
  };
  const key = conversationKeyOf(message);
  const conversation = key === undefined ? undefined : await deps.conversations.read(key);
  if (continues !== undefined && conversation?.turn?.pid !== pidOf(deps.deployment, agent, continues))
    return refusedWith('unknown_turn', messages.unknownTurn());
  if (continues === undefined && taskAgent.model && !deps.taskClassifier && isUndecided(context['message']))
    return undefined;

  const now = deps.clock.now();
  const judging = { pid, agent, settings, sessionId: subject.sessionId ?? DEFAULT_SESSION, control, sessionCache, now };
  const decided = await decideTask(message, {
    ...{ now, clock: deps.clock, conversation, tasks: deps.tasks },
    authorize: taskAuthorizer(judging, deps),
    confirmable: confirmableBy(deps),
    classifier: deps.taskClassifier ?? classifyIntent,
    guard: (call, run) => deps.taskGuardrails.run(agent, call, `${pid}#${call.call.id}`, run),
  });
  const answer = taskAnswer(decided, ({ call: { id, toolName }, actionDigest, verdict, grounds = {} }) => {
    const yes = verdict.verdict === 'ask' ? ('confirmation' as const) : undefined;
    const basis = allowedBy(grounds, [], [], { folders: settings, requester: deps.policy.person(settings.owner), yes });
    const action = { id, toolName, actionDigest: actionDigest as string, allowedBy: basis };
    return permitOf(action, judging, 'automatic', deps, now);
  });
  return {
    answer,
    calls: decided.authorized,
    record: decided.record,
    invocations: decided.invocations,
    writes: { rows: [], turn: decided.turn },
  };
}

const refusedWith = (code: string, message: string): TaskAnswered => ({
  answer: refused(code, message).answer,
  calls: [],
});
