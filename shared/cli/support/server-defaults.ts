/** Names where a door on loopback stands unless its options say otherwise. */
import { join } from 'node:path';

/** As the options of a command. */
export const DOOR_DEFAULTS = { port: '7411', tokenFile: `~/${join('.countersign', 'serve-token')}` } as const;
