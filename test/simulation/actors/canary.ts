/** Runs the canary of the gate as its function does, and looks at what it must not leave behind. */
import { runCanary } from '../../../shared/client/canary/canary.ts';
import { CANARY } from '../../../shared/domain/canary.ts';
import type { RunCanary } from '../model/plan.ts';
import type { World } from '../world/world.ts';

/** As the function has it. */
const EXPIRES_AFTER_MS = 15_000;

export async function playCanary({ expires }: RunCanary, world: World): Promise<void> {
  const { clock, faults, gate, history, ids } = world;
  const { executions: _, results: __, ...side } = gate.agentSide(CANARY);
  const at = clock.now();
  const own = { newId: () => ids.next(), sleep: (ms: number) => world.sleep(ms), random: world.random };
  const options = { ...side, ...own, reader: faults.wrap('reader', side.reader) };
  const report = await faults.invoke('canary', () =>
    runCanary(options, expires ? { expiresAfterMs: EXPIRES_AFTER_MS } : {}),
  );
  history.canaries.push({ at, report });
  world.tell(() => `the canary finds ${report.checks.map(({ expected, got }) => `${expected}: ${got}`).join(', ')}`);
}

/** Nobody is bothered with its questions. */
export const cardsOfCanary = (world: World): string[] =>
  world.history.canaries
    .flatMap(({ report }) => report.checks)
    .filter(({ proposalId }) => world.slack.buttonOf(world.pid(CANARY, proposalId), false) !== undefined)
    .map(({ expected, proposalId }) => `${expected} ${proposalId}`);
