/**
 * Plays a rolling upgrade and the way back: `npm run test:upgrade`.
 *
 * The previous release is deployed on the local endpoint, this one over it while approvals wait, the previous one
 * again, and this one for good. Agents of both clients propose all the time; nothing is lost. The run needs the commit
 * of the previous release, and reports it when it does not run: `npm test` plays the part that needs no history
 * (`previous-release.test.ts`).
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFunctions } from '../../cdk/bundle.ts';
import { startLocalGate } from '../local/gate/gate.ts';
import { PREVIOUS, previousRelease } from './previous.ts';
import { Upgrade } from './upgrade-world.ts';

const previous = previousRelease();
if (previous === undefined) {
  console.log(`not run: this clone does not hold the previous release; git fetch origin ${PREVIOUS} first`);
  process.exit(2);
}
await bundleFunctions();
const policyFile = join(import.meta.dirname, 'policy.yaml');
const folder = mkdtempSync(join(tmpdir(), 'countersign-upgrade-'));
// Each call has a card of its own, which people answer on either release; the previous one does not know the setting.
const ownCards = join(folder, 'policy.yaml');
writeFileSync(
  ownCards,
  readFileSync(policyFile, 'utf8').replace('approvals:\n', 'approvals:\n  newCards: { listFrom: 1000 }\n'),
);
const verbose = process.argv.includes('--verbose');
const gate = await startLocalGate({
  policyFile,
  release: previous,
  stackName: 'Upgrade',
  slackPostIntervalMs: 20,
  slackAckTimeoutMs: 12_000,
  ...(verbose ? { onProgress: (line: string) => console.error(line) } : {}),
});
try {
  const world = await Upgrade.of(gate, previous);
  await move('upgrade, to this release', undefined);
  await move('the way back, to the previous release', previous);
  await move('upgrade again', undefined);
  await world.checkNothingLeft();
  console.log('ok: all waiting places are free, nothing is due, no message is among the dead letters');

  /** Approvals wait in every state while `release` is deployed; afterwards all are answered. */
  async function move(name: string, release: string | undefined): Promise<void> {
    const began = performance.now();
    await world.openAll();
    const stopTraffic = world.traffic();
    await gate.deploy(release === undefined ? ownCards : policyFile, release);
    await stopTraffic();
    const counts = await world.answerAll();
    assert.ok(counts.decided > 0);
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    console.log(
      `ok: ${name}: ${counts.decided} proposals have their one decision, ${counts.asked} by people (${seconds} s)`,
    );
  }
} finally {
  await gate.stop();
  rmSync(folder, { recursive: true });
}
