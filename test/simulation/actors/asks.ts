/** Passes words of users on to the task agent, over the queue of an agent. */
import type { Ask } from '../model/plan.ts';
import type { AsksLeft } from '../world/remains.ts';
import type { World } from '../world/world.ts';

/** One name for all users' conversations: their tasks are theirs all the same. */
const CONVERSATION = '99999999-9999-4999-8999-999999999999';

export async function ask(step: Ask, world: World): Promise<void> {
  const { id, agent, user, text, copies } = step;
  const { queue } = world.gate.agentSide(agent);
  const context = { user_id: user, message: text, conversation_id: CONVERSATION };
  const raw = JSON.stringify({ kind: 'task-message', proposalId: id, context });
  world.history.asks.push({ ...step, sentAt: world.clock.now() });
  world.tell(() => `${agent} passes on "${text}" of ${user} as ${id}`);
  await queue.publish(raw, agent);
  for (const later of copies) world.clock.after(later, () => void queue.publish(raw, agent));
}

/** The tasks of each user in the end, and how many decisions each message has. */
export async function asksLeft({ history, stored, pid }: AsksOf): Promise<AsksLeft> {
  const users = new Set(history.asks.map(({ agent, user }) => `${agent}/${user}`));
  const tasks = new Map<string, readonly string[]>();
  for (const user of users)
    tasks.set(
      user,
      (await stored.tasks.list(`agent:${user}`)).map(({ description }) => description),
    );
  const ends = new Map<string, number>();
  for (const { id, agent } of history.asks) {
    const records = await stored.audit.ofProposal(agent, pid(agent, id));
    ends.set(id, records.filter(({ decision }) => decision).length);
  }
  return { tasks, ends };
}

type AsksOf = Pick<World, 'history' | 'stored'> & { pid(agent: string, id: string): string };
