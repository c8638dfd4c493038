/** Spells the words of rules and commands with one form of each path and address. */
import {
  behindProcLinks,
  fixedSegments,
  mayLeadByProc,
  segmentsOf,
  startsWithSegments,
} from '../../paths/normalise.ts';
import type { CommandSpec } from '../../rules/command-spec.ts';
import { onThisMachine, plainAddress, plainHost, type Wanting } from '../../text/plain-address.ts';

/** How the words of one command or rule are read. */
export interface Manner extends Wanting {
  /** Where relative paths start. */
  readonly dir: string;
  /** Paths within it are written without it. */
  readonly base: string;
  readonly home: string;
  readonly words: 'addresses' | 'hosts' | 'paths';
  /** Whether paths within it begin with `./`: the `*` of `./*` stands for those alone, and for no option or other path. */
  readonly marks: boolean;
}

/** An option of one letter with a path in the same word: `-C/data`. */
const ATTACHED = /^-[A-Za-z](?=[./~])/;
/** A path with more behind it: `/data:/data` of docker, `/a/bin:/bin`. */
const LISTED = /^([./~][^:]*)(:.*)$/s;

export function plainWord(word: string, isProgram: boolean, manner: Manner): string {
  if (isProgram) {
    if (!word.includes('/') || word.includes(':')) return word;
    const path = plainPath(word, manner);
    return /^\.?\//.test(path) ? path : `./${path}`;
  }
  if (word === '' || word.startsWith('-') || /^[a-z]+=/.test(word)) {
    const start = word.slice(0, word.indexOf('=') + 1) || (ATTACHED.exec(word)?.[0] ?? '');
    return start === '' ? word : start + plainWord(word.slice(start.length), false, manner);
  }
  const here = onThisMachine(word, manner, manner.words === 'addresses');
  if (here !== undefined) return here;
  const isHost = manner.words === 'hosts' && (!word.includes('://') || word.startsWith('ssh:'));
  if (isHost) return plainHost(word);
  return plainAddress(word, manner, manner.words === 'addresses') ?? plainPath(word, manner);
}

/** Whether the word may be a file only because nothing says that it is something else. */
export const isBare = (word: string): boolean => !/^[.~]|\//.test(word);

function plainPath(word: string, manner: Manner): string {
  const { dir, base, home, marks } = manner;
  if (isBare(word) && dir === base && !marks) return word;
  // A wildcard may stand for several folders, and a folder above is that of none of them.
  const star = word.indexOf('*');
  if (word.includes('://') || (star >= 0 && word.includes('..', star))) return word;
  const [, first, more = ''] = LISTED.exec(word) ?? [];
  if (first !== undefined) return plainPath(first, manner) + more;
  const isHome = word === '~' || word.startsWith('~/');
  const stated = isHome ? home + word.slice(1) : word.startsWith('/') ? word : `${dir}/${word}`;
  const segments = mayLeadByProc(stated, { cwd: dir })
    ? behindProcLinks(stated, { cwd: dir, home })
    : segmentsOf(stated);
  const root = fixedSegments(base);
  if (!startsWithSegments(segments, root)) return `/${segments.join('/')}`;
  return (marks ? './' : '') + (segments.slice(root.length).join('/') || '.');
}

const cache = new WeakMap<CommandSpec, Map<string, CommandSpec>>();
/** Folders for which a rule is remembered: a project and a few folders of its calls. */
const MAX_CACHED = 16;

/** The rule is remembered under this. */
export const mannerKey = ({ words, base, home }: Omit<Manner, 'marks'>): string => `${words}\n${base}\n${home}`;

/** The rule in that spelling, and the rule itself where it is the same. */
export function plainSpec(
  spec: CommandSpec,
  manner: Omit<Manner, 'marks'>,
  key: string,
): CommandSpec & { marks?: boolean } {
  const forms = cache.get(spec) ?? new Map<string, CommandSpec>();
  let form = forms.get(key);
  if (form === undefined) {
    form = spelled(spec, manner);
    if (forms.size >= MAX_CACHED) forms.clear();
    forms.set(key, form);
    cache.set(spec, forms);
  }
  return form;
}

function spelled(spec: CommandSpec, manner: Omit<Manner, 'marks'>): CommandSpec & { marks?: boolean } {
  const inManner = (marks: boolean) =>
    spec.words.map((word, at) =>
      marks && isBare(word.replace(/^-.*?=/, '')) ? word : plainWord(word, at === 0, { ...manner, marks }),
    );
  const plain = inManner(false);
  const marks = plain.some((word, at) => startsOpen(word) && !startsOpen(spec.words[at] as string));
  const words = marks ? inManner(true) : plain;
  if (words.every((word, at) => word === spec.words[at])) return marks ? { ...spec, marks } : spec;
  const text = words.join(' ') + (spec.form === 'wildcard' && spec.text.endsWith(':*') ? ':*' : '');
  return { ...spec, words, text, unquoted: text, ...(marks ? { marks } : {}) };
}

/** A word that begins with a wildcard, or a value that does. */
const startsOpen = (word: string): boolean => /^(?:[^*]*=)?\*/.test(word);
