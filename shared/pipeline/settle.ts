/** From verdicts and people's answer to one decision per call, or to the question that people have to answer (A16, A17). */
import type { Policy } from '../config/compile.ts';
import type {
  AskedCall,
  CallDecision,
  CallsQuestion,
  DecidedBy,
  HumanAnswer,
  HumanChoice,
  Permit,
  Severity,
  ToolCall,
} from '../contract/index.ts';
import { actionDigest, lengthDelimited, sha256Hex } from '../domain/digest.ts';
import type { Decided, TraceEntry } from '../permissions/types.ts';
import type { Judgement, KernelPorts } from './judge.ts';
import { messages } from './messages.ts';
import { permitOf } from './permit.ts';
import type { Session } from './session.ts';
import { groupFor, stagesDigest, stagesOf } from './stages.ts';

export interface JudgedCall {
  readonly call: ToolCall;
  /** The call as it may be kept and shown, if that is not as it is. */
  readonly shown?: ToolCall;
  readonly actionDigest: string | null;
  readonly verdict: Decided;
  readonly trace: readonly TraceEntry[];
}

export interface CallAnswer {
  readonly call: JudgedCall;
  readonly decision: CallDecision;
}

export interface Settled {
  readonly calls: readonly JudgedCall[];
  readonly question?: CallsQuestion;
  readonly answers: readonly CallAnswer[];
}

const PLACE = 'calls';

export function settle(
  judged: readonly { readonly call: ToolCall; readonly judgement: Judgement }[],
  session: Session,
  answer: HumanAnswer | undefined,
  ports: Pick<KernelPorts, 'policy' | 'digestKey'>,
  now: number,
): Settled {
  const { policy } = ports;
  const calls = judged.map(({ call, judgement }) => {
    const { verdict, trace } = askable(call, judgement, session, policy);
    const digest = verdict.verdict === 'error' ? digestOrNull(call) : actionDigest(call);
    return { call, actionDigest: digest, verdict, trace };
  });
  const oneGroup = sameGroup(calls, session, policy);
  const asking = oneGroup.filter(({ verdict }) => verdict.verdict === 'ask');
  if (asking.length && !answer) {
    return { calls: oneGroup, question: questionOf(asking, session, policy), answers: [] };
  }
  const fits = answer === undefined || answerFits(answer, oneGroup, session, policy);
  const permitFor: PermitFor = ({ call: { id, toolName }, actionDigest: digest }, by) =>
    permitOf({ id, toolName, actionDigest: digest as string }, session, by, ports, now);
  const answers = oneGroup.map((call) => ({ call, decision: decisionOf(call, answer, fits, permitFor) }));
  return { calls: oneGroup, answers };
}

/** An ask that nobody can answer is an error, said now instead of after an hour of waiting. */
function askable(call: ToolCall, { verdict, trace }: Judgement, session: Session, policy: Policy): Judgement {
  if (verdict.verdict !== 'ask') return { verdict, trace };
  const severity = severityOf(call, verdict, policy);
  if (severity === 'high' || severity === 'critical') {
    return { verdict: unanswerable(verdict, 'quorum_unavailable', messages.quorumUnavailable(severity)), trace };
  }
  if (groupFor(policy, session, call.toolName, verdict) === undefined) {
    return { verdict: unanswerable(verdict, 'no_approvers', messages.noApprovers()), trace };
  }
  return { verdict, trace };
}

function sameGroup(calls: readonly JudgedCall[], session: Session, policy: Policy): JudgedCall[] {
  const groups = calls.map(({ call, verdict }) =>
    verdict.verdict === 'ask' ? groupFor(policy, session, call.toolName, verdict) : undefined,
  );
  const first = groups.find((group) => group !== undefined);
  return calls.map((call, index) =>
    groups[index] === undefined || groups[index] === first
      ? call
      : { ...call, verdict: unanswerable(call.verdict, 'mixed_approvers', messages.mixedApprovers()) },
  );
}

const unanswerable = (verdict: Decided, code: string, message: string): Decided => ({
  ...verdict,
  verdict: 'error',
  code,
  message,
});

function severityOf(call: ToolCall, verdict: Decided, policy: Policy): AskedCall['severity'] {
  return verdict.severity ?? policy.settings.tools[call.toolName]?.severity ?? 'medium';
}

function questionOf(asking: readonly JudgedCall[], session: Session, policy: Policy): CallsQuestion {
  const [first] = asking;
  const group = first && groupFor(policy, session, first.call.toolName, first.verdict);
  if (!group) throw new Error('a question needs a group');
  const stages = stagesOf(policy, group);
  const calls = asking.map(
    ({ call, verdict, actionDigest: digest }): AskedCall => ({
      id: call.id,
      toolName: call.toolName,
      actionDigest: digest as string,
      why: verdict.message.slice(0, 1000),
      ...(verdict.rule
        ? { rule: { id: verdict.rule.id, pattern: verdict.rule.pattern, source: verdict.rule.source } }
        : {}),
      severity: severityOf(call, verdict, policy),
    }),
  );
  return {
    kind: 'calls',
    place: PLACE,
    digest: questionDigest(session.pid, asking),
    offers: OFFERS,
    severity: highest(calls.map(({ severity }) => severity)),
    calls,
    stages,
    stagesDigest: stagesDigest(policy, stages),
  };
}

const OFFERS: HumanChoice[] = ['approve', 'reject'];
const SEVERITIES: readonly Severity[] = ['low', 'medium', 'high', 'critical'];

const highest = (severities: readonly Severity[]): Severity =>
  severities.toSorted((a, b) => SEVERITIES.indexOf(b) - SEVERITIES.indexOf(a))[0] ?? 'medium';

const questionDigest = (pid: string, calls: readonly JudgedCall[]): string =>
  sha256Hex(
    lengthDelimited([pid, PLACE, ...calls.flatMap(({ call, actionDigest: digest }) => [call.id, digest ?? ''])]),
  );

/** Whether the answer still speaks of what would run, given by those who would be asked now (A17). */
function answerFits(answer: HumanAnswer, calls: readonly JudgedCall[], session: Session, policy: Policy): boolean {
  const asked = calls.filter(({ call }) => answer.calls.includes(call.id));
  if (questionDigest(session.pid, asked) !== answer.digest) return false;
  const asking = calls.filter(({ verdict }) => verdict.verdict === 'ask');
  if (asking.some(({ call }) => !answer.calls.includes(call.id))) return false;
  const [first] = asking;
  if (!first) return true;
  const group = groupFor(policy, session, first.call.toolName, first.verdict);
  return group !== undefined && stagesDigest(policy, stagesOf(policy, group)) === answer.stagesDigest;
}

type PermitFor = (call: JudgedCall, by: 'automatic' | 'human') => Permit;

function decisionOf(
  call: JudgedCall,
  answer: HumanAnswer | undefined,
  fits: boolean,
  permitFor: PermitFor,
): CallDecision {
  const { verdict } = call;
  const base = { id: call.call.id, actionDigest: call.actionDigest };
  const asked = answer?.calls.includes(call.call.id) ? answer : undefined;
  // However the policy reads now, what ended without an approval ended so: a later run can only take an approval away.
  const ended = asked && unapproved(asked, call.call.id);
  if (ended) return { ...base, ...ended };
  if (verdict.verdict === 'error') return { ...base, outcome: 'error', ...automatic(verdict) };
  if (verdict.verdict === 'deny') {
    const said = automatic(verdict);
    if (!asked) return { ...base, outcome: 'denied', ...said };
    const message = messages.policyChanged(verdict.message);
    return { ...base, outcome: 'denied', ...said, reasonCode: 'policy_changed', message };
  }
  if (asked ? !fits : verdict.verdict === 'ask')
    return { ...base, outcome: 'superseded', ...bySystem('superseded', messages.superseded()) };
  if (!asked) {
    const said = { ...automatic(verdict), message: messages.allowed(call.call.toolName) };
    return { ...base, outcome: 'approved', ...said, permit: permitFor(call, 'automatic') };
  }
  const permit = permitFor(call, 'human');
  return { ...base, outcome: 'approved', ...byPeople(asked, 'approved', messages.approved(asked.by)), permit };
}

/** How a question about a call ended that nobody approved (D30: a time-out is never reported as a refusal); undefined if it was approved. */
function unapproved(answer: HumanAnswer, id: string): (Pick<CallDecision, 'outcome'> & Said) | undefined {
  switch (answer.result) {
    case 'rejected':
      return { outcome: 'denied', ...byPeople(answer, 'rejected', messages.rejected(answer.by, answer.reason)) };
    case 'answered':
      return {
        outcome: 'answered',
        ...byPeople(answer, 'answered', messages.responded(answer.by, answer.answer ?? '')),
      };
    case 'expired':
      return { outcome: 'expired', ...bySystem('expired', messages.expired()) };
    case 'cancelled':
      return { outcome: 'cancelled', ...bySystem('cancelled', messages.cancelled()) };
    case 'edited':
    case 'substituted':
      return { outcome: 'superseded', ...bySystem('superseded', messages.superseded()) };
    case 'approved': {
      const said = answer.decisions?.find((decision) => decision.id === id);
      if (said?.choice !== 'reject') return undefined;
      return { outcome: 'denied', ...byPeople(answer, 'rejected', messages.rejected(answer.by, said.reason)) };
    }
    default:
      return answer.result satisfies never;
  }
}

type Said = Pick<CallDecision, 'message' | 'reasonCode' | 'decidedBy'>;

const automatic = (verdict: Decided): Said => ({
  message: verdict.message,
  reasonCode: verdict.code ?? verdict.reason,
  decidedBy: {
    type: verdict.rule ? 'rule' : verdict.reason === 'classifier' ? 'classifier' : 'system',
    id: verdict.rule ? verdict.rule.id : verdict.source,
  },
});

const bySystem = (reasonCode: string, message: string): Said => ({
  message,
  reasonCode,
  decidedBy: { type: 'system', id: reasonCode },
});

const byPeople = (answer: HumanAnswer, reasonCode: string, message: string): Said => {
  const ids = answer.by.map(({ person }) => `${person.team}/${person.user}`).join(',');
  const decidedBy: DecidedBy = { type: 'human', id: ids || 'unknown' };
  return { message, reasonCode, decidedBy };
};

function digestOrNull(call: ToolCall): string | null {
  try {
    return actionDigest(call);
  } catch {
    return null;
  }
}
