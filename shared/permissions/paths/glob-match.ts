/** Tells whether a glob names what a pattern names: certainly, possibly, or not in particular. */
import { foldText } from '../text/characters.ts';
import type { GlobToken } from '../text/glob.ts';
import type { GlobPath } from './glob-path.ts';
import {
  type GlobSegment,
  type NameShape,
  type Strength,
  saysFirstWord,
  shapeOf,
  spellsSomething,
  strengthOf,
} from './glob-strength.ts';
import type { PathContext } from './normalise.ts';
import { baseOf, type PathPattern, type PatternSegment } from './pattern.ts';

export type GlobMatch = 'certain' | 'possible';

/** The weakest pair of a glob's segment and a pattern's name so far: a bare `**` of a program, a bare `*`, a letter, the name; none yet. */
type Weakest = 0 | 1 | 2 | 3 | 4;
const UNSET: Weakest = 4;
/** The strongest pair so far: nothing, a letter, the name, the name with its dot. */
type Strongest = 0 | 1 | 2 | 3;

const WEAKEST: Readonly<Record<Exclude<Strength, 'none' | 'any'>, Weakest>> = { bare: 1, some: 2, named: 3, dotted: 3 };
const STRONGEST: Readonly<Record<Exclude<Strength, 'none' | 'any'>, Strongest>> = {
  bare: 0,
  some: 1,
  named: 2,
  dotted: 3,
};

const stateOf = (weakest: number, strongest: number): number => weakest * 4 + strongest;
const START = stateOf(UNSET, 0);

/** After one more pair. */
function after(state: number, strength: Exclude<Strength, 'none'>, segment: GlobSegment): number {
  if (strength === 'any') return state;
  const weakest = strength === 'bare' && segment.deep === 'program' ? 0 : WEAKEST[strength];
  return stateOf(Math.min(Math.floor(state / 4), weakest), Math.max(state % 4, STRONGEST[strength]));
}

/** After one more pair, of each state in the bits. */
function allAfter(bits: number, strength: Exclude<Strength, 'none'>, segment: GlobSegment): number {
  let made = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1)
    made |= 1 << after(31 - Math.clz32(rest & -rest), strength, segment);
  return made;
}

/** `isFollowed`: a bare `*` stands where the folder would, and names below it follow. */
function verdictOf(state: number, isFollowed: boolean): GlobMatch | undefined {
  const weakest = Math.floor(state / 4);
  const strongest = state % 4;
  // `.aws/c*`: a name with its dot is enough, where each of the others has a letter.
  if (weakest >= 3 || (weakest === 2 && strongest === 3)) return 'certain';
  if (strongest > 0) return 'possible';
  return weakest === 1 && isFollowed ? 'possible' : undefined;
}

const better = (a: GlobMatch | undefined, b: GlobMatch | undefined): GlobMatch | undefined =>
  a === 'certain' || b === undefined ? a : b;

/** One name of a pattern, or any folders. */
type WantedSegment = NameShape | 'deep';

/** The part of a pattern that a glob has to name. */
interface Wanted {
  readonly segments: readonly WantedSegment[];
  /** The first of them that somebody has written; those before it are the folder that it stands in. */
  readonly own: number;
  /** A folder, as far as the pattern tells. */
  readonly isFolder: boolean;
  /** A folder of the call says nothing of its own, as a rule is written for the project; a protected name may begin in one. */
  readonly hasPlace: boolean;
  /** A program's `*` may be a name such as `.secrets`, and counts as one. */
  readonly starsHide: boolean;
}

/** `reached[at]`: bits of the states in which so many segments of the glob are used up. */
type Reached = readonly number[];

/** `**` of the pattern takes any number of segments. */
function spread(from: Reached): number[] {
  const next: number[] = [];
  let bits = 0;
  for (const each of from) {
    bits |= each;
    next.push(bits);
  }
  return next;
}

/** A name takes one segment; what `**` of the glob stands for may hold several names, or none. */
function takeName(from: Reached, shape: NameShape, isOwn: boolean, wanted: Wanted, glob: GlobPath): number[] {
  const next = new Array<number>(from.length).fill(0);
  // A segment that stands for any folders is passed over, too.
  let over = 0;
  for (let at = 0; at < glob.segments.length; at++) {
    const segment = glob.segments[at] as GlobSegment;
    const bits = (from[at] as number) | over;
    over = segment.deep === 'no' ? 0 : bits;
    if (bits === 0) continue;
    const strength = strengthOf(segment, shape);
    if (strength === 'none' || (strength === 'bare' && shape.dotted && !wanted.starsHide)) continue;
    const isLocation = segment.text !== undefined && (!isOwn || (wanted.hasPlace && at < glob.neutral));
    const to = segment.deep === 'no' ? at + 1 : at;
    next[to] = (next[to] as number) | (isLocation ? bits : allAfter(bits, strength, segment));
  }
  return next;
}

const NOWHERE: Reached = [];

function align(wanted: Wanted, glob: GlobPath): Reached {
  let reached: Reached = new Array<number>(glob.segments.length + 1).fill(0).fill(1 << START, 0, 1);
  for (let index = 0; index < wanted.segments.length; index++) {
    const name = wanted.segments[index] as WantedSegment;
    reached = name === 'deep' ? spread(reached) : takeName(reached, name, index >= wanted.own, wanted, glob);
    if (reached.every((bits) => bits === 0)) return NOWHERE;
  }
  return reached;
}

/** Reads the result from the states; with `isFollowed`, names of files follow the segment. */
function best(reached: Reached, isFollowed: (at: number) => boolean): GlobMatch | undefined {
  let found: GlobMatch | undefined;
  for (let at = 0; at < reached.length && found !== 'certain'; at++) {
    for (let rest = reached[at] as number; rest !== 0; rest &= rest - 1)
      found = better(found, verdictOf(31 - Math.clz32(rest & -rest), isFollowed(at)));
  }
  return found;
}

/** Protected names, each one or more segments long, that may stand at any depth. */
export class GlobNames {
  readonly #byStart = new Map<string, GlobName[]>();
  /** Names that begin with a wildcard. */
  readonly #open: GlobName[] = [];

  constructor(names: readonly ProtectedName[]) {
    for (const { pattern, segments, writesOnly, rooted, firstWord } of names) {
      const shapes = segments.map(shapeOf);
      const shape = shapes[0] as NameShape;
      const [first] = segments[0] ?? [];
      const wanted: Wanted = {
        segments: rooted ? shapes : ['deep', ...shapes],
        own: 0,
        isFolder: false,
        hasPlace: false,
        starsHide: false,
      };
      const name = {
        pattern,
        first: shape,
        end: endOf(segments[0] ?? []),
        wanted: shapes.length > 1 || rooted ? wanted : undefined,
        others: firstWord
          ? { ...shape, weights: shape.weights.map((weight, at) => (at < firstWord ? 0 : weight)) }
          : undefined,
        writesOnly,
      };
      if (first?.kind !== 'char') this.#open.push(name);
      else this.#byStart.set(first.char, [...(this.#byStart.get(first.char) ?? []), name]);
    }
  }

  /** The pattern of the name that the glob says, or else of one that it may match. */
  match(glob: GlobPath, access: 'read' | 'write'): { readonly pattern: string; readonly match: GlobMatch } | undefined {
    let possible: string | undefined;
    for (const [at, segment] of glob.segments.entries()) {
      const end = endOf(segment.tokens);
      for (const names of this.#candidates(segment)) {
        for (const name of names) {
          if (name.writesOnly && access === 'read') continue;
          // The usual case: they end in different characters.
          if (end !== undefined && name.end !== undefined && end !== name.end) continue;
          const match = matchName(name, segment, at, glob);
          if (match === 'certain') return { pattern: name.pattern, match };
          if (match === 'possible') possible ??= name.pattern;
        }
      }
    }
    return possible === undefined ? undefined : { pattern: possible, match: 'possible' };
  }

  #candidates(segment: GlobSegment): readonly (readonly GlobName[])[] {
    const [first] = segment.tokens;
    if (first?.kind === 'char') return [this.#open, this.#byStart.get(first.char) ?? []];
    const found: (readonly GlobName[])[] = [this.#open];
    for (const [start, names] of this.#byStart) if (start !== '.' || segment.mayHide) found.push(names);
    return found;
  }
}

const endOf = (tokens: readonly GlobToken[]): string | undefined => {
  const last = tokens.at(-1);
  return last?.kind === 'char' ? last.char : undefined;
};

/** A protected name: its pattern, and per segment its folded tokens. */
interface ProtectedName {
  readonly pattern: string;
  readonly segments: readonly (readonly GlobToken[])[];
  /** The file may be read. */
  readonly writesOnly: boolean;
  /** The pattern begins at the root of the file system. */
  readonly rooted: boolean;
  /** So many of its first letters are a word that other files begin with, too. */
  readonly firstWord: number;
}

interface GlobName {
  readonly pattern: string;
  readonly writesOnly: boolean;
  readonly first: NameShape;
  /** The last character of its first segment, where that is certain. */
  readonly end: string | undefined;
  /** For a name of several segments. */
  readonly wanted: Wanted | undefined;
  /** The shape in which the first word weighs nothing, where the name has such a word. */
  readonly others: NameShape | undefined;
}

function matchName(name: GlobName, segment: GlobSegment, at: number, glob: GlobPath): GlobMatch | undefined {
  const strength = strengthOf(segment, name.first);
  if (strength === 'none' || (strength === 'bare' && name.first.dotted)) return undefined;
  if (name.wanted !== undefined) return best(align(name.wanted, glob), () => false);
  const match = verdictOf(after(START, strength, segment), false);
  const { inProject } = glob;
  if (!match || !name.others || at < inProject || !saysFirstWord(segment, name.others)) return match;
  // `auth*` may be that file at the root of the project; `src/auth*` and `**/auth*` mean others.
  return at > inProject ? undefined : 'possible';
}

function isStar(segment: PatternSegment | undefined): boolean {
  return segment?.kind === 'name' && segment.folded.tokens.length === 1 && segment.folded.tokens[0]?.kind === 'run';
}

function hasExtension(segment: PatternSegment | undefined): boolean {
  if (segment?.kind !== 'name') return false;
  return segment.folded.tokens.some((token, at) => at > 0 && token.kind === 'char' && token.char === '.');
}

/** Without what a folder's name says already: `secrets/**` and `secrets/*` are `secrets`, and all that is in it. */
function trimmed(segments: readonly PatternSegment[]): readonly PatternSegment[] {
  let end = segments.length;
  while (end > 1 && (segments[end - 1]?.kind === 'deep' || isStar(segments[end - 1]))) end--;
  return segments.slice(0, end);
}

/** `..` stands at a pattern's beginning only, where its base takes it. */
const wantedSegment = (segment: PatternSegment): WantedSegment =>
  segment.kind === 'name' ? shapeOf(segment.folded.tokens) : 'deep';

const standsAnywhere = ({ anchor, segments }: PathPattern): boolean =>
  anchor === 'relative' && segments[0]?.kind !== 'up';

/** The folder of the call that the pattern begins in; '' where what it says depends on none. */
function startOf(pattern: PathPattern, { cwd, projectRoot, home }: PathContext): string {
  if (pattern.anchor === 'root' || standsAnywhere(pattern)) return '';
  return pattern.anchor === 'home' ? home : pattern.anchor === 'project' ? projectRoot : cwd;
}

function readPattern(pattern: PathPattern, context: PathContext): Wanted {
  const isRelative = standsAnywhere(pattern);
  const { base, rest } = isRelative ? { base: [], rest: pattern.segments } : baseOf(pattern, context);
  const names = trimmed(rest);
  const folder = isRelative
    ? (['deep'] as const)
    : base.map((name) => shapeOf(Array.from(foldText(name), (char) => ({ kind: 'char', char }) as const)));
  return {
    segments: [...folder, ...names.map(wantedSegment)],
    own: folder.length,
    isFolder: pattern.below || names.length < rest.length || !hasExtension(names.at(-1)),
    hasPlace: true,
    starsHide: true,
  };
}

const read = new WeakMap<PathPattern, { readonly start: string; readonly wanted: Wanted }>();

/** Remembered for the last folder: a rule is compared with every glob of every call. */
function wantedOf(pattern: PathPattern, context: PathContext): Wanted {
  const start = startOf(pattern, context);
  const known = read.get(pattern);
  if (known?.start === start) return known.wanted;
  const wanted = readPattern(pattern, context);
  read.set(pattern, { start, wanted });
  return wanted;
}

/** Whether each name of the pattern has a segment that may be it; without that, nothing matches. */
export const canReach = (pattern: PathPattern, glob: GlobPath, context: PathContext): boolean =>
  align(wantedOf(pattern, context), glob) !== NOWHERE;

/** Whether a rule's pattern, or one that a deployment protects, is named: a folder takes all that is below it. */
export function matchPattern(pattern: PathPattern, glob: GlobPath, context: PathContext): GlobMatch | undefined {
  const wanted = wantedOf(pattern, context);
  const reached = align(wanted, glob);
  // The usual case: no segment of the glob can be one of the pattern's names.
  if (reached === NOWHERE) return undefined;
  const last = glob.segments.findLastIndex((segment, at) => at >= glob.neutral && spellsSomething(segment));
  return best(reached, (at) => wanted.isFolder && at <= last);
}
