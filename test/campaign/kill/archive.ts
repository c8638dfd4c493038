/** Has the archive verified, as an auditor does, once nothing is written any more. */
import { setTimeout as delay } from 'node:timers/promises';
import { run } from '../../../shared/dev/aws/run.ts';
import { invoke } from '../../e2e/harness/functions.ts';
import type { Problem } from '../../simulation/judge/judge.ts';
import type { CampaignGate } from '../gate.ts';

const LOOKS = 10;
const LOOK_MS = 3_000;

/** The archive holds every entry once, sealed, after what archives and seals was killed too. */
export async function archiveProblems(gate: CampaignGate): Promise<Problem[]> {
  let output = '';
  for (let looked = 0; looked < LOOKS; looked++) {
    await invoke('seal', {});
    const env = { ...(await gate.environmentOf('Auditor')), COUNTERSIGN_POLICY: gate.policyFile, NO_COLOR: '1' };
    const verified = await run(process.execPath, ['shared/cli/main.ts', 'audit', 'verify'], { env });
    if (verified.code === 0) return [];
    output = verified.output;
    await delay(LOOK_MS);
  }
  return [{ guarantee: 'G36', text: `the archive is not whole: ${output.slice(-500)}` }];
}
