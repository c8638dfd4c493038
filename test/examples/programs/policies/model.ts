/** Lets a model choose, and a person where money moves; nobody answers in time, so nothing is done. */
import { type ActionSpace, composite, flow, humanInTheLoop, llm } from 'countersign/policies';
import { ScriptedClient } from 'countersign/testing';

const action = (flow_id: string) => ({ flow_id, persona_id: 'clerk' });
const space: ActionSpace = { persona_id: 'clerk', actions: [action('update_status'), action('release_escrow')] };
const snapshot = { facts: {}, entity_states: {}, observed_at: '2026-01-01T00:00:00Z' };

const chosen = (flow_id: string) => JSON.stringify({ action: { flow_id, persona_id: 'clerk' } });
const client = new ScriptedClient([chosen('update_status'), chosen('release_escrow'), chosen('release_escrow')]);
const policy = composite({
  propose: llm({ client, model: 'any' }),
  when: flow('release_escrow'),
  approve: humanInTheLoop({
    propose: llm({ client, model: 'any' }),
    ask: async () => ({ type: 'silent' }),
    timeout: '3m',
  }),
});
for (const _ of [1, 2]) {
  const choice = await policy.choose(space, snapshot, {
    observe: ({ policy: name, outcome }) => console.log(name, outcome),
  });
  console.log(choice?.flow_id ?? 'nothing');
}

// Prints:
// llm chosen
// composite auto_approved
// update_status
// llm chosen
// llm chosen
// human-in-the-loop timeout_rejected
// composite approver_rejected
// nothing
