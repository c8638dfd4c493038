/** Bounds the session rules in the journal: a digest, and those that may matter (A15, A16). */
import type { LevelFacts, SessionEntry, SessionRule } from '../../contract/index.ts';
import type { DecidableProposal } from '../../contract/proposal.ts';
import { canonicalJson, sha256Hex } from '../../domain/digest.ts';
import { baseName } from '../../permissions/text/base-name.ts';
import { Journal } from '../kernel/state/journal.ts';
import type { Chain } from '../kernel/state/session.ts';

/** The size of all rules of an entry together, as JSON: an ask writes them, at a write unit a kilobyte. */
export const MAX_RULE_BYTES = 4096;

/** A program and the rest of a rule about commands: `Bash(git push:*)`. */
const COMMAND = /^Bash\(([\w./+-]+)(?:[\s:].*)?\)$/s;

/**
 * Bounds an entry before it is stored. Rules that fit are kept as they are. Otherwise each level keeps a digest of all rules, and as many as fit of
 * those that may concern the proposal, denials and questions first. A missing rule does no harm: the later run also judges by today's rules (A16),
 * so that at worst, and only if the rules changed during the wait, the approval ends as superseded.
 */
export function boundedEntry(entry: SessionEntry, proposal: DecidableProposal): SessionEntry {
  const levels = [...entry.levels, ...(entry.possible ?? []).flatMap((one) => one.levels)];
  if (bytesOf(levels.map(({ rules }) => rules)) <= MAX_RULE_BYTES) return entry;
  const text = canonicalJson(proposal);
  let left = MAX_RULE_BYTES;
  const bounded = (level: LevelFacts): LevelFacts => {
    if (!level.rules.length) return level;
    const taken = new Set<SessionRule>();
    for (const rule of byStrength(level.rules)) {
      if (!mayConcern(rule, text)) continue;
      const bytes = bytesOf(rule);
      if (bytes > left) continue;
      left -= bytes;
      taken.add(rule);
    }
    return { ...level, rules: level.rules.filter((rule) => taken.has(rule)), rulesDigest: digestOf(level) };
  };
  return {
    ...entry,
    levels: entry.levels.map(bounded),
    ...(entry.possible ? { possible: entry.possible.map((one) => ({ ...one, levels: one.levels.map(bounded) })) } : {}),
  };
}

/** The journal as the run began with it, where the rules are still those of then. */
export function withRulesOf(journal: Journal, now: Pick<Chain, 'levels' | 'possible'>): Journal {
  const today = [...now.levels, ...(now.possible ?? []).flatMap(({ levels }) => levels)];
  const restored = (level: LevelFacts): LevelFacts => {
    if (level.rulesDigest === undefined) return level;
    const same = today.find((one) => digestOf(one) === level.rulesDigest);
    return same ? { ...level, rules: [...same.rules] } : level;
  };
  return new Journal(
    journal.entries.map((entry) =>
      entry.type === 'session'
        ? {
            ...entry,
            levels: entry.levels.map(restored),
            ...(entry.possible
              ? { possible: entry.possible.map((one) => ({ ...one, levels: one.levels.map(restored) })) }
              : {}),
          }
        : entry,
    ),
  );
}

const STRENGTH = { deny: 0, ask: 1, allow: 2 } as const;
const byStrength = (rules: readonly SessionRule[]): SessionRule[] =>
  rules.toSorted((a, b) => STRENGTH[a.effect] - STRENGTH[b.effect]);

/** No, for a rule about a program that the proposal nowhere names. */
function mayConcern({ pattern }: SessionRule, text: string): boolean {
  const program = COMMAND.exec(pattern)?.[1];
  return program === undefined || text.includes(baseName(program));
}

const digestOf = ({ agent, sessionId, rules }: LevelFacts): string =>
  sha256Hex(canonicalJson({ agent, sessionId, rules }));
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
