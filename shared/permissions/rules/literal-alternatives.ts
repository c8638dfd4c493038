/** Finds `(a|b)` in a rule, which is meant as a choice and means itself. */

/** Signs before a bracket that make it another thing than a choice: a substitution, an escape, a redirection. */
const OTHER_MEANING: ReadonlySet<string> = new Set(['$', '\\', '<', '>', '*', '?', '!']);

/** Lists the texts of the rules to write instead. `specifier` stands between the rule's own brackets; one with quotes may mean what it says. */
export function literalAlternatives(specifier: string): readonly string[] | undefined {
  if (/["'`]/.test(specifier)) return undefined;
  // At the start it is a subshell, whose commands are judged each by itself.
  const open = specifier.indexOf('(', 1);
  const close = specifier.indexOf(')', open);
  if (open < 0 || close < 0 || OTHER_MEANING.has(specifier[open - 1] ?? '')) return undefined;
  const alternatives = specifier.slice(open + 1, close).split('|');
  if (alternatives.length < 2 || !alternatives.every((one) => /^[\w./:@=-]+$/.test(one))) return undefined;
  // `@(a|b)` and `+(a|b)` are choices of some shells.
  const isExtended = specifier[open - 1] === '@' || specifier[open - 1] === '+';
  const [before, after] = [specifier.slice(0, isExtended ? open - 1 : open), specifier.slice(close + 1)];
  return alternatives.map((one) => `${before}${one}${after}`);
}
