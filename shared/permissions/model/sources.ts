/** Lists rule sources by priority. A priority only orders rules of the same effect. */
import type { RuleSource } from './types.ts';

/** Lowest priority first; the index is the priority. */
export const RULE_SOURCES: readonly RuleSource[] = ['default', 'local', 'project', 'user', 'managed', 'cli', 'session'];

const SOURCE_BY_SEED_NAME: ReadonlyMap<string, RuleSource> = new Map<string, RuleSource>([
  ['Default', 'default'],
  ['LocalSettings', 'local'],
  ['ProjectSettings', 'project'],
  ['UserSettings', 'user'],
  ['Managed', 'managed'],
  ['CliArg', 'cli'],
  ['Session', 'session'],
]);

export function sourcePriority(source: RuleSource): number {
  return RULE_SOURCES.indexOf(source);
}

export function isRuleSource(value: unknown): value is RuleSource {
  return typeof value === 'string' && (RULE_SOURCES as readonly string[]).includes(value);
}

/**
 * Reads a spelling of the policy file, of the contract (`UserSettings`) or of a settings destination (`userSettings`,
 * R4-070). `undefined` when unknown, which never becomes a default.
 */
export function ruleSourceOf(name: string): RuleSource | undefined {
  if (isRuleSource(name)) return name;
  return SOURCE_BY_SEED_NAME.get(`${name.slice(0, 1).toUpperCase()}${name.slice(1)}`);
}
