/** Decides input requests: a person's answer goes back as data and approves nothing. */
import type { Decision, HumanAnswer, InputQuestion } from '../../contract/index.ts';
import type { InputRequestProposal } from '../../contract/proposal.ts';
import { lengthDelimited, sha256Hex } from '../../domain/digest.ts';
import { pauseFor } from '../../ports/stores/control.ts';
import { messages } from '../model-messages.ts';
import type { KernelPorts } from './calls/authorization/authorize-call.ts';
import { byPeople } from './calls/call-decisions.ts';
import { askedBy, planForGroup } from './calls/question/approval-plan.ts';
import { barredFrom, isImpartial, peopleOf } from './calls/question/impartial.ts';
import { type KernelAnswer, type KernelRun, refused } from './calls/run.ts';
import { whyNobodyIsAsked } from './state/asks-people.ts';
import type { Journal } from './state/journal.ts';
import type { Session } from './state/session.ts';

const PLACE = 'input';

export async function decideInput(
  proposal: InputRequestProposal,
  session: Session,
  journal: Journal,
  { policy }: Pick<KernelPorts, 'policy'>,
  now: number,
): Promise<KernelRun> {
  const answer = journal.human(PLACE);
  if (answer && answer.result !== 'answered') return decided(unanswered(answer));
  // No tool: a pause of everything, or of this agent, stops questions too.
  const pause = pauseFor(session.control, session.agent, '', now);
  if (pause?.effect === 'deny') return refused('paused', messages.paused(pause.reason, answer !== undefined), 'denied');
  // The answer to a question that was asked before is no new question.
  const why = answer ? undefined : whyNobodyIsAsked(session, journal, policy);
  if (why) return refused(why, messages.nobodyAsked(why), 'denied');
  const plan = planForGroup(policy, session.settings);
  // One answer is an answer: the first stage's people are asked, and no quorum.
  const one = plan && { ...plan, stages: plan.stages.slice(0, 1).map((stage) => ({ ...stage, quorum: 1 })) };
  const asked = askedBy(one, 'medium', session.settings, policy, session.requester, [], barredFrom(session, policy));
  if (!asked.ok) return refused(asked.code, asked.message);
  const { question, choices } = proposal;
  const digest = sha256Hex(lengthDelimited([session.pid, PLACE, question, ...(choices ?? [])]));
  if (!answer) {
    const { stages, stagesDigest } = asked;
    const asking: InputQuestion = {
      kind: 'input',
      place: PLACE,
      digest,
      offers: ['respond', 'reject'],
      severity: 'medium',
      stages,
      stagesDigest,
      question,
      ...(choices ? { choices } : {}),
    };
    return { kind: 'suspended', question: asking, calls: [] };
  }
  const isSame = answer.digest === digest && answer.stagesDigest === asked.stagesDigest;
  if (!isSame || answer.answer === undefined || !isImpartial(peopleOf(answer.by), session, policy))
    return refused('superseded', messages.superseded(), 'superseded');
  return decided({
    outcome: 'answered',
    ...byPeople(answer, 'answered', messages.answered(answer.by, answer.answer)),
    answer: answer.answer,
  });
}

type InputAnswer = Pick<Decision, 'outcome' | 'message' | 'reasonCode' | 'decidedBy' | 'answer'>;

const decided = (ended: InputAnswer): KernelRun => ({
  kind: 'decided',
  answer: { ...ended, actionDigest: null, calls: [] } satisfies KernelAnswer,
  calls: [],
});

/** A question that nobody answered, or that somebody declined. */
function unanswered(answer: HumanAnswer): InputAnswer {
  const system = (code: string, message: string) => ({
    message,
    reasonCode: code,
    decidedBy: { type: 'system', id: code } as const,
  });
  switch (answer.result) {
    case 'rejected':
      return { outcome: 'denied', ...byPeople(answer, 'rejected', messages.declined(answer.by, answer.reason)) };
    case 'expired':
      return { outcome: 'expired', ...system('expired', messages.unansweredInTime()) };
    case 'cancelled':
      return { outcome: 'cancelled', ...system('cancelled', messages.cancelled()) };
    case 'approved':
    case 'edited':
    case 'substituted':
    case 'answered':
      return { outcome: 'superseded', ...system('superseded', messages.superseded()) };
    default:
      return answer.result satisfies never;
  }
}
