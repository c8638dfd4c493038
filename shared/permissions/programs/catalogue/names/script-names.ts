/** Names the scripts of packages that share their name with a program. */
import { type ScriptFallback, set } from '../../record/record.ts';

const SCRIPTS = set(
  'test start stop build lint install watch clean dev serve run format jest eslint tsc prettier vitest',
);

/** `yarn run node` runs node where no script has the name. */
export const SCRIPT_OR_PROGRAM: ScriptFallback = { scripts: SCRIPTS, runIsScript: false };
/** `pnpm node` runs node where no script has the name; `pnpm run node` fails. */
export const RUN_IS_SCRIPT: ScriptFallback = { scripts: SCRIPTS, runIsScript: true };
