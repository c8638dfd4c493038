/** What would run: the arguments of the proposal, or those that a person put in their place. */
import type { AskedCall, ToolCall, ToolCallProposal } from '../contract/index.ts';

export function askedCallOf({ id, input }: AskedCall, proposal: ToolCallProposal): ToolCall | undefined {
  const call = proposal.calls.find((one) => one.id === id);
  return call && input ? { ...call, input } : call;
}
