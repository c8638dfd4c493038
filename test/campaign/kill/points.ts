/** Puts a point after each await of our sources, in bundles of the campaign only. */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Plugin } from 'esbuild';
import { parseAst } from 'rolldown/parseAst';
import { directSdkImports } from '../../../cdk/package/direct-sdk-imports.ts';
import { lazyImports } from '../../../cdk/package/lazy-imports.ts';
import { signedClients } from '../../../cdk/package/signed-clients.ts';
import { withoutUnusedParts } from '../../../cdk/package/unused-parts.ts';
import { ROOT } from '../../e2e/crash/bundle.ts';

/** Called at each point with its id and what was awaited, which it gives back. */
export const POINT = 'COUNTERSIGN_POINT';

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}
interface Insertion {
  readonly at: number;
  readonly text: string;
}

/** The file, and where in it the await stands. */
export function pointId(source: string, file: string, start: number): string {
  const lines = source.slice(0, start).split('\n');
  return `${file}:${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`;
}

/** The source with its points, and their ids. */
export function withPoints(source: string, file: string): { readonly code: string; readonly points: string[] } {
  const points: string[] = [];
  const before: Insertion[] = [];
  const after: Insertion[] = [];
  const pointAt = ({ start }: Node): string => {
    const id = pointId(source, file, start);
    points.push(id);
    return id;
  };
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) walk(one);
    if (!isNode(value)) return;
    const { body, await: isAwaiting } = value as { readonly body?: unknown; readonly await?: unknown };
    if (value.type === 'AwaitExpression') before.push({ at: value.start, text: `${POINT}("${pointAt(value)}",` });
    const loop = value.type === 'ForOfStatement' && isAwaiting === true && isNode(body) ? body : undefined;
    if (loop) before.push({ at: loop.start, text: `{${POINT}("${pointAt(value)}");` });
    for (const part of Object.values(value)) walk(part);
    if (value.type === 'AwaitExpression') after.push({ at: value.end, text: ')' });
    if (loop) after.push({ at: loop.end, text: '}' });
  };
  walk(parseAst(source, { lang: 'ts' }));
  return { code: inserted(source, [...after, ...before]), points };
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as { readonly type?: unknown }).type === 'string';

/** At one place, ends come before beginnings. */
function inserted(source: string, insertions: readonly Insertion[]): string {
  let code = '';
  let from = 0;
  for (const { at, text } of insertions.toSorted((one, other) => one.at - other.at)) {
    code += source.slice(from, at) + text;
    from = at;
  }
  return code + source.slice(from);
}

/** The plugins of deployed bundles, with points in our sources; `pointsOf` is filled with those of each source that is bundled. */
export const pointedPlugins = (pointsOf: Map<string, readonly string[]>): Plugin[] => [
  lazyImports,
  {
    name: signedClients.name,
    setup: (build) =>
      signedClients.setup({ ...build, initialOptions: { ...build.initialOptions, absWorkingDir: ROOT } }),
  },
  points(pointsOf),
  withoutUnusedParts,
  directSdkImports,
];

const points = (pointsOf: Map<string, readonly string[]>): Plugin => ({
  name: 'points',
  setup({ onLoad }) {
    onLoad({ filter: /\/(?:functions|shared)\/.*\.ts$/ }, ({ path }) => {
      const file = relative(ROOT, path);
      if (file.startsWith('..') || file.includes('node_modules')) return undefined;
      const made = withPoints(readFileSync(join(ROOT, file), 'utf8'), file);
      pointsOf.set(file, made.points);
      return { contents: made.code, loader: 'ts' };
    });
  },
});
