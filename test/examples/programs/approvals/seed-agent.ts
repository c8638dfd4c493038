/** Runs the gated agent of tkach's document: tools that read pass, tools that change ask a handler. */
import { AgentBuilder, type ModelTurn } from 'countersign/approvals';
import { ApprovalDecision } from 'countersign/seeds/tkach';

const turns: ModelTurn[] = [
  {
    toolUses: [
      { id: '1', name: 'read', input: {} },
      { id: '2', name: 'write', input: {} },
    ],
  },
  { text: 'done' },
];
const agent = new AgentBuilder({ next: async () => turns.shift() ?? { text: 'nothing left' } })
  .tool({ name: 'read', class: 'ReadOnly', execute: () => 'the notes' })
  .tool({ name: 'write', class: 'Mutating', execute: () => 'written' })
  .approval({
    approve: (_tool, _input, toolClass) =>
      toolClass === 'ReadOnly' ? ApprovalDecision.Allow : ApprovalDecision.Deny('read-only today'),
  })
  .build();

const { text, messages } = await agent.run('tidy up');
for (const message of messages)
  if (message.role === 'tool') for (const { content, isError } of message.results) console.log(isError, content);
console.log(text);

// Prints:
// false the notes
// true Error: approval denied — read-only today
// done
