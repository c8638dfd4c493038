/** Runs what the gate allows in real shells: no text does there what its policy does not let pass. */
import { expect, test } from 'vitest';
import { type Finding, runCampaign } from '../../shell-fuzz/campaign.ts';

/** As many texts as a few seconds hold; `npm run shell-fuzz -- --minutes 10` looks longer. */
const TEXTS = Number(process.env['COUNTERSIGN_RUNS'] ?? 4_000);
const SEED = 20_261_122;

test('no allowed text does in bash or dash what its policy does not let pass', async () => {
  const found: Finding[] = [];
  const summary = await runCampaign({
    seed: SEED,
    perShape: 1,
    goesOn: ({ texts }) => texts < TEXTS,
    onFound: (each) => found.push(each),
  });

  expect(found).toEqual([]);
  // Without texts that ran, the first expectation would hold for nothing.
  expect(summary.ran['bash']).toBeGreaterThan(TEXTS / 50);
  expect(summary.ran['dash']).toBe(summary.ran['bash']);
});
