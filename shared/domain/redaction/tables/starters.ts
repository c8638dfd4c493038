/** Passes over words of a command that only start its program: `sudo -u me`, `timeout 5`, `NAME=x`. */
/** Letters of options that take the next word, and how many words stand before the program. */
interface Starter {
  readonly valued: string;
  readonly operands: number;
}

const starter = (valued = '', operands = 0): Starter => ({ valued, operands });

const STARTERS: ReadonlyMap<string, Starter> = new Map([
  ['sudo', starter('ughpCrtTUDRac')],
  ['doas', starter('uC')],
  ['env', starter('uC')],
  ['nice', starter('n')],
  ['ionice', starter('cn')],
  ['exec', starter('a')],
  ['time', starter('fo')],
  ['timeout', starter('ks', 1)],
  ['stdbuf', starter('ioe')],
  ['xargs', starter('adEILnPs')],
  ...['nohup', 'setsid', 'command', 'builtin', 'coproc', 'call', 'start', 'xcrun'].map(
    (name) => [name, starter()] as const,
  ),
]);
const KEYWORD = /^(?:if|then|elif|else|while|until|do|!|\{)$/;
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=/;
const LONG_VALUED =
  /^--(?:user|group|host|prompt|chdir|unset|adjustment|signal|kill-after|input|output|error|format|class|classdata|max-args|max-procs|max-lines|max-chars|delimiter|arg-file|replace)$/;

/** The words from the program on; none if the next word is the program. */
export function withoutStarters(words: readonly string[]): readonly string[] {
  let last = starter();
  let operands = 0;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const known = STARTERS.get(word.slice(word.lastIndexOf('/') + 1));
    const isOption = word.startsWith('-');
    if (isOption && takesNext(word, last)) at++;
    if (isOption || KEYWORD.test(word) || ASSIGNMENT.test(word)) continue;
    if (operands > 0) operands--;
    else if (known) {
      last = known;
      operands = known.operands;
    } else return words.slice(at);
  }
  return [];
}

/** `-u me`, `-nu me`; in `-ume` and `--user=me` the value stands already. */
function takesNext(option: string, { valued }: Starter): boolean {
  if (option.startsWith('--')) return LONG_VALUED.test(option);
  const first = [...option.slice(1)].findIndex((letter) => valued.includes(letter));
  return first >= 0 && first === option.length - 2;
}
