/** Names the permission stages, their reasons, and the keys of the policy file that they read. */
import * as z from 'zod';
import { type Checks, flag, record } from '../../domain/settings.ts';

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

/**
 * Keys of the policy file that stages read, each with its schema, its default and its words: the file, the library and every context of a call
 * have them from here. A section is made by `section`; `meta({ examples: [...] })` gives the example of the documents.
 */
export const STAGE_SETTINGS = {
  /** Allow rules count of managed sources only. */
  managedRulesOnly: z
    .boolean()
    .default(false)
    .describe('Drops the allow rules of every source but managed; deny and ask rules stay.')
    .meta({ examples: [false] }),
  /** False: allow rules of the project and of local settings do not count. */
  workspaceTrusted: z
    .boolean()
    .default(true)
    .describe('false drops the allow rules of the sources project and local; deny and ask rules stay.')
    .meta({ examples: [true] }),
};

/** Keys of the policy file that the evaluation reads under the same name: every context of a call holds them. */
export type StageSettings = {
  readonly [Key in keyof typeof STAGE_SETTINGS]: z.output<(typeof STAGE_SETTINGS)[Key]> | undefined;
};

const KEYS = Object.keys(STAGE_SETTINGS) as readonly (keyof StageSettings)[];

/** The settings of stages alone, out of a policy file or of the library's options; undefined where one is not stated. */
export const stageSettings = (from: Partial<StageSettings>): StageSettings =>
  Object.fromEntries(KEYS.map((key) => [key, from[key]])) as unknown as StageSettings;

/** The checks of the settings that a program states: a flag, or an object for a section. */
export const STAGE_CHECKS = Object.fromEntries(
  KEYS.map((key) => [key, typeof STAGE_SETTINGS[key].parse(undefined) === 'boolean' ? flag : record]),
) as Checks<StageSettings>;
