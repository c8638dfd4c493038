/**
 * Collects an agent's own words about its proposal.
 *
 * People see them as its words, and no decision is based on them.
 */
import type { DecidableProposal, ToolCall } from '../contract/index.ts';

type Hints = NonNullable<ToolCall['annotations']>;

/** Each hint, where it is true and where it is false. */
const HINTS = {
  readOnlyHint: ['only reads', 'does not only read'],
  destructiveHint: ['destructive', 'not destructive'],
  idempotentHint: ['may be repeated', 'may not be repeated'],
  openWorldHint: ['reaches the outside', 'does not reach the outside'],
} as const satisfies Record<Exclude<keyof Hints, 'title'>, readonly [string, string]>;

/** One line each; empty if the agent says nothing. */
export function agentWords(proposal: DecidableProposal): string[] {
  const { title, description, reason, urgency, runId } = proposal;
  const calls = proposal.kind === 'tool-call' ? proposal.calls : [];
  const about = [urgency === undefined ? '' : `urgency ${urgency}`, runId === undefined ? '' : `run ${runId}`];
  const hints = calls.map(({ id, annotations }) => {
    const text = hintsOf(annotations);
    return text && calls.length > 1 ? `${id}: ${text}` : text;
  });
  const lines = [title, description, reason, about.filter(Boolean).join(', '), ...hints];
  return [...new Set(lines)].filter((line): line is string => line !== undefined && line.trim() !== '');
}

function hintsOf({ title = '', ...hints }: Hints = {}): string {
  const words = Object.entries(HINTS).flatMap(([name, [yes, no]]) => {
    const hint = hints[name as keyof typeof hints];
    return hint === undefined ? [] : [hint ? yes : no];
  });
  return [title, ...words].filter(Boolean).join(', ');
}
