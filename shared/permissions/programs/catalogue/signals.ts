/** Spells the signal of `kill` and its like in every way, for deny and ask rules. */

/** Numbers of Linux; a name without a number here is compared as it stands. */
const NUMBERS: ReadonlyMap<string, number> = new Map([
  ['HUP', 1],
  ['INT', 2],
  ['QUIT', 3],
  ['ABRT', 6],
  ['KILL', 9],
  ['USR1', 10],
  ['SEGV', 11],
  ['USR2', 12],
  ['PIPE', 13],
  ['ALRM', 14],
  ['TERM', 15],
  ['CONT', 18],
  ['STOP', 19],
  ['TSTP', 20],
]);
const NAMES: ReadonlyMap<number, string> = new Map([...NUMBERS].map(([name, number]) => [number, name]));

/** `-9`, `-KILL`, `-SIGKILL`; `-s KILL` and `-sKILL`; `-n 9`; `--signal KILL` and `--signal=KILL`. */
const SEPARATE = /^(?:-s|-n|--signal)$/;
const ATTACHED = /^(?:--signal=|-(?:s(?=[A-Z\d]))?)([A-Za-z\d]+)$/;

/** The same words with their signal in each other way, in front as most people write it. */
export function signalSpellings(words: readonly string[]): readonly (readonly string[])[] {
  const at = words.findIndex((word, index) => signalOf(word, words[index + 1]) !== undefined);
  const signal = at < 0 ? undefined : signalOf(words[at] as string, words[at + 1]);
  if (signal === undefined) return [];
  const [name, number] = signal;
  const rest = [...words.slice(0, at), ...words.slice(at + (SEPARATE.test(words[at] as string) ? 2 : 1))];
  const forms = [name, `SIG${name}`, String(number)];
  return [
    ...forms.map((form) => [`-${form}`]),
    ...forms.map((form) => ['-s', form]),
    ['-n', String(number)],
    ['--signal', name],
  ].map((form) => [...form, ...rest]);
}

function signalOf(word: string, next: string | undefined): readonly [name: string, number: number] | undefined {
  const stated = SEPARATE.test(word) ? next : ATTACHED.exec(word)?.[1];
  if (stated === undefined) return undefined;
  const name = /^\d+$/.test(stated) ? NAMES.get(Number(stated)) : stated.toUpperCase().replace(/^SIG/, '');
  const number = NUMBERS.get(name ?? '');
  return name === undefined || number === undefined ? undefined : [name, number];
}
