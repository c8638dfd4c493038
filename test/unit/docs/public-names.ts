/** Lists the names that the public entries export, with the file and the comment of each declaration. */
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { ENTRIES } from '../../../cdk/package/entries.ts';
import { type Block, ROOT } from './documents.ts';

interface PublicName {
  readonly entry: string;
  readonly name: string;
  readonly file: string;
  readonly isType: boolean;
}

const RE_EXPORT = /^export (type )?(\{[^}]*\}|\*) from '([^']+)';/gm;
/** Exports of names that the file imports too. */
const EXPORT_OF_IMPORTED = /^export (type )?\{([^}]*)\};/gm;
const IMPORT = /^import (?:type )?\{([^}]*)\} from '(\.[^']+)';/gm;
const DECLARATION = /^export (?:abstract )?(?:async )?(type|interface|const|function|class) (\w+)/gm;

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** Names that a file exports, by the file that declares them. */
function namesOf(file: string): ReadonlyMap<string, { readonly file: string; readonly isType: boolean }> {
  const text = read(file);
  const names = new Map<string, { file: string; isType: boolean }>();
  for (const [, kind = '', name = ''] of text.matchAll(DECLARATION)) {
    const isType = kind === 'type' || kind === 'interface';
    names.set(name, { file, isType: isType && (names.get(name)?.isType ?? true) });
  }
  const add = (listed: readonly string[], from: string, areTypes: boolean) => {
    const inner = namesOf(posix.join(posix.dirname(file), from));
    for (const name of listed.length ? listed : inner.keys()) {
      const found = inner.get(name);
      if (found) names.set(name, { ...found, isType: found.isType || areTypes });
    }
  };
  for (const [, onlyTypes, what = '', from = ''] of text.matchAll(RE_EXPORT))
    add(what === '*' ? [] : listedIn(what.slice(1, -1)), from, onlyTypes !== undefined);
  const imports = [...text.matchAll(IMPORT)].flatMap(([, what = '', from = '']) =>
    listedIn(what).map((name) => [name, from] as const),
  );
  const importedFrom = new Map(imports);
  for (const [, onlyTypes, what = ''] of text.matchAll(EXPORT_OF_IMPORTED))
    for (const name of listedIn(what)) {
      const from = importedFrom.get(name);
      if (from !== undefined) add([name], from, onlyTypes !== undefined);
    }
  return names;
}

const listedIn = (braces: string): readonly string[] =>
  braces.split(',').flatMap((item) => item.trim().replace(/^type /, '') || []);

export const publicNames = (): readonly PublicName[] =>
  Object.entries(ENTRIES).flatMap(([entry, source]) =>
    [...namesOf(source)].map(([name, declared]) => ({ entry: `countersign/${entry}`, name, ...declared })),
  );

/** The comments that stand directly before declarations of the name. */
export function commentsOf({ file, name }: PublicName): readonly string[] {
  const declaration = new RegExp(
    `^export (?:abstract )?(?:async )?(?:type|interface|const|function|class) ${name}\\b`,
    'gm',
  );
  const text = read(file);
  return [...text.matchAll(declaration)].flatMap(({ index }) => {
    const before = text.slice(0, index);
    return before.endsWith('*/\n') ? [before.slice(before.lastIndexOf('/**'))] : [];
  });
}

/** Declarations of values that examples use and do not make. */
const GIVEN = {
  refund: 'declare const refund: (input: { orderId: string; amount: number }) => Promise<unknown>;',
  stack: "declare const stack: import('aws-cdk-lib').Stack;",
  billing: "declare const billing: import('aws-cdk-lib/aws-lambda').Function;",
  space: "declare const space: import('countersign/policies').ActionSpace;",
  snapshot: "declare const snapshot: import('countersign/policies').AgentSnapshot;",
  policy: 'declare const policy: string;',
  readFileSync: "import { readFileSync } from 'node:fs';",
  model: "declare const model: import('countersign/policies').LlmClient;",
  channel: "declare const channel: import('countersign/policies').ApprovalChannel;",
  store: "declare const store: Parameters<typeof import('countersign/task-agent').toolsOfStore>[0];",
  context: "declare const context: import('countersign/task-agent').DecisionContext;",
} as const;

const ADAPTERS = 'shared/client/integrations/';

/** The `@example` blocks of the files that declare public names, each with the imports that it needs. */
export function exampleBlocks(): readonly Block[] {
  const names = publicNames();
  const files = new Set([...names.map(({ file }) => file), 'shared/client/client.ts', 'cdk/constructs/gate-base.ts']);
  // Examples of adapters import frameworks that are not installed here: the tests of the integrations compile them.
  return [...files].filter((file) => !file.startsWith(ADAPTERS)).flatMap((file) => blocksIn(file, names));
}

/** The examples of the adapters by the file's name without its ending. Each one imports its framework itself. */
export function adapterBlocks(): ReadonlyMap<string, readonly Block[]> {
  const names = publicNames();
  const files = new Set(names.map(({ file }) => file).filter((file) => file.startsWith(ADAPTERS)));
  return new Map([...files].map((file) => [posix.basename(file, '.ts'), blocksIn(file, names)]));
}

function blocksIn(file: string, names: readonly PublicName[]): readonly Block[] {
  const own = names.find((one) => one.file === file)?.entry;
  return [...read(file).matchAll(/\/\*\*(?:(?!\*\/)[\s\S])*\*\//g)].flatMap(({ 0: comment, index }) => {
    const [, example] = comment.split('@example');
    if (example === undefined) return [];
    const code = (example.split(/\n\s*\* @/)[0] ?? '').replace(/\*\/$/, '').replace(/^\s*\* ?/gm, '');
    const imported = new Set(
      [...code.matchAll(/^import (.*) from/gm)].flatMap(([, what]) => what?.match(/\w+/g) ?? []),
    );
    const words = new Set(code.match(/\b\w+\b/g)?.filter((word) => !imported.has(word)));
    const used = names.filter(({ name }) => words.has(name));
    const once = used.filter(
      (one) =>
        one.entry === own || !used.some((other) => other !== one && other.name === one.name && other.entry === own),
    );
    const first = once.filter((one, at) => once.findIndex(({ name }) => name === one.name) === at);
    const given = Object.entries(GIVEN).filter(([name]) => words.has(name) && !code.includes(`const ${name} =`));
    const text = [
      ...first.map(({ name, entry, isType }) => `import { ${isType ? 'type ' : ''}${name} } from '${entry}';`),
      ...(words.has('z') ? ["import * as z from 'zod';"] : []),
      ...given.map(([, declared]) => declared),
      code,
    ].join('\n');
    return [{ file, line: read(file).slice(0, index).split('\n').length, language: 'ts', words: [], text }];
  });
}
