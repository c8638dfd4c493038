/** Has a person approve flows that move money, and no others, with the classes of Tenor's document. */
import {
  type ActionSpace,
  CompositePolicy,
  FirstAvailablePolicy,
  FlowIdPredicate,
  HumanInTheLoopPolicy,
  TimeoutBehavior,
} from 'countersign/policies';
import { ApprovalResult, CallbackApprovalChannel } from 'countersign/seeds/tenor';

const action = (flow_id: string) => ({ flow_id, persona_id: 'clerk' });
const spaceOf = (...flows: string[]): ActionSpace => ({ persona_id: 'clerk', actions: flows.map(action) });
const snapshot = { facts: {}, entity_states: {}, observed_at: '2026-01-01T00:00:00Z' };

const channel = new CallbackApprovalChannel(({ flow_id }) => {
  console.log(`asked about ${flow_id}`);
  return ApprovalResult.Rejected;
});
const first = new FirstAvailablePolicy();
const policy = new CompositePolicy(
  first,
  new HumanInTheLoopPolicy(first, channel, 180_000, TimeoutBehavior.Reject),
  new FlowIdPredicate(['release_escrow']),
);
console.log((await policy.choose(spaceOf('update_status'), snapshot))?.flow_id);
console.log(await policy.choose(spaceOf('release_escrow'), snapshot));

// Prints:
// update_status
// asked about release_escrow
// null
