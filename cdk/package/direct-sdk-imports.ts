/** Has a bundle import names of the AWS SDK from the modules that have them, not from lists. */
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { OnLoadResult, Plugin, PluginBuild } from 'esbuild';

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

/** Texts of files of installed packages, each the same for all bundles that this process makes; undefined if nothing changes. */
const installedTexts = new Map<string, Promise<string | undefined>>();

/**
 * Imports each name from the module that defines it, and not from a module that lists many. With split bundles, esbuild would put every listed
 * module that a later chunk needs into the first chunk: each function that talks to DynamoDB would load the protocols of S3.
 */
export const directSdkImports: Plugin = {
  name: 'direct-sdk-imports',
  setup(build) {
    const lists = new Map<string, Promise<Homes>>();
    build.onLoad({ filter: SDK_FILES }, async ({ path }): Promise<OnLoadResult | undefined> => {
      const contents = path.includes('node_modules')
        ? await once(installedTexts, path, () => withDirectImports(build, lists, path))
        : ((await withDirectImports(build, lists, path)) ?? (await readFile(path, 'utf8')));
      // esbuild reads a file faster by itself than it is handed the text.
      return contents === undefined ? undefined : { contents, loader: path.endsWith('.ts') ? 'ts' : 'js' };
    });
  },
};

/** Undefined if the module imports nothing from a list. */
async function withDirectImports(
  build: PluginBuild,
  lists: Map<string, Promise<Homes>>,
  path: string,
): Promise<string | undefined> {
  const text = await readFile(path, 'utf8');
  let changed = text;
  for (const [verb, pattern] of [['import', SDK_IMPORT] as const, ['export', SDK_REEXPORT] as const])
    for (const [statement, names = '', list = ''] of text.matchAll(pattern)) {
      const file = await resolved(build, list, dirname(path));
      const homes = await once(lists, file, () => homesOf(build, file));
      const direct = wordsOf(names).map((word) => directly(verb, word, homes, list));
      changed = changed.replace(statement, () => direct.join(''));
    }
  return changed === text ? undefined : changed;
}

/** Made by the first who asks. A failure is not remembered. */
function once<Value>(known: Map<string, Promise<Value>>, key: string, make: () => Promise<Value>): Promise<Value> {
  const found = known.get(key);
  if (found) return found;
  const made = make();
  known.set(key, made);
  made.catch(() => known.delete(key));
  return made;
}

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

/** Parts `name as other` into the name in the module and the one here. */
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
