/** Leaves out of a bundle those parts of packages that it never runs, which esbuild by itself keeps. */
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Metafile, OnLoadResult, Plugin, PluginBuild } from 'esbuild';

/** Files of the AWS SDK and of our client, and what they import from its common parts: each of these is a list of other modules. */
const SDK_FILES =
  /[\\/](?:node_modules[\\/]@(?:aws-sdk|smithy)[\\/].*[\\/]dist-es[\\/].*\.js|aws[\\/]signed[\\/][\w-]+\.ts)$/;
const SDK_IMPORT = /^import \{([^{}]+)\} from ["'](@(?:aws-sdk|smithy)\/core\/[\w-]+)["'];$/gm;
const SDK_REEXPORT = /^export \{([^{}]+)\} from "(@(?:aws-sdk|smithy)\/core\/[\w-]+)";$/gm;
/** A line of a list that exports names of another module, or imports them to export them under the same name. */
const SDK_EXPORT = /^(?:export|import) \{([^{}]+)\} from "([^"]+)";$/gm;

/** The module that has a name, and its name there. */
interface Home {
  readonly file: string;
  readonly name: string;
}
type Homes = ReadonlyMap<string, Home>;

/**
 * Imports each name from the module that has it. With split bundles esbuild takes every module of such a list into the chunk that is loaded
 * first, if a later chunk needs it: the protocols of S3 into each function that talks to DynamoDB.
 */
export const directSdkImports: Plugin = {
  name: 'direct-sdk-imports',
  setup(build) {
    const lists = new Map<string, Promise<Homes>>();
    build.onLoad({ filter: SDK_FILES }, async ({ path }): Promise<OnLoadResult> => {
      const text = await readFile(path, 'utf8');
      const folder = dirname(path);
      let changed = text;
      for (const [verb, pattern] of [['import', SDK_IMPORT] as const, ['export', SDK_REEXPORT] as const])
        for (const [statement, names = '', list = ''] of text.matchAll(pattern)) {
          const file = await resolved(build, list, folder);
          const found = lists.get(file) ?? homesOf(build, file);
          lists.set(file, found);
          const homes = await found;
          const direct = wordsOf(names).map((word) => directly(verb, word, homes, list));
          changed = changed.replace(statement, () => direct.join(''));
        }
      return { contents: changed, loader: path.endsWith('.ts') ? 'ts' : 'js' };
    });
  },
};

function directly(verb: 'import' | 'export', word: string, homes: Homes, list: string): string {
  const [imported = word, local] = partsOf(word);
  const home = homes.get(imported) ?? { file: list, name: imported };
  return `${verb} { ${home.name} as ${local} } from ${JSON.stringify(home.file)};`;
}

/** The home of each name that a list exports. */
async function homesOf(build: PluginBuild, list: string): Promise<Homes> {
  const text = await readFile(list, 'utf8');
  const homes = new Map<string, Home>();
  for (const [, names = '', from = ''] of text.matchAll(SDK_EXPORT)) {
    if (from.startsWith('node:')) continue;
    const file = await resolved(build, from, dirname(list));
    for (const word of wordsOf(names)) {
      const [name, exported] = partsOf(word);
      homes.set(exported, { file, name });
    }
  }
  return homes;
}

/** Of `name as other`: its name in the module, and the one here. */
function partsOf(word: string): readonly [string, string] {
  const [name = word, other] = word.split(' as ');
  return [name, other ?? name];
}

async function resolved(build: PluginBuild, specifier: string, resolveDir: string): Promise<string> {
  const { path, errors } = await build.resolve(specifier, { kind: 'import-statement', resolveDir });
  if (errors[0]) throw new Error(errors[0].text);
  return path;
}

const wordsOf = (names: string): readonly string[] =>
  names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

const SCHEMA_FILES = /[\\/]zod[\\/]v4[\\/]core[\\/](?:to-json-schema|json-schema-processors)\.js$/;
const SCHEMA_EXPORT = /^export (?:const|function) (\w+)/gm;
const WRITER = 'toJSONSchema';
/** The schemas of this module are written while the bundle is made. */
const TOOL_SCHEMAS = /[\\/]task-agent[\\/]tool-input-schemas\.ts$/;
const ABSENT = 'absent-json-schemas';
/** Our own modules, of which some have schemas. */
const OWN = /[\\/](?:shared|functions)[\\/].*\.ts$/;
/** A text without a value in it. */
const TEXT = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\$]|\\.)*`/.source;
const DESCRIPTION = new RegExp(`\\.describe\\(\\s*(?:${TEXT})(?:\\s*\\+\\s*(?:${TEXT}))*\\s*,?\\s*\\)`, 'g');

/** The text of a module without the descriptions of its schemas, line by line where it was: each is a text and a schema of its own. */
export const withoutDescriptions = (text: string): string =>
  text.replace(DESCRIPTION, (call) => '\n'.repeat(call.split('\n').length - 1));

/** For functions that check values and write no JSON Schema: Zod ties the writer to each kind of schema. */
export const withoutJsonSchemas: Plugin = {
  name: 'without-json-schemas',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: SCHEMA_FILES }, async ({ path }) => {
      const names = [...(await readFile(path, 'utf8')).matchAll(SCHEMA_EXPORT)].map(([, name = '']) => name);
      const inner = names.filter((name) => name !== WRITER).map((name) => `absent as ${name}`);
      const contents = `const absent = () => () => undefined;\nexport { ${inner.join(', ')} };\n`;
      return { contents: names.includes(WRITER) ? `${contents}export { ${WRITER} } from '${ABSENT}';` : contents };
    });
    onLoad({ filter: TOOL_SCHEMAS }, async ({ path }) => {
      const { TOOL_INPUT_SCHEMAS } = await import(pathToFileURL(path).href);
      return { contents: `export const TOOL_INPUT_SCHEMAS = ${JSON.stringify(TOOL_INPUT_SCHEMAS)};`, loader: 'js' };
    });
    onLoad({ filter: OWN }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      return text.includes("from 'zod'") ? { contents: withoutDescriptions(text), loader: 'ts' } : undefined;
    });
    onResolve({ filter: new RegExp(`^${ABSENT}$`) }, ({ path }) => ({ path, namespace: ABSENT, sideEffects: false }));
    onLoad({ filter: /.*/, namespace: ABSENT }, () => ({
      contents: `export const ${WRITER} = () => { throw new Error('this bundle writes no JSON Schema'); };`,
    }));
  },
};

/** Whether code of the bundle writes a JSON Schema, which `withoutJsonSchemas` took from it. */
export const lacksJsonSchemas = ({ outputs }: Metafile): boolean =>
  Object.values(outputs).some(({ inputs }) =>
    Object.entries(inputs).some(([file, { bytesInOutput }]) => file.startsWith(`${ABSENT}:`) && bytesInOutput > 0),
  );
