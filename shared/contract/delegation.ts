/** Declares delegations: somebody votes in another person's place until a date. */
import * as z from 'zod';
import { person } from './approval.ts';
import { operationOrders } from './operation-order.ts';
import { instant, text } from './primitives.ts';

export const delegation = z.strictObject({
  person: person.describe('The owner of the seat.'),
  to: person,
  from: instant.optional(),
  until: instant.describe('Compared whenever somebody votes: nobody has to end it.'),
  by: text(200).describe('Who said so: the person, or an operator.'),
});
export type Delegation = z.infer<typeof delegation>;

export const delegations = z.strictObject({
  version: z.int().nonnegative(),
  delegations: z.array(delegation).max(500),
  done: z.array(text(16)).max(50).describe('The last operations, so that one delivered again is done once.'),
  orders: operationOrders
    .optional()
    .describe('By person, the newest operations on their seat: an older one delegates it to nobody.'),
});
export type Delegations = z.infer<typeof delegations>;

export const NO_DELEGATIONS: Delegations = { version: 0, delegations: [], done: [] };
