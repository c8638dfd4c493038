/** Follows `..`, and globs that may be `..`, to every folder that they may lead to. */
import { ANY_FOLDERS, type GlobSegment, isDeep, mayBeParent } from './glob-strength.ts';

interface Reading {
  /** Shared with no other reading, as it grows by each segment. */
  readonly segments: GlobSegment[];
  /** A wildcard has been read as `..`, or a link has been followed before one. */
  readonly isGuess: boolean;
  /** One of more readings than are followed: it may lead to any file. */
  readonly isAnywhere: boolean;
}

/** More readings than these are any folders. */
const MAX_READINGS = 16;

/** Where folders lead that are a link. */
type Targets = (folders: readonly GlobSegment[]) => readonly GlobSegment[][];

/** `base` and the segments below it, without `..`, in each of its readings. */
export function withParents(
  base: readonly GlobSegment[],
  below: readonly GlobSegment[],
  targetsOf: Targets,
): readonly Reading[] {
  let found: readonly Reading[] = [{ segments: [...base], isGuess: false, isAnywhere: false }];
  for (const segment of below) {
    found = found.flatMap((before) => behind(before, segment, targetsOf));
    if (found.length > MAX_READINGS) found = [{ segments: [ANY_FOLDERS], isGuess: true, isAnywhere: true }];
  }
  return found;
}

function behind(reading: Reading, next: GlobSegment, targetsOf: Targets): readonly Reading[] {
  const { segments } = reading;
  const isParent = next.text === '..';
  if (!isParent && !mayBeParent(next)) {
    segments.push(next);
    return [reading];
  }
  // A shell takes the folder above the link's target, and not above the link.
  const guesses = targetsOf(segments).flatMap(above);
  const others = guesses.map((each) => ({ ...reading, segments: each, isGuess: true }));
  if (!isParent) {
    others.push(...above(segments).map((each) => ({ ...reading, segments: each, isGuess: true })));
    segments.push(next);
    return [reading, ...others];
  }
  if (isDeep(segments.at(-1))) return [...above(segments).map((each) => ({ ...reading, segments: each })), ...others];
  // In place: a copy for each of many `..` would take seconds.
  segments.pop();
  return [reading, ...others];
}

/** Goes up by `..`: a `**` may stand for folders of which the last is left, or for none of them. One more than are read is enough. */
function above(segments: readonly GlobSegment[]): readonly GlobSegment[][] {
  const found: GlobSegment[][] = [];
  for (let end = segments.length; found.length <= MAX_READINGS; end -= 1) {
    const last = segments[end - 1];
    if (!isDeep(last)) return [...found, segments.slice(0, Math.max(0, end - 1))];
    found.push(segments.slice(0, end));
    if (last === ANY_FOLDERS) break;
  }
  return found;
}
