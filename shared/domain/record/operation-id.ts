/** Where the record holds the results of one operation, so that its sender finds them by its id. */
import { sha256Hex } from '../digest.ts';

/** Stands for an agent in the keys of operations; no agent can have this name. */
export const OPERATIONS = '-operations';

export const pidOfOperation = (operationId: string): string => sha256Hex(`operation#${operationId}`);
