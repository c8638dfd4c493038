/** Declares the operations that a scope took last, so that a late one does not undo a newer one. */
import * as z from 'zod';

/** An operation as its queue received it: when, in milliseconds since 1970, and which. */
const sentOperation = z.strictObject({ at: z.number().nonnegative(), id: z.string().min(1).max(300) });
export type SentOperation = z.infer<typeof sentOperation>;

/** The newest operation that a scope took, and the newest of those that tighten or replace something. */
export const operationOrder = z.strictObject({ newest: sentOperation, tightened: sentOperation.optional() });
export type OperationOrder = z.infer<typeof operationOrder>;

/** The orders of many scopes. `before`: the newest operation of the scopes that were left out, so that none of theirs is forgotten. */
export const operationOrders = z.strictObject({
  scopes: z.array(operationOrder.extend({ scope: z.string().max(400) })).max(20),
  before: sentOperation.optional(),
});
export type OperationOrders = z.infer<typeof operationOrders>;
