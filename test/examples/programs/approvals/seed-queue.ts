/** Shows prompts one at a time, as the screen of tkach's document does, while two calls wait. */
import { ApprovalDecision, QueuedApprovalHandler } from 'countersign/seeds/tkach';

const handler = new QueuedApprovalHandler(
  async ({ toolName }) => {
    console.log(`shows ${toolName}`);
    return toolName === 'delete' ? ApprovalDecision.Deny('no') : ApprovalDecision.Allow;
  },
  { fastPath: 'ReadOnly' },
);
const { signal } = new AbortController();
const decisions = await Promise.all([
  handler.approve('list', {}, 'ReadOnly', signal),
  handler.approve('write', {}, 'Mutating', signal),
  handler.approve('delete', {}, 'Mutating', signal),
]);
console.log(decisions.map(({ type }) => type).join(' '));
handler.close();

// Prints:
// shows write
// shows delete
// allow allow deny
