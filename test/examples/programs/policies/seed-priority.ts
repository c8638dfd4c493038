/** Chooses by priority, as Tenor's document does: refunds first, whatever else is possible. */
import { type ActionSpace, FirstAvailablePolicy, PriorityPolicy } from 'countersign/policies';

const action = (flow_id: string) => ({ flow_id, persona_id: 'clerk' });
const space: ActionSpace = { persona_id: 'clerk', actions: [action('update_status'), action('issue_refund')] };
const snapshot = { facts: {}, entity_states: { Order: 'paid' }, observed_at: '2026-01-01T00:00:00Z' };

const priority = new PriorityPolicy(['issue_refund', 'cancel_order']);
for (const policy of [new FirstAvailablePolicy(), priority])
  console.log((await policy.choose(space, snapshot))?.flow_id);

// Prints:
// update_status
// issue_refund
