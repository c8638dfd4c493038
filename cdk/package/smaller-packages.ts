/** Leaves out of a bundle those parts of packages that it never runs, which esbuild by itself keeps. */
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import type { Metafile, Plugin } from 'esbuild';

const SCHEMA_FILES = /[\\/]zod[\\/]v4[\\/]core[\\/](?:to-json-schema|json-schema-processors)\.js$/;
const SCHEMA_EXPORT = /^export (?:const|function) (\w+)/gm;
const WRITER = 'toJSONSchema';
/** The schemas of this module are written while the bundle is made. */
const TOOL_SCHEMAS = /[\\/]task-agent[\\/]tools[\\/]tool-input-schemas\.ts$/;
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
