/** Finds the names under which copies are written into a folder: no word of the command says them. */
import { baseName } from '../../text/base-name.ts';

/**
 * `cp a/b dir/` writes `dir/b`, and with `--parents` `dir/a/b`. One name at a time: folders, words and suffixes multiply, and whoever reads them
 * pays for each.
 */
export function* intoFolder(words: readonly string[]): Iterable<string> {
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  const places = words.flatMap((word, at) => ((at < end ? word.startsWith('-') : at === end) ? [] : [at]));
  const suffixes = ['', ...words.flatMap((word, index) => suffixIn(word, words[index + 1]))];
  const nameOf = words.some((word) => word.startsWith('--pa')) ? (word: string) => word : baseName;
  for (const folder of foldersIn(words, places, end)) {
    for (const suffix of suffixes) {
      if (suffix !== '') yield folder + suffix;
      for (const at of places) if (words[at] !== folder) yield `${folder}/${nameOf(words[at] as string)}${suffix}`;
    }
  }
}

/**
 * The folders that it may copy into: those that options name, and the last operand where none certainly does. A word behind an option may be
 * its value, so that the operand before it is the last: `install x dir -m 644`. `places`: of the operands; `end`: of the options.
 */
function foldersIn(words: readonly string[], places: readonly number[], end: number): readonly string[] {
  const named = words.slice(0, end).flatMap((word, at) => {
    const [, before = '', short, long] = TARGET.exec(word) ?? [];
    const folder = short ?? long ?? (TARGET.test(word) ? words[at + 1] : undefined);
    return folder === undefined
      ? []
      : [{ folder, isSure: !TAKES_VALUE.test(`-${before}`) && !takesNext(words[at - 1]) }];
  });
  const folders = named.map(({ folder }) => folder);
  if (named.some(({ isSure }) => isSure)) return folders;
  const last = places.findLastIndex((at) => at > end || !words[at - 1]?.startsWith('-'));
  return [...folders, ...places.slice(Math.max(0, last)).map((at) => words[at] as string)];
}

/** `-t f`, `-rtf`, `--target-directory=f`, and its beginnings. */
const TARGET = /^(?:-([A-Za-z]*?)t(.+)?|--t[a-z-]*(?:=(.*))?)$/;

/** Sources, and folders, that are spelt alone: those behind them may be any. */
const MAX_SPELT = 65;

/** `cp -t dir a b` is `cp a dir` and `cp b dir`, for deny and ask rules. */
export function folderSpellings(words: readonly string[]): readonly (readonly string[])[] {
  const named = withFolderBehind(words);
  return [...named, ...[words, ...named.slice(0, 1)].flatMap(eachSource)];
}

/** `cp a b dir` is `cp a dir`, too. */
function eachSource(words: readonly string[]): readonly (readonly string[])[] {
  const operands = words.flatMap((word, at) => (word.startsWith('-') ? [] : [at]));
  const last = operands.pop();
  if (last === undefined || operands.length < 2) return [];
  const others = words.filter((word) => word.startsWith('-'));
  return operands.slice(0, MAX_SPELT).map((at) => [...others, words[at] as string, words[last] as string]);
}

function withFolderBehind(words: readonly string[]): readonly (readonly string[])[] {
  const spelt: (readonly string[])[] = [];
  for (let at = 0; at < words.length && spelt.length < MAX_SPELT; at++) {
    const [found, before = '', short, long] = TARGET.exec(words[at] as string) ?? [];
    const attached = short ?? long;
    const folder = attached ?? words[at + 1];
    if (found === undefined || folder === undefined) continue;
    const letters = before === '' ? [] : [`-${before}`];
    spelt.push([...words.slice(0, at), ...letters, ...words.slice(attached === undefined ? at + 2 : at + 1), folder]);
  }
  return spelt;
}

/** `-S`, `-m`, `-o` and `-g` take a value: `-gt` is a group, and `-m -t` a mode. */
const TAKES_VALUE = /^-[A-Za-z]*[Smog]/;
const takesNext = (word = ''): boolean => /^-[A-Za-z]*[Smog]$|^--[smog][a-z-]*$/.test(word);

/** `cp -b -S c x .npmr` keeps what was there as `.npmrc`. */
function suffixIn(word: string, next: string | undefined): readonly string[] {
  if (/^--s\w*$/.test(word) || /^-\w*S$/.test(word)) return next === undefined ? [] : [next];
  const attached = /^(?:--s\w*=|-\w*?S)(.+)$/.exec(word)?.[1];
  return attached === undefined ? [] : [attached];
}
