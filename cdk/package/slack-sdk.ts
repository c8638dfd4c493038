/** Holds what every bundle for Node with Slack's SDK in it needs. */
import type { Plugin } from 'esbuild';

/** CommonJS dependencies inside an ES module still call `require`. */
export const REQUIRE =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

/**
 * Bolt imports these for servers of its own: two thirds of its size, and of its load time. Our function hands it requests that are verified already,
 * so none of them is ever called.
 */
const BOLT_SERVERS = /^(express|raw-body|@slack\/socket-mode)$/;
export const withoutBoltServers: Plugin = {
  name: 'without-bolt-servers',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: BOLT_SERVERS }, ({ path }) => ({ path, namespace: 'left-out' }));
    onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({ contents: 'module.exports = {}', loader: 'js' }));
  },
};
