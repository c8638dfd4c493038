/** Bundles the MCP SDK with its own validator: CommonJS in a bundle cannot require what is outside. */
import { createRequire } from 'node:module';
import type { Plugin } from 'esbuild';

const OWNERS = /[\\/]node_modules[\\/](?:@modelcontextprotocol[\\/]sdk|ajv-formats)[\\/]/;

export const wholeMcp: Plugin = {
  name: 'whole-mcp',
  setup({ onResolve }) {
    onResolve({ filter: /^ajv(?:\/|$)/ }, ({ path, importer }) =>
      OWNERS.test(importer) ? { path: createRequire(importer).resolve(path) } : undefined,
    );
  },
};
