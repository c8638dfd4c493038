/** Finds `(a|b)` in a rule, which is meant as a choice and means itself. */

/** Signs before a bracket that make it another thing than a choice: a substitution, an escape, a redirection. */
const OTHER_MEANING: ReadonlySet<string> = new Set(['$', '\\', '<', '>', '*', '?', '!']);
/** Behind these a shell reads a command, and a bracket as a subshell. */
const BEFORE_A_COMMAND = /(?:^|[;&|({]|(?:^|[\s;&|({])(?:!|if|then|elif|else|while|until|do|time|time -p|coproc))$/;
/** Behind a subshell no word stands but those of the shell, and redirections. */
const FURTHER_WORDS = /^(?::?\*|\s+(?!(?:then|do|done|else|elif|fi)\b|\d*[<>])[\w./~*-])/;
/** Here brackets are patterns. */
const PATTERNS_OF_THE_SHELL = /(?:^|[\s;&|({])(?:case|\[\[)\s/;

/**
 * Lists the texts of the rules to write instead.
 *
 * @param specifier stands between the rule's own brackets; one with quotes may mean what it says
 * @param isCommand whether it is a command, which may be a script with a subshell: an exact rule on one holds
 */
export function literalAlternatives(specifier: string, isCommand: boolean): readonly string[] | undefined {
  if (/["'`]/.test(specifier)) return undefined;
  const open = specifier.indexOf('(');
  const close = specifier.indexOf(')', open);
  if (open < 0 || close < 0 || OTHER_MEANING.has(specifier[open - 1] ?? '')) return undefined;
  const alternatives = specifier.slice(open + 1, close).split('|');
  if (alternatives.length < 2 || !alternatives.every((one) => /^[\w./:@=-]+$/.test(one))) return undefined;
  // `@(a|b)` and `+(a|b)` are choices of some shells.
  const isExtended = specifier[open - 1] === '@' || specifier[open - 1] === '+';
  const [before, after] = [specifier.slice(0, isExtended ? open - 1 : open), specifier.slice(close + 1)];
  if (isCommand && mayBeScript(before, after)) return undefined;
  return alternatives.map((one) => `${before}${one}${after}`);
}

const mayBeScript = (before: string, after: string): boolean =>
  PATTERNS_OF_THE_SHELL.test(before) || (BEFORE_A_COMMAND.test(before.trimEnd()) && !FURTHER_WORDS.test(after));
