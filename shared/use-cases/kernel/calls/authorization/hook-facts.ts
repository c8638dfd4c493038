/**
 * Names the hooks that speak about a call, and joins their answers.
 * None of them lifts a deny or a protected path.
 */
import type { Policy } from '../../../../config/compile.ts';
import type { HookSettings } from '../../../../config/schema/hooks.ts';
import type { HookEntry, LevelFacts, Mode, ToolCall } from '../../../../contract/index.ts';
import type { HookFact } from '../../../../permissions/model/types.ts';
import { matchesWildcard } from '../../../../permissions/text/glob.ts';
import type { Journal } from '../../state/journal.ts';
import type { HookNeed } from '../../state/need.ts';

interface HookAt {
  readonly settings: HookSettings;
  readonly need: HookNeed;
  /** Absent: not asked yet. */
  readonly entry: HookEntry | undefined;
}

interface About {
  readonly call: ToolCall;
  readonly cwd: string;
  readonly slot: string;
  readonly depth: number;
  readonly level: LevelFacts;
  readonly mode: Mode;
}

/** The beginning of the journal's places of one call's hooks. */
export const hookPrefix = (slot: string): string => `hook.${slot}.`;

/** In the file's order. A hook for every agent hears of a call once, from its own agent; one that names a parent hears of it there. */
export function hooksAt({ call, cwd, slot, depth, level, mode }: About, journal: Journal, policy: Policy): HookAt[] {
  return Object.entries(policy.settings.hooks).flatMap(([hook, settings]) => {
    const { agents, tools } = settings;
    if (agents ? !agents.includes(level.agent) : depth > 0) return [];
    if (!tools.some((pattern) => matchesWildcard(pattern, call.toolName))) return [];
    const place = `${hookPrefix(slot)}${depth}.${hook}`;
    const need: HookNeed = { type: 'hook', place, hook, call, cwd, level, mode };
    return [{ settings, need, entry: journal.answer('hook', place) }];
  });
}

interface HookFindings {
  readonly fact?: HookFact;
  /** For this call only. */
  readonly mode?: Mode;
}

/** The strongest answer counts; falling through does not undo another hook's allow, and a failure does. */
export function hookFindings(hooks: readonly HookAt[]): HookFindings {
  const facts = hooks.map(factOf);
  const modes = new Set(
    hooks.flatMap(({ entry }) => (entry?.answer.state === 'answered' ? (entry.answer.mode ?? []) : [])),
  );
  if (modes.size > 1) facts.push({ decision: 'failed', reason: 'Hooks name different modes for the call.' });
  const [fact] = facts.toSorted((a, b) => RANK.indexOf(a.decision) - RANK.indexOf(b.decision));
  const [mode] = modes;
  return { ...(fact ? { fact } : {}), ...(mode && modes.size === 1 ? { mode } : {}) };
}

const RANK: readonly HookFact['decision'][] = ['block', 'deny', 'failed', 'human', 'allow', 'ask', 'pass'];

function factOf({ settings, need: { hook }, entry }: HookAt): HookFact {
  if (entry?.answer.state !== 'answered') {
    const reason = `The hook ${hook} gave no usable answer.`;
    return { decision: settings.onFailure === 'deny' ? 'deny' : 'failed', reason };
  }
  const { decision, reason } = entry.answer;
  switch (decision) {
    case 'block':
    case 'deny':
      return { decision, reason: reason ?? `The hook ${hook} refused the call.` };
    case 'allow':
      return { decision, reason: reason ?? `The hook ${hook} allowed the call.` };
    case 'ask':
      return { decision: 'human', reason: reason ?? `The hook ${hook} wants a person asked.` };
    case 'pass':
      return { decision, reason: reason ?? `The hook ${hook} falls through.` };
    default:
      return decision satisfies never;
  }
}
