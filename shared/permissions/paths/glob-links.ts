/** Finds the known links that a glob may lead through, and where they lead. */
import { foldText } from '../text/characters.ts';
import { canBe, type GlobSegment, isDeep, literalSegment } from './glob-strength.ts';
import { followLinks } from './links.ts';
import { type PathContext, type Segments, segmentsOf } from './normalise.ts';

/** A link of the stated view, or of the kernel. */
export interface KnownLink {
  readonly path: readonly GlobSegment[];
  readonly folded: Segments;
  /** Undefined for a loop, and for a target that is not a text. */
  readonly target: readonly GlobSegment[] | undefined;
}

const cache = new WeakMap<PathContext, readonly KnownLink[]>();

/** Remembered: following a link looks at all of them. */
export function knownLinks(context: PathContext): readonly KnownLink[] {
  let links = cache.get(context);
  if (links === undefined) {
    const stated = Object.keys(context.fs?.symlinks ?? {}).map((link) => {
      const path = segmentsOf(link.startsWith('/') ? link : `${context.cwd}/${link}`);
      return knownLink(path, followLinks(path, context));
    });
    links = [...stated, ...linksOfProcesses(context)];
    cache.set(context, links);
  }
  return links;
}

function knownLink(path: Segments, target: Segments | undefined): KnownLink {
  const folded = path.map(foldText);
  return { path: folded.map(literalSegment), folded, target: target?.map((name) => literalSegment(foldText(name))) };
}

/** Stands for any number of a process. */
const ANY = '*';

/** Links that every process has: to the folder in which it runs, to its root, and to its open files. */
const linksOfProcesses = ({ cwd }: PathContext): readonly KnownLink[] => [
  ...[[], ['task', ANY]].flatMap((task) => [
    knownLink(['proc', ANY, ...task, 'cwd'], segmentsOf(cwd)),
    knownLink(['proc', ANY, ...task, 'root'], []),
  ]),
  knownLink(['dev', 'fd'], ['proc', 'self', 'fd']),
];

/** After how many segments of the glob a link may have been met. `**` may hold the whole of its path, and go on behind it. */
function metAfter(glob: readonly GlobSegment[], { folded }: KnownLink): readonly number[] {
  for (const [at, name] of folded.entries()) {
    const segment = glob[at];
    if (segment === undefined) return [];
    if (isDeep(segment)) {
      const next = glob[at + 1];
      return next !== undefined && canBe(next, folded.at(-1) as string) ? [at, at + 2] : [at];
    }
    if (name !== ANY && !canBe(segment, name)) return [];
  }
  return [folded.length];
}

/** Where the links lead that these folders may be, each as a whole. */
export function targetsOf(folders: readonly GlobSegment[], links: readonly KnownLink[]): readonly GlobSegment[][] {
  return links.flatMap((link) =>
    metAfter(folders, link).flatMap((met) => {
      if (link.target === undefined || (met < folders.length && !isDeep(folders.at(-1)))) return [];
      const rest = folders.slice(met);
      return rest.every(isDeep) ? [[...link.target, ...rest]] : [];
    }),
  );
}

interface Behind {
  readonly segments: readonly GlobSegment[];
  /** Only a wildcard leads to the link. */
  readonly isGuess: boolean;
}

/** The segments behind each link that they may lead through: below the link, and below its target. */
export function behindLinks(segments: readonly GlobSegment[], links: readonly KnownLink[]): readonly Behind[] {
  return links.flatMap((link) =>
    metAfter(segments, link).flatMap((met) => {
      const rest = segments.slice(met);
      const isGuess = segments.slice(0, Math.min(met + 1, link.path.length)).some(({ text }) => text === undefined);
      return [link.path, link.target]
        .filter((path) => path !== undefined)
        .map((path) => ({ segments: [...path, ...rest], isGuess }));
    }),
  );
}
