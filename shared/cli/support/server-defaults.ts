/** Names the port and token file of a loopback server unless its options say otherwise. */
import { join } from 'node:path';

/** As the options of a command. */
export const SERVER_DEFAULTS = { port: '7411', tokenFile: `~/${join('.countersign', 'serve-token')}` } as const;
