/** Words each proposal and each decision as one line, without a call's input. */
import type { Decision } from '../contract/decision.ts';
import { pidOf } from '../domain/digest.ts';
import type { ReadDecision } from '../ports/agent-side.ts';
import type { Heard } from './endpoint/calls.ts';

/** Proposals whose names are remembered until they are decided. */
const MAX_REMEMBERED = 1_000;
/** Names of tools and proposals are an agent's own words. */
const MAX_SHOWN = 60;

/** @param tell gets one line at a time, without control characters */
export function newsOf(deployment: string, tell: (line: string) => void): Required<Heard> {
  /** By pid: the agent's name for its proposal, and the last thing that was told of it. */
  const known = new Map<string, { readonly what: string; told: 'proposed' | 'asked' | 'decided' }>();
  const remember = (pid: string, what: string) => {
    known.set(pid, { what, told: 'proposed' });
    const [oldest = ''] = known.keys();
    if (known.size > MAX_REMEMBERED) known.delete(oldest);
  };
  return {
    proposed(agent, raw) {
      const { id, what } = summaryOf(raw);
      const line = `${agent}  ${what}`;
      if (id !== '') remember(pidOf(deployment, agent, id), line);
      tell(`${line}  proposed`);
    },
    read(_agent, pid, { verdict, decision }: ReadDecision) {
      const about = known.get(pid);
      if (!decision && verdict === 'ask' && about?.told === 'proposed') {
        about.told = 'asked';
        tell(`${about.what}  ${WAITS}`);
      }
      if (!decision || !about || about.told === 'decided') return;
      about.told = 'decided';
      tell(`${about.what}  ${endingOf(decision)}`);
    },
  };
}

/** Of a proposal that people are asked about. */
export const WAITS = 'waits for people';

/** How a proposal ended, by whom and why. */
export const endingOf = ({
  outcome,
  reasonCode,
  decidedBy,
}: Pick<Decision, 'outcome' | 'reasonCode' | 'decidedBy'>): string => {
  const by = decidedBy ? ` by ${decidedBy.type} ${plain(decidedBy.id)}` : '';
  return `${outcome}${by}${reasonCode ? ` (${reasonCode})` : ''}`;
};

/** The id and the tools that a message names; the gate itself reads the message with care. */
function summaryOf(raw: string): { readonly id: string; readonly what: string } {
  try {
    const { proposalId, kind, toolName, calls } = JSON.parse(raw) as Readonly<Record<string, unknown>>;
    const tools = Array.isArray(calls)
      ? calls.map((call: { readonly toolName?: unknown }) => call?.toolName)
      : [toolName];
    const named = tools.filter((tool) => typeof tool === 'string');
    const id = typeof proposalId === 'string' ? proposalId : '';
    return { id, what: aboutOf(named, String(kind ?? 'a message'), id) };
  } catch {
    return { id: '', what: 'a message that is no JSON' };
  }
}

/** Tools, or the kind of a proposal without any, and its name. */
export const aboutOf = (tools: readonly string[], kind: string, id: string): string =>
  [tools.map(plain).join(', ') || plain(kind), plain(id)].join('  ').trim();

const plain = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ').slice(0, MAX_SHOWN);
