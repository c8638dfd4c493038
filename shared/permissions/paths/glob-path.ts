/** Resolves a glob word as a path: its segments behind its folder, `..` and known links. */
import { foldText } from '../text/characters.ts';
import type { GlobToken } from '../text/glob.ts';
import { UNKNOWN } from '../text/unknown.ts';
import { behindLinks, type KnownLink, knownLinks, targetsOf } from './glob-links.ts';
import { withParents } from './glob-parents.ts';
import { ANY_FOLDERS, type GlobSegment, literalSegment, segmentOf } from './glob-strength.ts';
import { ANY_FILE } from './glob-word.ts';
import { expandStart, fixedSegments, type PathContext, type Segments } from './normalise.ts';

export type GlobTokens = readonly (readonly GlobToken[])[];

export interface GlobPath {
  readonly segments: readonly GlobSegment[];
  /** So many of them only say where the call works (its folder, project or home), and nothing of what it looks for. */
  readonly neutral: number;
  /** From this one on they stand in the project; infinite where they may lead elsewhere, or the project holds a home. */
  readonly inProject: number;
  /** A known link has been followed to which only a wildcard leads, or a wildcard has been read as `..`. */
  readonly isGuess: boolean;
  /** The glob has more readings than are followed: it may lead to any file, and a person decides. */
  readonly isAnywhere: boolean;
}

/** Further segments of a glob are not told apart, and a person decides. No project is so deep. */
const MAX_GLOB_SEGMENTS = 64;

const folders = new WeakMap<Segments, readonly GlobSegment[]>();

/** Remembered: the same folders come again with every word. */
function folderSegments(path: string): readonly GlobSegment[] {
  const key = fixedSegments(path);
  let segments = folders.get(key);
  if (segments === undefined) {
    segments = key.map((name) => literalSegment(foldText(name)));
    folders.set(key, segments);
  }
  return segments;
}

/** The folder that a word starts in, and how many of its own segments that has used up. */
function startOf(stated: string, context: PathContext): { base: readonly GlobSegment[]; used: number } {
  if (stated.startsWith('/')) return { base: [], used: 0 };
  if (stated.startsWith(UNKNOWN)) return { base: [ANY_FOLDERS], used: 0 };
  const head = stated.split('/', 1)[0] as string;
  const expanded = expandStart(head, context);
  return expanded === head || hasWildcard(head)
    ? { base: folderSegments(context.cwd), used: 0 }
    : { base: folderSegments(expanded), used: 1 };
}

const hasWildcard = (text: string): boolean => ['*', '?', '[', UNKNOWN].some((char) => text.includes(char));

const liesIn = (segments: readonly GlobSegment[], folder: readonly GlobSegment[]): boolean =>
  folder.every(({ text }, at) => segments[at]?.text === text);

function neutralOf(segments: readonly GlobSegment[], context: PathContext): number {
  let longest = 0;
  for (const folder of [context.cwd, context.projectRoot, context.home]) {
    const names = folderSegments(folder);
    if (names.length > longest && liesIn(segments, names)) longest = names.length;
  }
  return longest;
}

/** A folder of which nothing is known may be any, and one such as `.*` may be `.ssh`, about which people are asked. */
function inProject(segments: readonly GlobSegment[], context: PathContext, isUncertain: boolean): number {
  const root = folderSegments(context.projectRoot);
  const isCertain = !isUncertain && context.hasProjectRoot !== false;
  return isCertain && liesIn(segments, root) && !liesIn(folderSegments(context.home), root) ? root.length : Infinity;
}

/** The glob as a path in each of its readings. */
function readings(
  stated: string,
  glob: GlobTokens,
  links: readonly KnownLink[],
  context: PathContext,
): readonly GlobPath[] {
  const { base, used } = startOf(stated, context);
  const isUnknown = stated.includes(UNKNOWN);
  const below = glob.slice(used).map((tokens) => segmentOf(tokens, isUnknown));
  // A person decides about a longer one, whatever its links.
  const followed = glob.length > MAX_GLOB_SEGMENTS ? [] : links;
  return withParents(base, below, (folders) => targetsOf(folders, followed)).map(
    ({ segments, isGuess, isAnywhere }) => {
      if (segments.length > MAX_GLOB_SEGMENTS) segments.splice(MAX_GLOB_SEGMENTS, segments.length, ANY_FOLDERS);
      return {
        segments,
        neutral: neutralOf(segments, context),
        // `xargs` and `find` put a folder in the place of `{}`.
        inProject: inProject(segments, context, isUnknown || isGuess || stated.includes('{}')),
        isGuess,
        isAnywhere,
      };
    },
  );
}

/**
 * The glob as a path, and what it becomes behind each link of the stated view that it may lead through.
 * @param stated the word's text, with `UNKNOWN` for unknown parts
 * @param tokens its segments, folded
 */
export function globPaths(stated: string, tokens: GlobTokens, context: PathContext): readonly GlobPath[] {
  const known = read.get(tokens);
  if (known?.context === context) return known.paths;
  const paths = readGlob(stated, tokens, context);
  read.set(tokens, { context, paths });
  return paths;
}

/** Whether the glob is too long, or may be read in too many ways, to tell which files it names. */
export const mayBeAny = (stated: string, tokens: GlobTokens, context: PathContext): boolean =>
  tokens === ANY_FILE ||
  tokens.length > MAX_GLOB_SEGMENTS ||
  globPaths(stated, tokens, context).some(({ isAnywhere }) => isAnywhere);

/** Remembered for the last context: several stages look at the words of a call. */
const read = new WeakMap<GlobTokens, { readonly context: PathContext; readonly paths: readonly GlobPath[] }>();

function readGlob(stated: string, tokens: GlobTokens, context: PathContext): readonly GlobPath[] {
  const links = knownLinks(context);
  return readings(stated, tokens, links, context).flatMap((glob) => [
    glob,
    ...behindLinks(glob.segments, links).map(({ segments, isGuess }) => ({
      segments,
      neutral: neutralOf(segments, context),
      inProject: Infinity,
      isGuess: glob.isGuess || isGuess,
      isAnywhere: glob.isAnywhere,
    })),
  ]);
}
