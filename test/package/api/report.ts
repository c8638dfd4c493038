/**
 * Writes what an entry exports as text, without comments.
 *
 * Each name has its signature, in alphabetical order.
 */
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { parseSync } from 'rolldown/utils';
import { dts } from 'rolldown-plugin-dts';
import { ENTRIES } from '../../../cdk/package/entries.ts';

/** The report of each entry by its name. `dist` holds the built declarations. */
export async function apiReports(dist: string): Promise<ReadonlyMap<string, string>> {
  const surfaces = await apiSurfaces(dist);
  return new Map([...surfaces].map(([name, surface]) => [name, reportOf(name, surface, surfaces)]));
}

/** The declarations of each entry by its name. */
export async function apiSurfaces(dist: string): Promise<ReadonlyMap<string, Surface>> {
  const surfaces = Object.keys(ENTRIES).map(
    async (name) => [name, surfaceOf(await wholeDeclarations(join(dist, `${name}.d.ts`)))] as const,
  );
  return new Map(await Promise.all(surfaces));
}

/** The declarations of an entry, each as text. */
export interface Surface {
  readonly imports: readonly string[];
  readonly exported: readonly string[];
  /** Types that exports name, and that the entry does not export itself. */
  readonly internal: readonly string[];
}

/** The declarations of one entry in one text, whichever chunks hold them. */
async function wholeDeclarations(file: string): Promise<string> {
  const bundle = await rolldown({
    input: file,
    external: (id) => !/^[./]/.test(id),
    plugins: dts({ dtsInput: true, generator: 'oxc', tsconfig: false }),
    checks: { bundlerTimings: false },
  });
  try {
    const { output } = await bundle.generate({ format: 'esm' });
    return output[0].code;
  } finally {
    await bundle.close();
  }
}

/** `declarations`: the text of a declaration file that imports packages only. */
export function surfaceOf(declarations: string): Surface {
  const { program, comments } = parseSync('entry.d.ts', declarations);
  const text = ({ start, end }: { readonly start: number; readonly end: number }): string => {
    const inside = comments.filter((comment) => comment.start >= start && comment.end <= end);
    const parts = inside.map((comment, index) => declarations.slice(inside[index - 1]?.end ?? start, comment.start));
    const last = declarations.slice(inside.at(-1)?.end ?? start, end);
    return [...parts, last]
      .join('')
      .replace(/^\s*\n/gm, '')
      .trim();
  };
  const imports: string[] = [];
  const exported: string[] = [];
  const internal: string[] = [];
  const renamed = new Map<string, string>();
  const found = new Set<string>();
  for (const statement of program.body) {
    if (statement.type === 'ImportDeclaration') imports.push(text(statement));
    else if (statement.type === 'ExportNamedDeclaration' && !statement.declaration)
      for (const { local, exported: as } of statement.specifiers) renamed.set(nameOf(local), nameOf(as));
    else if (statement.type === 'ExportNamedDeclaration') exported.push(text(statement));
    else if (statement.type !== 'ExpressionStatement') internal.push(text(statement));
  }
  for (const declaration of internal.splice(0)) {
    const declared = NAME.exec(declaration)?.[1] ?? '';
    const as = renamed.get(declared);
    if (as === undefined) internal.push(declaration);
    else exported.push(`export ${as === declared ? '' : `/* as ${as} */ `}${declaration}`);
    // A value and a type may share a name.
    found.add(declared);
  }
  for (const [declared, as] of renamed) if (!found.has(declared)) exported.push(`export { ${as} };`);
  return { imports, exported, internal };
}

/** Entries whose signatures are made of the words of other entries: each word has one entry to import it from. */
const BORROWING =
  /^(?:seeds\/|testing$|llm\/|claude-agent-sdk$|google-adk$|langchain$|mastra$|mcp$|openai-agents$|strands$|vercel-ai$)/;

/** Types in the signatures of an entry that a user cannot import from there, each as `entry: name`. */
export function unexportedTypes(surfaces: ReadonlyMap<string, Surface>): readonly string[] {
  const exportedBy = (surface: Surface) => new Set(surface.exported.map(nameIn));
  const anywhere = new Set([...surfaces.values()].flatMap((surface) => [...exportedBy(surface)]));
  return [...surfaces].flatMap(([name, surface]) => {
    const own = exportedBy(surface);
    const known = BORROWING.test(name) ? anywhere : own;
    const types = surface.internal.filter((declaration) => TYPE.test(declaration)).map(nameIn);
    return types.filter((type) => !known.has(type)).map((type) => `${name}: ${type}`);
  });
}

/** Names that two entries export with different declarations, each as `name: entries`. */
export function namesDeclaredTwice(surfaces: ReadonlyMap<string, Surface>): readonly string[] {
  const declarations = new Map<string, Map<string, string[]>>();
  for (const [entry, { exported }] of surfaces) {
    const texts = Map.groupBy(exported, nameIn);
    for (const [name, parts] of texts) {
      const text = parts.map(withoutExport).toSorted().join('\n');
      const known = declarations.get(name) ?? new Map<string, string[]>();
      declarations.set(name, known.set(text, [...(known.get(text) ?? []), entry]));
    }
  }
  return [...declarations]
    .filter(([, texts]) => texts.size > 1)
    .map(([name, texts]) => `${name}: ${[...texts.values()].flat().join(', ')}`);
}

const TYPE = /^(?:declare\s+)?(?:abstract\s+)?(?:class|enum|interface|type)\s/;

/** `all`: the surfaces of all entries. A type of another entry is named, and its signature is in that one's report. */
export function reportOf(
  name: string,
  { imports, exported, internal }: Surface,
  all: ReadonlyMap<string, Surface> = new Map(),
): string {
  const lenders = BORROWING.test(name) ? [...all].filter(([other]) => !BORROWING.test(other)) : [];
  const elsewhere = new Set([
    ...[...all.values()].flatMap((surface) => surface.exported.map(withoutExport)),
    ...lenders.flatMap(([, surface]) => surface.internal.map(withoutExport)),
  ]);
  const own = internal.filter((declaration) => !elsewhere.has(withoutExport(declaration)));
  const others = internal.filter((declaration) => elsewhere.has(withoutExport(declaration))).map(nameIn);
  const section = (title: string, lines: readonly string[]) =>
    lines.length ? [`// ${title}`, ...lines.toSorted(byName), ''] : [];
  return [
    `// What countersign/${name} exports. Written by \`npm run api\`.`,
    '',
    ...section('Packages', imports),
    ...section('Exports', exported),
    ...section('Named by exports, and exported nowhere', own),
    ...section(
      'In the reports of other entries',
      others.map((other) => `// ${other}`),
    ),
  ].join('\n');
}

const withoutExport = (declaration: string): string => declaration.replace(/^(?:export\s+)?(?:declare\s+)?/, '');

const NAME =
  /^(?:export\s+)?(?:\/\*.*?\*\/\s*)?(?:declare\s+)?(?:abstract\s+)?(?:class|const|enum|function|interface|let|namespace|type|var)\s+([\w$]+)/;

const nameIn = (declaration: string): string => NAME.exec(declaration)?.[1] ?? declaration;

const byName = (a: string, b: string): number => {
  const [first, second] = [nameIn(a), nameIn(b)];
  return first < second ? -1 : first > second ? 1 : a < b ? -1 : 1;
};

const nameOf = (name: { readonly type: string; readonly name?: string; readonly value?: unknown }): string =>
  name.name ?? String(name.value);
