/** Bundles the MCP SDK with its own validator, and with the library by which it starts programs. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Plugin } from 'esbuild';

/** CommonJS in a bundle cannot require what is outside. */
const OWNERS = /[\\/]node_modules[\\/](?:@modelcontextprotocol[\\/]sdk|ajv-formats)[\\/]/;
const STARTERS = /[\\/]node_modules[\\/](?:cross-spawn|which|isexe)[\\/].*\.js$/;
const BUILT_IN = /\brequire\((['"])(child_process|fs|path)\1\)/g;

export const wholeMcp: Plugin = {
  name: 'whole-mcp',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^ajv(?:\/|$)/ }, ({ path, importer }) =>
      OWNERS.test(importer) ? { path: createRequire(importer).resolve(path) } : undefined,
    );
    onLoad({ filter: STARTERS }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(BUILT_IN, 'process.getBuiltinModule($1$2$1)'),
      loader: 'js',
    }));
  },
};
