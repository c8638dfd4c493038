/**
 * Decides in two phases, where the caller runs the tools.
 *
 * The decision is made again with the results so far, and says what is missing. Decisions are deterministic, so the
 * second run repeats the first and goes on from there.
 */
import type { ToolRunner } from './decisions/ports.ts';
import type { AgentDecision } from './decisions/schemas.ts';
import type { ToolCall, ToolResult } from './tools/tool-schemas.ts';

/** Answers the calls of a turn from the caller's results, in order of their sequence; the next one is deferred. */
export const recordedTools =
  (results: readonly ToolResult[]): ToolRunner =>
  async (call) =>
    results[call.sequence - 1] ?? 'deferred';

/** The calls that the caller still has to run before it asks again; none: the decision is final, its text may be shown. */
export function callsToRun(decision: AgentDecision, results: readonly ToolResult[]): readonly ToolCall[] {
  if (decision.response_text !== null) return [];
  return (decision.tool_calls ?? []).filter((call) => call.sequence > results.length);
}
