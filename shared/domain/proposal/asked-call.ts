/** Names the call that would run, with the proposal's arguments or a person's substitutes. */
import type { AskedCall, ToolCall, ToolCallProposal } from '../../contract/index.ts';

export function askedCallOf({ id, input }: AskedCall, proposal: ToolCallProposal): ToolCall | undefined {
  const call = proposal.calls.find((one) => one.id === id);
  return call && input ? { ...call, input } : call;
}
