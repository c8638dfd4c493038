/** Spells what a command of `kubectl` acts on as one word, for deny and ask rules. */

/** A kind may stand behind the value of an option. */
const MAX_KINDS = 3;
const MAX_NAMES = 8;

/** `ns prod` is `ns/prod`. */
export function targetSpellings(words: readonly string[]): readonly (readonly string[])[] {
  const operands = words.filter((word) => !/^-|[/.=]/.test(word));
  const options = words.filter((word) => word.startsWith('-'));
  return operands
    .slice(0, MAX_KINDS)
    .flatMap((kind, at) => operands.slice(at + 1, at + 1 + MAX_NAMES).map((name) => [`${kind}/${name}`, ...options]));
}
