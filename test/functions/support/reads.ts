/** Makes proposals to read a file, as a queue's batch has them, and the policy that allows them. */
import { loadPolicy } from '../../../shared/config/load.ts';

export const policy = loadPolicy(
  `people: { olga: { team: T0T, user: U0O, name: Olga } }
agents: { coder: { owner: olga } }
rules: { allow: [Read] }
`,
  'test.yaml',
);
/** As the queue gives it for the `receiveCount`th time. */
export const message = (id: string, receiveCount = 1) => ({
  messageId: `m-${id}`,
  raw: JSON.stringify({
    kind: 'tool-call',
    proposalId: id,
    calls: [{ id: 'c1', toolName: 'Read', input: { file_path: id } }],
  }),
  principal: 'sender',
  firstSentAt: Date.now(),
  rounds: 0,
  receiveCount,
});
