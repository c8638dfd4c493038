/** Finds variables and operands that get a hidden value: `Y=$TOKEN`, `f $TOKEN`. */
import { commandOf } from '../readers/command-words.ts';
import { markersIn } from '../text/marker.ts';
import { matchesOf } from '../text/matches.ts';

const NAME = '[A-Za-z_]\\w{0,80}';
/** Ways to give a variable the value of another one; each with the groups `to` and `from`. Built once, from no input. */
const COPIES = [
  // `Y=$X`, `Y="a-$X"`, `Y=$(echo $X)`
  `\\b(?<to>${NAME})=["']?(?:[\\w.-]{0,40}|(?:\\$\\(|\`)\\s{0,4}(?:echo|printf)\\s[^()\`\\n]{0,80})["']?\\$\\{?(?<from>${NAME})`,
  // `Y=X; $` + `{!Y}`, `declare -n Y=X`
  `\\b(?<to>${NAME})=["']?(?<from>${NAME})["']?(?=[\\s;&|)]|$)`,
  `\\bread\\s{1,8}(?:-\\w{1,8}\\s{1,8}){0,4}(?<to>${NAME})\\s{0,8}<<<\\s{0,8}["']?\\$\\{?(?<from>${NAME})`,
  `\\$\\{?(?<from>${NAME})\\}?["']?\\s{0,8}\\|\\s{0,8}while\\s{1,8}(?:IFS=\\S{0,8}\\s{1,8})?read\\s{1,8}(?:-\\w{1,8}\\s{1,8}){0,4}(?<to>${NAME})`,
  `\\bfor\\s{1,8}(?<to>${NAME})\\s{1,8}in\\s[^;\\n$]{0,200}\\$\\{?(?<from>${NAME})`,
  `\\bprintf\\s{1,8}-v\\s{1,8}(?<to>${NAME})\\s[^;&|\\n$]{0,100}\\$\\{?(?<from>${NAME})`,
].map((source) => new RegExp(source, 'g'));

/** Variables that are given the value of one of these, too. */
export function withCopies(text: string, names: ReadonlySet<string>): ReadonlySet<string> {
  const copies = new Map<string, string[]>();
  for (const { groups: { to = '', from = '' } = {} } of COPIES.flatMap((pattern) => matchesOf(text, pattern))) {
    const made = copies.get(from);
    if (made === undefined) copies.set(from, [to]);
    else made.push(to);
  }
  const all = new Set(names);
  // A set goes on to what is added meanwhile: each name is looked at once.
  for (const name of all) for (const copy of copies.get(name) ?? []) all.add(copy);
  return all;
}

const FUNCTION = /(?:^|[\s;{])(?:function\s{1,4})?([A-Za-z_]\w{0,60})\s{0,4}\(\)\s{0,4}\{/g;

/** The operands of functions, and of `set --`, that hold a hidden value: `f() { rm $1; }; f $TOKEN`. `at`: where hidden variables stand. */
export function hiddenOperands(text: string, at: readonly number[]): ReadonlySet<string> {
  const takers = new Set(matchesOf(text, FUNCTION).map(([, name = '']) => name));
  if (/\bset\s/.test(text)) takers.add('set');
  if (!takers.size) return takers;
  const found = [...at, ...markersIn(text).map(({ start }) => start)].flatMap((index) => {
    const before = text.slice(Math.max(0, index - 600), index).replaceAll(/"[^"\n]*"|'[^'\n]*'/g, '_');
    const words = commandOf(before.replace(/["'][^"'\n]*$/, ''));
    if (!takers.has(words[0] ?? '')) return [];
    const isJoined = /\S$/.test(before) && !/["']$/.test(before);
    return [String(words.length - (words[1] === '--' ? 1 : 0) - (isJoined ? 1 : 0)), '@', '*'];
  });
  return new Set(found);
}
