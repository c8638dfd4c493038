/** Compares the words of one reading of a command with a deny or ask rule. */
import { recordOf } from '../../programs/catalogue/index.ts';
import { type CommandSpec, matchesCommand } from '../../rules/command-spec.ts';
import { joinFields, programOf } from '../../shell/syntax/command.ts';
import { type Field, literalField } from '../../shell/syntax/fields.ts';
import { baseName } from '../../text/base-name.ts';
import { matchesWildcard } from '../../text/glob.ts';
import { isSkippable, matchesAcross, matchesBeside, startsOf } from './across-options.ts';
import { type Given, givenOptions } from './given-options.ts';
import { optionRules } from './option-rules.ts';
import { hasOptions, hasOthersAsRule } from './option-spellings.ts';

const hasUpperCase = (text: string): boolean => text !== text.toLowerCase();

/** Options between the rule's words are left out. Work that is the same for all rules is done before. */
export function namesWords(argv: readonly Field[]): (spec: CommandSpec) => boolean {
  const program = programOf(argv[0]);
  const joined = joinFields(argv);
  if (program === undefined) return (spec) => matchesCommand(spec, joined);
  const rest = argv.slice(1).map((field) => field.text);
  const texts = new Set([joined, [program, ...rest].join(' ')]);
  if (hasUpperCase(program)) texts.add([program.toLowerCase(), ...rest].join(' '));
  const record = recordOf(program);
  let later: readonly string[] | undefined;
  let given: Given | undefined;
  const words = new Set(rest);
  const isPlain = !argv.some(isSkippable);
  const hasOptionsOf = (spec: CommandSpec): boolean =>
    optionRules(spec, argv).some((rule) => {
      // The text of a command without options says the same.
      if (isPlain && rule.wanted.length === 0) return false;
      if (!namesProgram(rule.path.words[0], program) || !rule.literals.every((word) => words.has(word))) return false;
      given ??= givenOptions(argv);
      if ((given.options.size === 0 && rule.wanted.length > 0) || !hasOptions(rule, given, false)) return false;
      return hasOthersAsRule(rule, spec, given, argv) && matchesBeside(rule.path, argv, record);
    });
  return (spec) => {
    const own = baseName(spec.firstWord ?? '');
    // `remove-item` is `Remove-Item`: the case in which the rule writes the program says nothing.
    if (own !== program && hasUpperCase(own) && own.toLowerCase() === program.toLowerCase())
      return namesWords([literalField(own), ...argv.slice(1)])(spec);
    for (const text of texts) if (matchesCommand(spec, text)) return true;
    if (spec.words.length < 2 && spec.form !== 'wildcard') return false;
    if (hasOptionsOf(spec)) return true;
    if (isPlain) return false;
    if (spec.form === 'wildcard') {
      // The words of such a rule cannot be told apart: the command is compared from each place where a sub-command may begin.
      later ??= startsOf(argv, record).map((at) => [program, ...rest.slice(at - 1)].join(' '));
      return later.some((text) => matchesCommand(spec, text));
    }
    return namesProgram(spec.firstWord, program) && matchesAcross(spec, argv, record);
  };
}

function namesProgram(word: string | undefined, program: string): boolean {
  const named = baseName(word ?? '');
  return matchesWildcard(named, program) || matchesWildcard(named, program.toLowerCase());
}
