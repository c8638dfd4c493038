/** Finds an allow whose wildcard stands for a sub-command, and covers more than it seems to. */
import type { RuleInput } from '../../permissions/model/types.ts';
import { resolveCommand } from '../../permissions/programs/resolve.ts';
import type { CommandSpec } from '../../permissions/rules/command-spec.ts';
import type { CompiledPolicy } from '../../permissions/rules/compile.ts';
import type { ParsedPattern } from '../../permissions/rules/parse.ts';
import { literalField } from '../../permissions/shell/syntax/fields.ts';
import { filled, type SampleCall } from './sample-calls.ts';
import { compiled, type Ground, isGranted, tryCall } from './try-rules.ts';

/** Sub-commands that change what is elsewhere, or cannot be undone, of programs that have any. */
const CHANGES: readonly string[] = [
  'publish',
  'push --force origin',
  'reset --hard',
  'delete',
  'uninstall',
  'remove',
  'rm',
  'destroy',
];

/** The same where only a `--` gives them effect. */
const CHANGES_OF_WORDS: readonly string[] = [
  'run x --',
  'push --force origin x --',
  'delete x --',
  'uninstall x --',
  'remove x --',
  'rm x --',
  'destroy x --',
];

/** Options that leave a command without effect, unless a `--` makes plain words of them. */
const ASKS_ONLY: ReadonlySet<string> = new Set(['--version', '-V', '--help', '-h']);

/** `git * main` covers `git push --force origin main`. `stricter`: the deny and ask rules of the file. */
export function anySubcommand(
  { rule, parsed }: { readonly rule: RuleInput; readonly parsed: ParsedPattern },
  stricter: CompiledPolicy,
  ground: Ground,
) {
  if (parsed.kind !== 'command') return undefined;
  const samples = samplesOf(parsed.tool, parsed.command);
  const alone = compiled([rule], ground);
  for (const home of ground.homes)
    for (const call of samples)
      if (isGranted(tryCall(call, home, ground, alone, stricter)))
        return {
          code: 'any_subcommand',
          message: `its * is any sub-command with any words, as in \`${call.text}\`; name the sub-command`,
        };
  return undefined;
}

/** Calls that the wildcard may cover, those of sub-commands of the record first; none for other rules. */
function samplesOf(tool: string, { form, words }: CommandSpec): readonly SampleCall[] {
  const at = words.indexOf('*');
  if (form !== 'wildcard' || at < 1 || words.slice(at).every((word) => filled(word, '') === '')) return [];
  const named = resolveCommand(words.slice(0, at).map(literalField));
  const known = named?.record.subcommands?.of;
  if (!known || named?.path.length !== at - 1) return [];
  const isKnown = (change: string) => known.has(change.split(' ', 1)[0] ?? '');
  // `npm run x --version` runs nothing, and `npm run x -- --version` does.
  const isSpared = words.slice(at + 1).every((word) => ASKS_ONLY.has(word));
  return (isSpared ? CHANGES_OF_WORDS : CHANGES)
    .toSorted((a, b) => Number(isKnown(b)) - Number(isKnown(a)))
    .map((change) => {
      const command = words.map((word, index) => (index === at ? change : filled(word))).join(' ');
      return { toolName: tool, input: { command }, text: command };
    });
}
