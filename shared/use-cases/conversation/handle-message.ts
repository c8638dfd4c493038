/**
 * Turns a message or click in a chat into one decision of the task agent and one reply.
 * The decision is claimed like that of any proposal. Run twice it decides once, and replies again only if it cannot know that it has.
 */
import { DEFAULT_SESSION } from '../../contract/bounds.ts';
import { asStored } from '../../contract/stored.ts';
import type { EndedQuestion } from '../../contract/task-conversation.ts';
import { auditDigest, canonicalJson, pidOf, sha256Hex } from '../../domain/digest.ts';
import { slackProposalId } from '../../domain/proposal/reserved-ids.ts';
import { dayOf } from '../../domain/session.ts';
import type { ConversationMessage, MessageSender, ReplyStore, StoredReply } from '../../ports/conversation.ts';
import type { AuditLog } from '../../ports/stores/audit-log.ts';
import type { ClaimStore } from '../../ports/stores/claim-store.ts';
import type { Control } from '../../ports/stores/control.ts';
import type { TaskConversations } from '../../ports/stores/task-conversations.ts';
import type { TaskStore } from '../../ports/stores/task-store.ts';
import { agentDecision } from '../../task-agent/decisions/schemas.ts';
import { type AgentDecision, classifyIntent, type IntentClassifier } from '../../task-agent/index.ts';
import { confirmationOf } from '../../task-agent/intent/confirmation-words.ts';
import { callRecord, decisionOf, recordOf, type Subject } from '../audit/audit-entry.ts';
import type { Decides } from '../dependencies.ts';
import { CONFLICT, retryOnConflict } from '../retry-on-conflict.ts';
import { SessionCache } from '../sessions/session-cache.ts';
import { sessionNames } from '../sessions/session-names.ts';
import { confirmableBy, taskAuthorizer } from './authorize-task-call.ts';
import { CLICK_REFUSALS, type ClickRefusal, clickRefusal, QUESTION_OVER } from './confirmation-click.ts';
import { conversationKeyOf, decideTask, type TaskMessage } from './decide-task.ts';
import { answerAndClose, endedQuestion, reply } from './reply.ts';
import { taskAnswer } from './task-answer.ts';
import type { TaskGuardrails } from './task-guardrails.ts';

export interface ConversationDependencies extends Decides {
  readonly claims: ClaimStore;
  readonly audit: AuditLog;
  readonly tasks: Pick<TaskStore, 'list'>;
  readonly conversations: TaskConversations;
  readonly replies: ReplyStore;
  readonly speaker: MessageSender;
  /** Absent: the contract's patterns. */
  readonly taskClassifier?: IntentClassifier | undefined;
  readonly taskGuardrails: TaskGuardrails;
  /** Runs `work` after so long; the returned function calls that off. */
  after(ms: number, work: () => void): () => void;
}

/** The result of a message: whether it was the first time, and why a click did not count. */
export type HandledMessage =
  | { readonly kind: 'answered'; readonly decision: AgentDecision }
  | { readonly kind: 'refused'; readonly refusal: ClickRefusal }
  | { readonly kind: 'nobody_listens' };

/** Within three seconds a person sees that they were heard; the rest is for the queue and for Slack. */
const REPLY_DELAY_MS = 2_000;

export async function handleMessage(
  received: ConversationMessage,
  deps: ConversationDependencies,
): Promise<HandledMessage> {
  const { enabled, agent } = deps.policy.settings.taskAgent;
  if (!enabled || agent === undefined) return { kind: 'nobody_listens' };
  const proposalId = slackProposalId(received.id);
  const subject: Subject = {
    agent,
    pid: pidOf(deps.deployment, agent, proposalId),
    proposalId,
    sessionId: DEFAULT_SESSION,
  };
  const day = dayOf(deps.clock.now());
  const sessions = sessionNames({ agent }, undefined, deps.policy);
  const view = await deps.claims.readBatch([{ ...subject, sessions }], day);
  const earlier = view.claims.get(subject.pid)?.decision;
  if (earlier) {
    const decision = storedDecision(earlier.answer);
    await answerAndClose(received, subject.pid, decision, await deps.conversations.endedBy(subject.pid), deps);
    return { kind: 'answered', decision };
  }
  let moment: Promise<void> | undefined;
  const cancel = deps.after(Math.max(0, received.at + REPLY_DELAY_MS - deps.clock.now()), () => {
    moment = reply(received, subject.pid, undefined, deps);
    moment.catch(() => undefined);
  });
  const sessionCache = new SessionCache(deps.sessions, day, view, sessions);
  const done = await decideOnce(received, subject, { control: view.control, sessionCache }, deps).finally(async () => {
    cancel();
    // Also after a fault: in a process that stands still meanwhile it would go on behind the answer of another one.
    await moment?.catch(() => undefined);
  });
  if ('refusal' in done) {
    await refuse(received, subject, done, deps);
    return { kind: 'refused', refusal: done.refusal };
  }
  await answerAndClose(received, subject.pid, done.decision, done.ended, deps);
  return { kind: 'answered', decision: done.decision };
}

interface Refused {
  readonly refusal: ClickRefusal;
  readonly question: StoredReply | undefined;
}
interface Decided {
  readonly decision: AgentDecision;
  readonly ended: EndedQuestion | undefined;
}

async function decideOnce(
  received: ConversationMessage,
  subject: Subject,
  { control, sessionCache }: { readonly control: Control; readonly sessionCache: SessionCache },
  deps: ConversationDependencies,
): Promise<Decided | Refused> {
  const { agent, pid } = subject;
  const settings = deps.policy.settings.agents[agent];
  if (!settings) throw new Error('the task agent has no settings');
  return retryOnConflict(
    'the conversation kept changing while it was written',
    async (): Promise<Decided | Refused | typeof CONFLICT> => {
      const now = deps.clock.now();
      const written = await messageOf(received, pid, deps);
      const own = await memoryOf(written, received, deps);
      const { message, conversation, question } = (await memoryOutside(own, received, deps)) ?? own;
      if (received.kind === 'button') {
        const refusal = clickRefusal(received, question, conversation);
        if (refusal) return { refusal, question };
      }
      const decided = await decideTask(message, {
        ...{ now, clock: deps.clock, conversation, tasks: deps.tasks },
        authorize: taskAuthorizer(
          { pid, agent, settings, sessionId: DEFAULT_SESSION, control, sessionCache, now },
          deps,
        ),
        confirmable: confirmableBy(deps),
        history: deps.policy.settings.taskAgent.history,
        classifier: deps.taskClassifier ?? classifyIntent,
        guard: (call, run) => deps.taskGuardrails.run(agent, call, `${pid}#${call.call.id}`, run),
      });
      const answer = taskAnswer(decided, () => {
        throw new Error('the gate has run all calls itself');
      });
      const decision = decisionOf(answer, subject, deps);
      const record = recordOf(
        deps,
        subject,
        'evaluated',
        {
          type: 'evaluated',
          person: received.person,
          calls: decided.authorized.map((call) => callRecord(deps, call)),
          task: decided.record,
          ...(decided.invocations.length ? { invocations: decided.invocations } : {}),
          durationUs: Math.max(0, Math.round((deps.clock.now() - now) * 1000)),
        },
        decision,
      );
      const contentDigest = auditDigest(sha256Hex(canonicalJson({ ...received, at: 0 })), deps.digestKey);
      const left = decided.turn.conversation?.pending;
      const ended =
        received.kind === 'message'
          ? endedQuestion(conversation?.pending, left, { by: pid, decision: decided.decision, now })
          : undefined;
      const writes = { rows: [], turn: { ...decided.turn, ended } };
      const claimed = await deps.claims.claim({ record, verdict: 'allow', contentDigest }, writes);
      if (claimed.kind === 'claimed') return { decision: decided.decision, ended };
      if (claimed.kind === 'exists') {
        const decision = storedDecision(claimed.claim.decision?.answer);
        return { decision, ended: await deps.conversations.endedBy(pid) };
      }
      return CONFLICT;
    },
  );
}

/** As this release or another one wrote it into the record, after `validateDecision` had found that its fields fit together. */
const storedDecision = (answer: unknown): AgentDecision => asStored(agentDecision).parse(answer) as AgentDecision;

/** Secrets are taken out before anything is decided, because tasks and the record hold the text. */
async function messageOf(
  received: ConversationMessage,
  pid: string,
  { redactor }: ConversationDependencies,
): Promise<TaskMessage> {
  const { person, conversation, kind } = received;
  const message = kind === 'message' ? await redactor.text(received.text) : received.choice;
  return {
    pid,
    scope: `slack/${person.team}`,
    context: { user_id: person.user, message, conversation_id: conversation },
    ...(kind === 'message' ? { sentAt: received.ts, heardAt: received.at } : {}),
    ...(kind === 'message' && received.outside !== undefined ? { isInThread: true } : {}),
    tools: 'gate',
  };
}

/** A yes or no that begins the thread under a question answers that question, if it still waits: a later one belongs to the thread. */
async function memoryOutside(
  { message, conversation }: Pick<Awaited<ReturnType<typeof memoryOf>>, 'message' | 'conversation'>,
  received: ConversationMessage,
  deps: ConversationDependencies,
) {
  if (received.kind !== 'message' || received.outside === undefined || conversation) return undefined;
  if (!confirmationOf(received.text)) return undefined;
  const outside = { ...message, context: { ...message.context, conversation_id: received.outside } };
  const memory = await memoryOf(outside, received, deps);
  return memory.conversation?.pending && memory.question?.ts === received.thread ? memory : undefined;
}

/** The conversation, and the message that asked what waits in it: a yes that was written before that one was shown is none. */
async function memoryOf(message: TaskMessage, received: ConversationMessage, deps: ConversationDependencies) {
  const key = conversationKeyOf(message);
  const conversation = key === undefined ? undefined : await deps.conversations.read(key);
  const pending = conversation?.pending;
  const asks = received.kind === 'button' ? received.asks : pending?.askedBy;
  const question = asks === undefined ? undefined : await deps.replies.read(asks);
  if (!conversation || !pending || !question || pending.askedBy !== asks) return { message, conversation, question };
  return { message, conversation: { ...conversation, pending: { ...pending, saidAt: question.ts } }, question };
}

/** The person is told why, in private; what nobody can answer any more loses its buttons. */
async function refuse(
  received: ConversationMessage,
  subject: Subject,
  { refusal, question }: Refused,
  deps: ConversationDependencies,
): Promise<void> {
  if (received.kind !== 'button') return;
  await deps.audit.put(
    recordOf(deps, { ...subject, pid: received.asks, proposalId: null }, `click#${received.id}`, {
      type: 'click',
      person: received.person,
      accepted: false,
      reasonCode: refusal,
      detail: `${received.choice} via slack`,
    }),
  );
  await deps.speaker.whisper(received.channel, received.person.user, CLICK_REFUSALS[refusal]);
  // A copy of the question, as a crash leaves one, has buttons of its own; of an old question the text is forgotten.
  if (!received.isOwn || refusal === 'not_the_requester') return;
  await deps.speaker.change(received, { text: question?.text ?? QUESTION_OVER });
}
