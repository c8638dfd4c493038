/** What a prefix allow covers of one command (rules.md, "Commands"): the option table decides for the programs that it lists. */

import { baseName } from '../rules/index-rules.ts';
import type { ShellCommand } from '../shell/command.ts';
import type { Field } from '../shell/fields.ts';
import { CODE_BUILTINS, interpreterOf, SHELLS, STDIN_PROGRAMS, WRAPPERS } from '../shell/wrappers.ts';
import { gitRefusal } from './git.ts';
import { interpreterRefusal } from './interpreters.ts';
import { HARMFUL_OPTIONS, HARMFUL_TEXTS, isHarmfulOption, NEVER, RUN_WORDS } from './never.ts';
import { readOptions } from './options.ts';
import { ALIASES, PROGRAMS } from './table.ts';

export type PrefixVerdict =
  /** `writes`: operands that are written to, judged like redirections. */
  | { readonly kind: 'table' | 'outside-table'; readonly writes: readonly Field[] }
  | { readonly kind: 'no'; readonly why: string };

const no = (why: string): PrefixVerdict => ({ kind: 'no', why });

/** Words behind which another sub-command follows: `yarn workspace a exec id`. */
const NESTING: ReadonlySet<string> = new Set(['workspace', 'workspaces', 'foreach', 'recursive', 'multi', 'm']);
/** Known short names of harmless words that begin a harmful one. */
const NO_ABBREVIATIONS: ReadonlySet<string> = new Set(['in']);

/** Programs whose sub-commands stand in groups: `gcloud compute ssh`. */
const GROUPED: ReadonlySet<string> = new Set(['gcloud', 'az', 'wsl']);

/** The sub-command, or every word that may be one: behind an option, which may take a value or not, that is any. */
function subcommands(name: string, rest: readonly Field[]): readonly Field[] {
  const first = rest[0];
  if (first === undefined) return [];
  // `npm --silent -- exec`: a `--` ends the options, not the sub-commands.
  return GROUPED.has(name) || first.text.startsWith('-') || NESTING.has(first.text) ? rest : [first];
}

/** A sub-command that runs a foreign program, in full or abbreviated. */
function runWord(name: string, rest: readonly Field[], runs: ReadonlySet<string>): Field | undefined {
  return subcommands(name, rest).find(
    ({ text }) =>
      runs.has(text) ||
      (text.length > 1 && !NO_ABBREVIATIONS.has(text) && [...runs].some((word) => word.startsWith(text))),
  );
}

/** `pnpm curl`, `yarn run node`: where no script has the name, these run the program of that name. */
const RUN_ANY: ReadonlySet<string> = new Set(['pnpm', 'yarn', 'bun']);

function foreignProgram(name: string, rest: readonly Field[]): Field | undefined {
  const run = rest[0]?.text === 'run';
  // `pnpm run` runs scripts only.
  if (run && name === 'pnpm') return undefined;
  return subcommands(name, run ? rest.slice(1) : rest).find(({ text }) => {
    const program = baseName(text);
    return (
      program === 'git' ||
      SHELLS.has(program) ||
      interpreterOf(program) !== undefined ||
      PROGRAMS.has(ALIASES.get(program) ?? program)
    );
  });
}

export function prefixCovers(command: ShellCommand, ruleWords: readonly string[]): PrefixVerdict {
  const written = command.argv[0]?.text ?? '';
  const name = baseName(written);
  const rest = command.argv.slice(1);
  if (WRAPPERS.has(name)) return no(`what ${name} runs`);
  if (NEVER.has(name) || CODE_BUILTINS.has(name)) return no(`what ${name} runs or changes`);
  if (STDIN_PROGRAMS.has(name) && command.stdin.kind !== 'inherited') return no(`code for ${name} from standard input`);
  const words = RUN_WORDS.get(name);
  const runs = words === undefined ? undefined : runWord(name, rest, words);
  if (runs !== undefined) return no(`${name} ${runs.text}, which runs a foreign program`);
  if (words !== undefined && rest.some((field) => !field.known && field.tainted))
    return no(`words of ${name} that are not literal`);
  const foreign = RUN_ANY.has(name) ? foreignProgram(name, rest) : undefined;
  if (foreign !== undefined) return no(`${name} ${foreign.text}, which runs a foreign program`);
  if ((SHELLS.has(name) || interpreterOf(name) !== undefined) && !ALIASES.has(name)) {
    const refusal = interpreterRefusal(command, ruleWords);
    return refusal === undefined ? { kind: 'outside-table', writes: [] } : no(refusal);
  }

  if (name === 'git') {
    const refusal = gitRefusal(rest);
    return refusal === undefined ? { kind: 'table', writes: [] } : no(refusal);
  }
  const spec = PROGRAMS.get(ALIASES.get(name) ?? name);
  if (spec !== undefined) {
    const read = readOptions(rest, spec);
    if (typeof read === 'string') return no(`${read} of ${name}`);
    const why = spec.operands?.(read.operands, read.options, ruleWords);
    if (why !== undefined) return no(why);
    return { kind: 'table', writes: spec.writes?.(read.operands, read.options) ?? [] };
  }
  const harmful = HARMFUL_OPTIONS.get(name);
  const option = harmful === undefined ? undefined : rest.find((field) => isHarmfulOption(field.text, harmful));
  if (option !== undefined) return no(`the option ${option.text.slice(0, 40)} of ${name}`);
  const texts = HARMFUL_TEXTS.get(name) ?? [];
  if (rest.some((field) => texts.some((text) => field.text.includes(text)))) return no(`an option of ${name}`);
  return { kind: 'outside-table', writes: [] };
}
