/** Names the call that would run, with the proposal's arguments or a person's substitutes. */
import type { Approval, AskedCall, Question, ToolCall, ToolCallProposal } from '../../contract/index.ts';

export function askedCallOf({ id, input }: AskedCall, proposal: ToolCallProposal): ToolCall | undefined {
  const call = proposal.calls.find((one) => one.id === id);
  return call && input ? { ...call, input } : call;
}

/** The question about the call as somebody changed it last: an edit that a rule allows, or denies, is asked of nobody. */
export function questionAsEdited({ question, votes }: Pick<Approval, 'question' | 'votes'>): Question {
  const edit = votes.findLast((vote) => vote.choice === 'edit');
  if (question.kind !== 'calls' || edit?.choice !== 'edit') return question;
  const { callId, input } = edit;
  return { ...question, calls: question.calls.map((call) => (call.id === callId ? { ...call, input } : call)) };
}
