/** Names the permission stages, their reasons, and the keys of the policy file that they read. */

/** The ten reasons of the contract, then the extensions. */
export type Reason =
  | 'bypass'
  | 'plan_mode'
  | 'rule_match'
  | 'protected_path'
  | 'cache_hit'
  | 'denial_tracker'
  | 'classifier'
  | 'handler'
  | 'dont_ask'
  | 'no_handler'
  | 'accept_edits'
  | 'bubble'
  | 'hook'
  | 'policy'
  | 'guardrail'
  | 'invalid';

/** The stages that an audit entry names as a source, and those that the gate adds. */
export type StageName =
  | 'input'
  | 'pause'
  | 'protected_paths'
  | 'hooks'
  | 'bypass_mode'
  | 'plan_mode'
  | 'rules'
  | 'approval_cache'
  | 'denial_tracker'
  | 'handler_check'
  | 'mode_dispatch'
  | 'kernel';

/** Keys of the policy file that the evaluation reads under the same name: every context of a call holds them. */
export interface StageSettings {
  /** Allow rules count of managed sources only. */
  readonly managedRulesOnly: boolean | undefined;
  /** False: allow rules of the project and of local settings do not count. */
  readonly workspaceTrusted: boolean | undefined;
}

const KEYS = Object.keys({
  managedRulesOnly: true,
  workspaceTrusted: true,
} satisfies Record<keyof StageSettings, true>) as readonly (keyof StageSettings)[];

/** The settings of stages alone, out of a policy file or of the library's options; undefined where one is not stated. */
export const stageSettings = (from: Partial<StageSettings>): StageSettings =>
  Object.fromEntries(KEYS.map((key) => [key, from[key]])) as unknown as StageSettings;
