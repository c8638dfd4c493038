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
export function parseMode(name: string): Mode | undefined {
  return isMode(name) ? name : SEED_NAMES.get(name);
}

/** Gives the display name of the contract: `bypassPermissions` for `bypass`, and for every other mode its own name. */
export function modeDisplayName(mode: Mode): string {
  return mode === 'bypass' ? 'bypassPermissions' : mode;
}

/** Describes a mode by the flags of the contract, which bound no verdict. */
export interface ModeFlags {
  /** Whether writes pass without a person: in `acceptEdits` edits inside the project, in `dontAsk` what a rule allows. */
  readonly allowsWrite: boolean;
  /** Whether people are the mode's own answer. `acceptEdits` and `auto` ask them as well, where they cannot decide. */
  readonly requiresInteraction: boolean;
  /** Whether the mode asks the classifier of the service. */
  readonly usesClassifier: boolean;
}

/**
 * Gives the three flags of a mode, for a program that offers modes or prepares a service for one.
 *
 * @example
 * const mode = 'auto';
 * const classifier = modeFlags(mode).usesClassifier ? new RuleClassifier() : undefined;
 * const service = new PermissionService({ mode, classifier });
 */
export function modeFlags(mode: Mode): ModeFlags {
  return {
    allowsWrite: mode === 'bypass' || mode === 'acceptEdits' || mode === 'dontAsk',
    requiresInteraction: mode === 'default' || mode === 'plan' || mode === 'bubble',
    usesClassifier: mode === 'auto',
  };
}
