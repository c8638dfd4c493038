/** Names where the record holds results of an operation, so that its sender finds them by id. */
import { sha256Hex } from '../digest.ts';

/** Stands for an agent in the keys of operations; no agent can have this name. */
export const OPERATIONS = '-operations';

export const pidOfOperation = (operationId: string): string => sha256Hex(`operation#${operationId}`);
