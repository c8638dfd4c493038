/** Has the real client propose, wait and run; its process may end, and another take the call up. */
import { CountersignClient } from '../../../shared/client/client.ts';
import type { ProposalQueue } from '../../../shared/ports/agent-side.ts';
import type { Process } from '../model/faults.ts';
import { inputOf, type Propose } from '../model/plan.ts';
import type { World } from '../world/world.ts';

/** An agent is started again so long after its end. */
const STARTED_AGAIN_MS = 3_000;

// The client imports its reader of proposals with the first one: in the first run of a process it would take another turn than in all others.
await new CountersignClient({
  ...{ agent: 'first', deployment: 'first' },
  ...{ queue: { publish: async () => undefined }, reader: { read: async () => undefined } },
}).propose({ toolName: 'Look', input: {} });

export async function proposeGuarded(step: Propose, world: World): Promise<void> {
  const { crashes } = step;
  world.noteSent(step);
  if (!crashes) return callGuarded(step, world, undefined);
  for (const lives of [...crashes, undefined])
    if (await world.faults.invoke('agent', () => liveFor(lives, step, world)).catch(() => false)) return;
    else await world.sleep(STARTED_AGAIN_MS);
}

/** True: its process saw the end of the call. */
async function liveFor(ms: number | undefined, step: Propose, world: World): Promise<boolean> {
  const { process } = world.faults;
  if (ms !== undefined)
    world.clock.after(ms, () => {
      if (process?.isGone === false) world.tell(() => `the agent of ${step.id} ends`);
      process?.end();
    });
  await callGuarded(step, world, process);
  return process?.isGone !== true;
}

/** A process that is gone does nothing any more. */
async function callGuarded(step: Propose, world: World, process: Process | undefined): Promise<void> {
  const { agent, id, tool, number } = step;
  const side = world.gate.agentSide(agent);
  const { executions: _, results: __, ...given } = side;
  const { faults } = world;
  const lives = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (process?.isGone) throw new Error('the process is gone');
    const result = await work();
    if (process?.isGone) throw new Error('the process is gone');
    return result;
  };
  const sleep = (ms: number) => lives(() => world.sleep(ms));
  const queueOf = ({ publish }: ProposalQueue): ProposalQueue => ({
    publish: (...message) => lives(() => publish(...message)),
  });
  const client = new CountersignClient({
    ...given,
    queue: queueOf(side.queue),
    outcomes: queueOf(side.outcomes),
    redeemer: { redeem: (request) => lives(() => side.redeemer.redeem(request)) },
    reader: faults.wrap('reader', side.reader),
    newId: () => world.ids.next(),
    sleep,
    random: world.random,
  });
  let since = world.clock.now();
  const call = client.gate(tool, async (input: { number: number }) => {
    const at = world.clock.now();
    const by = 'agent' as const;
    world.history.effects.push({ at, since, id, number: input.number, permitId: `guarded ${id}`, by, until: at + 500 });
    world.tell(() => `EFFECT of ${id}, run by its guarded tool`);
    await sleep(500);
    return 'done';
  });
  since = world.clock.now();
  try {
    await call(inputOf(number), { id, timeout: '40m', onAbort: 'leave' });
  } catch (error) {
    world.tell(() => `the guarded tool of ${id} does not run: ${(error as Error).message}`);
  }
}
