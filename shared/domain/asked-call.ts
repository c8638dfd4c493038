/** Names the call that would run: with the arguments of the proposal, or with those that a person substituted. */
import type { AskedCall, ToolCall, ToolCallProposal } from '../contract/index.ts';

export function askedCallOf({ id, input }: AskedCall, proposal: ToolCallProposal): ToolCall | undefined {
  const call = proposal.calls.find((one) => one.id === id);
  return call && input ? { ...call, input } : call;
}
