/** Lists the seven modes, with their names in the contract and helper flags. */
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
export function modeOf(name: string): Mode | undefined {
  return isMode(name) ? name : SEED_NAMES.get(name);
}

/** The display name of a mode. */
export function modeDisplayName(mode: Mode): string {
  return mode === 'bypass' ? 'bypassPermissions' : mode;
}

/** The three helper flags of a mode, by the table of the contract. */
export function modeFlags(mode: Mode): { allowsWrite: boolean; requiresInteraction: boolean; usesClassifier: boolean } {
  return {
    allowsWrite: mode === 'bypass' || mode === 'acceptEdits' || mode === 'dontAsk',
    requiresInteraction: mode === 'default' || mode === 'plan' || mode === 'bubble',
    usesClassifier: mode === 'auto',
  };
}
