/** Lists the seven modes, and reads their names in the contract. */
import type { Mode } from './types.ts';

/** All permission modes. */
export const MODES: readonly Mode[] = ['default', 'plan', 'acceptEdits', 'bypass', 'dontAsk', 'auto', 'bubble'];

const SEED_NAMES: ReadonlyMap<string, Mode> = new Map<string, Mode>([
  ['Default', 'default'],
  ['Plan', 'plan'],
  ['Auto', 'auto'],
  ['AcceptEdits', 'acceptEdits'],
  ['BypassPermissions', 'bypass'],
  ['DontAsk', 'dontAsk'],
  ['Bubble', 'bubble'],
  ['bypassPermissions', 'bypass'],
]);

/** Exact comparison; nothing inherited counts. */
export function isMode(value: unknown): value is Mode {
  return typeof value === 'string' && (MODES as readonly string[]).includes(value);
}

/** Reads a spelling of the policy file, the display or the contract; `undefined` when it is none of them. */
export function parseMode(name: string): Mode | undefined {
  return isMode(name) ? name : SEED_NAMES.get(name);
}
