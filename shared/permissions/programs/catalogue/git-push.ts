/** Says which branches `git push` changes, under every name that it may give them. */
import type { Field } from '../../shell/syntax/fields.ts';
import { UNKNOWN } from '../../text/unknown.ts';
import type { CommandRecord, Reach } from '../record/record.ts';

/** `HEAD:main`, `+main`, `:main` and `refs/heads/main` all change `main`. The first word may be the value of an option. */
function pushedBranches(operands: readonly string[], options: readonly string[]): readonly (readonly string[])[] {
  const mirrors = options.some((name) => isOption(name, '--mirror')) && !options.includes('--delete');
  return [
    ...(mirrors ? [[...operands, '--force', '--delete']] : []),
    ...[0, 1].flatMap((at) =>
      operands.slice(at + 1).map((ref) => [operands[at] as string, branchOf(ref), ...doneTo(ref)]),
    ),
  ];
}

/** Each branch with both sides of its refspec, in short names: `main` is `main:main`, and `--delete main` is `:main`. */
function refspecs(words: readonly string[]): readonly (readonly string[])[] {
  const operands = words.filter((word) => !word.startsWith('-'));
  const options = words.filter((word) => word.startsWith('-'));
  const deletes = options.some((name) => isOption(name, '--delete') || /^-[a-zA-Z46]*d/.test(name));
  const spelled = (ref: string): string => {
    const colon = ref.lastIndexOf(':');
    const source = deletes ? '' : branchOf(colon < 0 ? ref : ref.slice(0, colon));
    return `${source}:${branchOf(ref)}`;
  };
  const [remote = '', ...refs] = operands;
  if (refs.length === 0) return [];
  // The first word may be the value of an option.
  return [
    [remote, ...refs.map(spelled), ...options],
    ...[0, 1].flatMap((at) => operands.slice(at + 1).map((ref) => [operands[at] as string, spelled(ref), ...options])),
  ];
}

function doneTo(ref: string): readonly string[] {
  if (ref.startsWith('+')) return ['--force'];
  return ref.startsWith(':') && ref.length > 1 ? ['--delete'] : [];
}

const branchOf = (ref: string): string =>
  ref
    .slice(ref.lastIndexOf(':') + 1)
    .replace(/^\+/, '')
    .replace(/^(?:refs\/)?heads\//, '');

/** git takes the beginning of an option for it. */
const isOption = (text: string, name: string): boolean => text.length > '--x'.length && name.startsWith(text);

/** Whether the next word is the option's value. */
const takesNext = (text: string): boolean =>
  /^(?:-[a-zA-Z46]*o|--push-option|--repo|--receive-pack|--exec)$/.test(text);

/** Without a refspec, with `--all` or for a pattern it pushes branches that the command does not name. */
function pushReach(words: readonly Field[]): Reach | undefined {
  const options: string[] = [];
  const operands: Field[] = [];
  for (let at = 0; at < words.length; at++) {
    const field = words[at] as Field;
    if (!field.text.startsWith('-')) operands.push(field);
    else {
      options.push(field.text);
      if (takesNext(field.text)) at += 1;
    }
  }
  const [remote, ...refs] = operands;
  const all = options.some((text) => ['--all', '--branches', '--mirror'].some((name) => isOption(text, name)));
  // Such a push is of the tags alone, or of what its refspecs name.
  const others = options.some((text) => ['--tags', '--delete'].some((name) => isOption(text, name)) || text === '-d');
  const patterns = refs.flatMap(patternOf);
  // An address may be that of any remote with a name.
  const isAddress = /[:/]|^\.+$/.test(remote?.text ?? '');
  if (isAddress) patterns.push(...refs.map(({ text }) => branchOf(text)));
  if (all || (refs.length === 0 && !others)) patterns.push('*');
  if (patterns.length === 0) return undefined;
  return { operands: remote === undefined || isAddress ? [] : [remote.text], patterns };
}

/** Branches that a refspec may change besides the one that it names. */
function patternOf({ text, atoms }: Field): readonly string[] {
  const ref = text.replace(/^\+/, '');
  if (ref === ':' || ref === 'HEAD' || ref === '@') return ['*'];
  const isOpen = atoms.some((atom) => atom.kind === 'var' || (atom.kind === 'opaque' && atom.isOneWord !== true));
  // An unknown part may hold the colon.
  const start = isOpen && !ref.includes(':') ? ref.lastIndexOf(UNKNOWN) : 0;
  const pattern = branchOf(ref.slice(start).replaceAll(UNKNOWN, '*'));
  if (!pattern.includes('*')) return [];
  return ['refs/heads/'.startsWith(pattern.slice(0, pattern.indexOf('*'))) ? '*' : pattern];
}

export const PUSH: CommandRecord = { means: pushedBranches, spellings: refspecs, reaches: pushReach };
