/**
 * Runs the demo without an AWS endpoint: the same use cases on in-memory adapters.
 *
 * Page, card and click are the same.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { CountersignClient } from '../../../shared/client/index.ts';
import { loadPolicy } from '../../../shared/config/load.ts';
import { pidOf } from '../../../shared/domain/digest.ts';
import { CALLS } from '../../examples/calls.ts';
import { startMemoryWorkspace } from '../gate/memory-workspace.ts';
import { castOf } from './cast.ts';
import { freePort } from './free-port.ts';
import { type AgentLine, say } from './print.ts';
import { playCall, type Stage } from './scenes.ts';
import { type DemoWorld, PAGE_PORT, type WorldOptions } from './world.ts';

/** Reports of runs come by a queue: so often the record is asked for them. */
const TRIES = 30;

export async function memoryWorld({ policyFile, onStop }: WorldOptions): Promise<DemoWorld> {
  const document = loadPolicy(readFileSync(policyFile, 'utf8'), policyFile);
  const cast = castOf(document);
  const { gate, slack, stop } = await startMemoryWorkspace(document, { port: await freePort(PAGE_PORT) });
  onStop(stop);
  const side = gate.agentSide(cast.agent);
  const stage = (tell: (line: AgentLine) => void): Stage => ({
    agent: cast.agent,
    queue: side.queue,
    clientFor: (id) => new CountersignClient({ ...side, queueUrl: 'memory', auditTable: 'memory', newId: () => id }),
    tell,
  });
  return {
    ...{ document, cast, slack },
    first: async (tell) => void (await Promise.all(CALLS.map((call) => playCall(stage(tell), call)))),
    play: (scene, tell) => scene.play(stage(tell)),
    hints: [],
    async trail(proposed, ran) {
      for (const { id } of proposed) {
        const records = () => gate.parts.audit.ofProposal(cast.agent, pidOf('memory', cast.agent, id));
        const isTold = async () => (await records()).some(({ entry }) => entry.ran !== undefined);
        for (let tries = 0; ran.includes(id) && tries < TRIES && !(await isTold()); tries++) await sleep(100);
        for (const { entry } of await records()) {
          const by = entry.person ? `${entry.person.team}/${entry.person.user}` : (entry.decidedBy?.id ?? '');
          const what = entry.ran?.status ?? entry.outcome ?? entry.reasonCode ?? 'asks';
          say(`  ${entry.recordedAt}  ${entry.type.padEnd(10)} ${what.padEnd(10)} ${by}`);
        }
      }
    },
  };
}
