/** Casts what a test answers as the vote of a person whom the policy file names. */
import type { MemoryGate } from '../adapters/memory/gate-parts.ts';
import type { Approval, Person } from '../contract/approval.ts';
import { samePerson } from '../domain/approval/approval.ts';
import type { Ballot } from '../domain/approval/ballot.ts';
import { choiceDigest } from '../domain/digest.ts';
import { type Check, oneOf, record } from '../domain/settings.ts';
import { type ClickContext, edit, proposalOf, type VoteResult, vote } from '../use-cases/approvals/voting/cast-vote.ts';
import type { Approver, ApproverAnswer, AskedQuestion } from './approver.ts';

type Parts = MemoryGate['parts'];

/** An approver in JavaScript may return a text, as a `ScriptedApprover` takes one. */
const answerOf: Check = (answer, setting) => {
  record(answer, setting);
  oneOf('approve', 'reject', 'edit', 'substitute', 'respond')((answer as ApproverAnswer).choice, `${setting}.choice`);
};

/** @throws Error if the answer does not count, with the reason that a person would see as its code */
export async function castAnswer(approval: Approval, approver: Approver, parts: Parts): Promise<void> {
  const view = await parts.approvals.read(approval.pid);
  if (!view) return;
  const { agent, proposalId, question, round } = approval;
  const asked: AskedQuestion = { agent, proposalId, proposal: proposalOf(view), question, round };
  const answer = await approver(asked);
  if (!answer) return;
  answerOf(answer, 'answer');
  const name = answer.by ?? firstApprover(approval, parts);
  const voted = await castAs(name, answer, asked, approval, parts);
  if (voted.kind === 'refused')
    throw new Error(`${name} cannot answer ${proposalId} with ${answer.choice}: ${voted.refusal}`);
}

function firstApprover({ question, stage = 0, owner }: Approval, { policy }: Parts): string {
  const group = question.stages[stage]?.group ?? '';
  const name = policy.settings.approvers[group]?.members?.find((each) => !samePerson(policy.person(each), owner));
  if (name === undefined) throw new Error(`name who answers: no member of ${group} can be chosen`);
  return name;
}

async function castAs(
  name: string,
  answer: ApproverAnswer,
  asked: AskedQuestion,
  approval: Approval,
  parts: Parts,
): Promise<VoteResult> {
  const person: Person = parts.policy.person(name);
  const requestId = [approval.pid, approval.version].join('#');
  const click: ClickContext = { pid: approval.pid, person, isBot: false, requestId };
  const seen = { questionDigest: asked.question.digest, via: 'slack' } as const;
  if (answer.choice !== 'edit') return vote({ ...click, ballot: ballotOf(answer, asked, seen) }, parts);
  const first = asked.question.kind === 'calls' ? asked.question.calls[0]?.id : undefined;
  return edit({ ...click, ...seen, callId: answer.callId ?? first ?? '', input: answer.input }, parts);
}

function ballotOf(
  answer: Exclude<ApproverAnswer, { choice: 'edit' }>,
  { proposal }: AskedQuestion,
  seen: Pick<Ballot, 'questionDigest' | 'via'>,
): Ballot {
  switch (answer.choice) {
    case 'approve':
      return { ...seen, choice: 'approve', remember: answer.remember, calls: answer.calls };
    case 'reject':
      return { ...seen, choice: 'reject', reason: answer.reason };
    case 'respond':
      return { ...seen, choice: 'respond', answer: answer.answer };
    case 'substitute': {
      const action = proposal.kind === 'action-choice' ? proposal.actionSpace.actions[answer.index] : undefined;
      if (!action) throw new Error(`the action space has no action ${answer.index}`);
      return { ...seen, choice: 'substitute', index: answer.index, actionDigest: choiceDigest(action) };
    }
    default:
      return answer satisfies never;
  }
}
