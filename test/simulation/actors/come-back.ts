/** Lets everybody come back after days and try again, whether TTL deleted what is over or not. */
import { clickOf, type Propose } from '../model/plan.ts';
import { APPROVERS } from '../model/policies.ts';
import type { World } from '../world/world.ts';
import { clickOnce, messageFor, propose, run } from './actors.ts';

/** No number of a run that its agent made before. */
const LATER = 90;

export function comeBack(world: World): void {
  for (const sent of [...world.history.sent]) {
    void tryAgain(sent, world).catch(() => undefined);
    void propose({ ...callAnew(sent), id: `${sent.id}-anew` }, world).catch(() => undefined);
  }
}

/** The same message under the same id, the run of what was approved then, and a click on a card of then. */
async function tryAgain(sent: World['history']['sent'][number], world: World): Promise<void> {
  const { id, agent, number, sentAt } = sent;
  await world.gate.agentSide(agent).queue.publish(messageFor(sent, number, sentAt), agent);
  const pid = world.pid(agent, id);
  const decision = (await world.stored.reader.read(agent, pid, 'decided'))?.decision;
  const known = decision ?? (await world.stored.reader.read(agent, pid, 'evaluated'))?.decision;
  if (known?.outcome === 'approved') {
    const runs = { times: 1, apart: 0, report: true };
    for (const [index, how] of (['agent', 'gate'] as const).entries())
      await run({ ...sent, run: { ...runs, how } }, known, LATER + index, world).catch(() => undefined);
  }
  const who = APPROVERS[Math.floor(world.random() * APPROVERS.length)] ?? 'alice';
  await clickOnce({ ...clickOf(id, 0, false), who }, pid, world);
}

/** The call by itself, which its agent runs if it is allowed. */
const callAnew = ({ at, agent, tool, number }: Propose): Propose => ({
  ...{ do: 'propose', at, id: '', agent, tool, number, copies: [] },
  run: { how: 'agent', times: 1, apart: 0, report: true },
});
