/** Names a mode for people and gives its flags, for programs around the service. */
import { oneOf } from '../../domain/settings.ts';
import { MODES } from '../model/modes.ts';
import type { Mode } from '../model/types.ts';

const checkMode = oneOf(...MODES);

/**
 * Gives the display name of the contract: `bypassPermissions` for `bypass`, and for every other mode its own name.
 *
 * @throws InvalidSettingError for what is no mode
 */
export function modeDisplayName(mode: Mode): string {
  checkMode(mode, 'mode');
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
 * @throws InvalidSettingError for what is no mode
 * @example
 * const mode = 'auto';
 * const classifier = modeFlags(mode).usesClassifier ? new RuleClassifier() : undefined;
 * const service = new PermissionService({ mode, classifier });
 */
export function modeFlags(mode: Mode): ModeFlags {
  checkMode(mode, 'mode');
  return {
    allowsWrite: mode === 'bypass' || mode === 'acceptEdits' || mode === 'dontAsk',
    requiresInteraction: mode === 'default' || mode === 'plan' || mode === 'bubble',
    usesClassifier: mode === 'auto',
  };
}
