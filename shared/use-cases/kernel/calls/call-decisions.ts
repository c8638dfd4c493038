/** Turns verdicts and people's answer into one decision per call, or into a question. */
import type {
  CallDecision,
  CallsQuestion,
  DecidedBy,
  HumanAnswer,
  Permit,
  ToolCall,
  Voter,
} from '../../../contract/index.ts';
import { samePerson } from '../../../domain/approval/approval.ts';
import { actionDigest } from '../../../domain/digest.ts';
import type { Decided } from '../../../permissions/model/types.ts';
import { deciderIds, messages } from '../../model-messages.ts';
import { allowedBy, type answersAt } from './authorization/allowed-by.ts';
import type { Authorization, KernelPorts } from './authorization/authorize-call.ts';
import type { CallWithVerdict, PrintedCall } from './authorization/call-with-verdict.ts';
import { permitOf } from './permit.ts';
import { answerFits, askedTogether, type CallResolution, questionOf } from './question/call-question.ts';
import type { Edit } from './question/edits.ts';
import { answerersOf, isImpartial, peopleOf, withoutRequester } from './question/impartial.ts';

export interface CallAnswer {
  readonly call: CallWithVerdict;
  readonly decision: CallDecision;
}

interface ResolvedCalls {
  readonly calls: readonly CallWithVerdict[];
  readonly question?: CallsQuestion;
  readonly answers: readonly CallAnswer[];
}

/** A call with its judgement, and what classifiers and hooks answered about it. */
export interface AuthorizedCall {
  readonly call: ToolCall;
  readonly authorization: Authorization;
  readonly answers: ReturnType<typeof answersAt>;
  readonly hasMoved: boolean;
}

export function resolveCalls(
  authorized: readonly AuthorizedCall[],
  resolution: CallResolution,
  answer: HumanAnswer | undefined,
  ports: Pick<KernelPorts, 'policy' | 'digestKey'>,
  now: number,
): ResolvedCalls {
  const { policy } = ports;
  const { session, effective } = resolution;
  const { starts } = resolution;
  const calls = authorized.map(({ call, authorization: { verdict, trace, asks }, hasMoved }): CallWithVerdict => {
    const digest = verdict.verdict === 'error' ? digestOrNull(call, starts) : actionDigest({ ...call, starts });
    const printed = answer?.calls.includes(call.id) ? undefined : printedOf(call, verdict, starts);
    const more = { ...(printed ? { printed } : {}), ...(asks ? { asks } : {}), ...(hasMoved ? { hasMoved } : {}) };
    return { call, actionDigest: digest, verdict, trace, ...more };
  });
  const { calls: askable, asked } = askedTogether(calls, session, policy, effective.edits);
  // Nobody is asked again about a call that would run somewhere else by now.
  if (asked && !answer && !calls.some(({ hasMoved }) => hasMoved)) {
    const asking = askable.filter(({ verdict }) => verdict.verdict === 'ask');
    return { calls: askable, question: questionOf(asking, asked, resolution, policy), answers: [] };
  }
  const fits =
    (answer === undefined || answerFits(answer, askable, resolution, asked)) &&
    isImpartial(
      peopleOf([...(answer?.by ?? []), ...[...effective.edits.values()].flatMap(({ by }) => by)]),
      session,
      policy,
    );
  const permitFor: PermitFor = ({ call: { id, toolName }, actionDigest: digest, printed }, by, people) => {
    const about = authorized.find(({ call }) => call.id === id);
    const isSilent = by === 'automatic' && answer?.calls.includes(id);
    const voted = withoutRequester(people, session);
    const yes = isSilent ? ('silence' as const) : voted.length < people.length ? ('confirmation' as const) : undefined;
    const context = { folders: session.settings, requester: session.requester, mode: resolution.mode, yes };
    const { grounds = {} } = about?.authorization ?? {};
    const basis = allowedBy(grounds, about?.answers ?? [], voted, context);
    const key = resolution.idempotencyKey === undefined ? {} : { idempotencyKey: resolution.idempotencyKey };
    const runs = printed?.actionDigest ?? (digest as string);
    const action = { id, toolName, actionDigest: runs, allowedBy: { ...basis, ...key } };
    return permitOf(action, session, by, ports, now);
  };
  const timeoutApproves = fits && answer?.timeoutApproves === true && asked?.onTimeout === 'approve';
  const about = { answer, fits, timeoutApproves, permitFor };
  const answers = askable.map((call) => ({
    call,
    decision: decisionOf(call, effective.edits.get(call.call.id), about),
  }));
  return { calls: askable, answers };
}

type PermitFor = (call: CallWithVerdict, by: 'automatic' | 'human', people: readonly Voter[]) => Permit;

interface About {
  readonly answer: HumanAnswer | undefined;
  /** Whether the answer speaks of what would run now. */
  readonly fits: boolean;
  readonly timeoutApproves: boolean;
  readonly permitFor: PermitFor;
}

/** An allow by rule covers the printed command; people who answered about the call have seen its own text. */
function printedOf(
  call: ToolCall,
  { verdict, effective }: Decided,
  starts: CallResolution['starts'],
): PrintedCall | undefined {
  if (verdict !== 'allow' || effective === undefined) return undefined;
  const input = { ...effective };
  return { input, actionDigest: actionDigest({ ...call, input, starts }) };
}

function decisionOf(call: CallWithVerdict, edit: Edit | undefined, about: About): CallDecision {
  const { printed } = call;
  const proposedDigest = edit?.proposedDigest ?? call.actionDigest;
  const input = printed?.input ?? (edit ? (call.call.input as Record<string, unknown>) : undefined);
  const base = {
    id: call.call.id,
    actionDigest: printed?.actionDigest ?? call.actionDigest,
    ...(input && proposedDigest ? { effective: { input, proposedDigest } } : {}),
  };
  return { ...base, ...resolvedOf(call, edit, about) };
}

type Resolved = Omit<CallDecision, 'id' | 'actionDigest'>;

function resolvedOf(call: CallWithVerdict, edit: Edit | undefined, about: About): Resolved {
  const { verdict } = call;
  const { answer } = about;
  const asked = answer?.calls.includes(call.call.id) ? answer : undefined;
  // A question that ended without an approval stays so, whatever the policy says now: a later run can only take an approval away.
  const ended = asked && !about.timeoutApproves && unapproved(asked, call.call.id);
  if (ended) return ended;
  if (call.hasMoved) return { outcome: 'superseded', ...bySystem('superseded', messages.movedFolder()) };
  if (verdict.verdict === 'error') return refusedBy(verdict, 'error', edit);
  if (verdict.verdict === 'deny') return asked ? deniedMeanwhile(verdict, asked) : refusedBy(verdict, 'denied', edit);
  if (asked || edit ? !about.fits : verdict.verdict === 'ask')
    return { outcome: 'superseded', ...bySystem('superseded', messages.superseded()) };
  return approvedOf(call, edit, asked, about);
}

function refusedBy(verdict: Decided, outcome: 'denied' | 'error', edit: Edit | undefined): Resolved {
  const reason = automatic(verdict);
  if (!edit) return { outcome, ...reason };
  return { outcome, ...reason, reasonCode: `edit_${outcome}`, message: messages.editRefused(edit.by, verdict.message) };
}

/** A call that people were asked about, and that rules or a pause deny by now. */
function deniedMeanwhile(verdict: Decided, { result }: HumanAnswer): Resolved {
  const reason = automatic(verdict);
  // The message for a pause differs from that for a changed policy: the agent may propose the call again once the pause ends.
  if (verdict.source === 'pause')
    return { outcome: 'denied', ...reason, message: messages.pausedMeanwhile(verdict.message, result !== 'expired') };
  const message = messages.policyChanged(verdict.message, result !== 'expired');
  return { outcome: 'denied', ...reason, reasonCode: 'policy_changed', message };
}

function approvedOf(
  call: CallWithVerdict,
  edit: Edit | undefined,
  asked: HumanAnswer | undefined,
  { permitFor }: About,
): Resolved {
  const tool = call.call.toolName;
  if (asked?.result === 'expired') {
    const decidedBy: DecidedBy = { type: 'policy', id: 'timeoutBehavior' };
    const why = { message: messages.timedOutApproved(), reasonCode: 'timeout_approved', decidedBy };
    return { outcome: 'approved', ...why, permit: permitFor(call, 'automatic', []) };
  }
  if (edit) {
    const answerers = asked ? answerersOf(asked, call.call.id) : [];
    const by = uniqueBy([...edit.by, ...answerers]);
    const others = by.filter(({ person }) => !edit.by.some((one) => samePerson(one.person, person)));
    const why = byPeople({ by }, 'edited', messages.edited(edit.by, others, tool));
    const editors = peopleOf(edit.by).map((one): Voter => ({ ...one, edited: true }));
    const people = uniquePeople([...peopleOf(answerers), ...editors]);
    return { outcome: 'approved', ...why, permit: permitFor(call, 'human', people) };
  }
  if (!asked) {
    const why = {
      ...automatic(call.verdict),
      message: call.printed ? messages.printed(tool) : messages.allowed(tool),
    };
    return { outcome: 'approved', ...why, permit: permitFor(call, 'automatic', []) };
  }
  const by = answerersOf(asked, call.call.id);
  const permit = permitFor(call, 'human', peopleOf(by));
  return { outcome: 'approved', ...byPeople({ by }, 'approved', messages.approved(by)), permit };
}

/** The first of each: a vote before the edit of the same person. */
const uniquePeople = (people: readonly Voter[]): Voter[] =>
  people.filter((one, index) => people.findIndex((other) => samePerson(other, one)) === index);

const uniqueBy = (by: HumanAnswer['by']): HumanAnswer['by'] =>
  by.filter(({ person }, index) => by.findIndex((other) => samePerson(other.person, person)) === index);

/** The end of a question about a call that nobody approved; undefined if it was approved. A time-out is never reported as a refusal (D30). */
function unapproved(answer: HumanAnswer, id: string): (Pick<CallDecision, 'outcome'> & CallReason) | undefined {
  switch (answer.result) {
    case 'rejected':
      return (
        rejectedAlone(answer, id) ?? {
          outcome: 'denied',
          ...byPeople(answer, 'rejected', messages.rejected(answer.by, answer.reason)),
        }
      );
    case 'answered':
      return {
        outcome: 'answered',
        ...byPeople(answer, 'answered', messages.responded(answer.by, answer.answer ?? '')),
      };
    case 'expired':
      return rejectedAlone(answer, id) ?? { outcome: 'expired', ...bySystem('expired', messages.expired()) };
    case 'cancelled':
      return { outcome: 'cancelled', ...bySystem('cancelled', messages.cancelled()) };
    case 'edited':
    case 'substituted':
      return { outcome: 'superseded', ...bySystem('superseded', messages.superseded()) };
    case 'approved':
      return rejectedAlone(answer, id);
    default:
      return answer.result satisfies never;
  }
}

/** The refusal of one call of a batch that people rejected, whatever the result for the others. */
function rejectedAlone(answer: HumanAnswer, id: string): (Pick<CallDecision, 'outcome'> & CallReason) | undefined {
  const own = answer.decisions?.find((decision) => decision.id === id);
  if (own?.choice !== 'reject') return undefined;
  const by = answerersOf(answer, id);
  return { outcome: 'denied', ...byPeople({ by }, 'rejected', messages.rejected(by, own.reason)) };
}

type CallReason = Pick<CallDecision, 'message' | 'reasonCode' | 'decidedBy'>;

const automatic = (verdict: Decided): CallReason => ({
  message: verdict.message,
  reasonCode: verdict.code ?? verdict.reason,
  decidedBy: {
    type: verdict.rule ? 'rule' : verdict.reason === 'classifier' ? 'classifier' : 'system',
    id: verdict.rule ? verdict.rule.id : verdict.source,
  },
});

const bySystem = (reasonCode: string, message: string): CallReason => ({
  message,
  reasonCode,
  decidedBy: { type: 'system', id: reasonCode },
});

export const byPeople = ({ by }: Pick<HumanAnswer, 'by'>, reasonCode: string, message: string): CallReason => {
  const decidedBy: DecidedBy = { type: 'human', id: deciderIds(by) || 'unknown' };
  return { message, reasonCode, decidedBy };
};

function digestOrNull(call: ToolCall, starts: CallResolution['starts']): string | null {
  try {
    return actionDigest({ ...call, starts });
  } catch {
    return null;
  }
}
