/** Checks that each sender of a policy file is one agent or one operator. */
import { mayBeOne } from '../../domain/aws/sender.ts';
import type { PolicyFile } from '../schema/policy-file.ts';
import type { PolicyProblem } from '../schema/problems.ts';

/** A sender speaks for one agent or operator only: identity would be a guess otherwise. */
export function senderProblems(file: PolicyFile): PolicyProblem[] {
  const seen = new Map<string, string>();
  const problems: PolicyProblem[] = [];
  for (const kind of ['agents', 'operators'] as const) {
    for (const [name, entry] of Object.entries(file[kind])) {
      for (const [index, sender] of entry.senders.entries()) {
        const holder = seen.get(sender);
        if (holder)
          problems.push({ path: [kind, name, 'senders', index], message: `is already the sender of ${holder}` });
        seen.set(sender, `${kind}.${name}`);
      }
    }
  }
  return [...problems, ...sessionsOfBoth(file)];
}

/** An agent's session of an operator's role would vote for its own calls, and so would an operator's session of an agent's role. */
function sessionsOfBoth({ agents, operators }: PolicyFile): PolicyProblem[] {
  const ofAgents = Object.entries(agents).flatMap(([name, { senders }]) => senders.map((sender) => ({ name, sender })));
  return Object.entries(operators).flatMap(([name, { senders }]) =>
    senders.flatMap((sender, index) => {
      const agent = ofAgents.find((one) => one.sender !== sender && mayBeOne(one.sender, sender));
      if (!agent) return [];
      const message = `is of the same role as the sender ${agent.sender} of agents.${agent.name}: give each a session, or a role of its own`;
      return [{ path: ['operators', name, 'senders', index], message }];
    }),
  );
}
