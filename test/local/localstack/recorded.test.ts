// Checks that the recorded table of differences says what both endpoints do.
//
// `npm run differences` writes it anew.
import { expect, test } from 'vitest';
import { OBSERVATIONS } from '../differences/observations.ts';
import { observe } from '../differences/observe.ts';
import { readRecorded } from '../differences/table.ts';
import { ENDPOINTS, startEndpoint } from '../endpoint/start-endpoint.ts';

const compared = OBSERVATIONS.filter(({ measured }) => !measured).map(({ operation }) => operation);
const only = (all: Readonly<Record<string, string>>) => compared.map((operation) => [operation, all[operation]]);

test.each(ENDPOINTS)(
  'the recorded table says what %s does, but for times',
  async (name) => {
    const endpoint = await startEndpoint({ env: { ...process.env, COUNTERSIGN_ENDPOINT: name } });
    try {
      expect(only(await observe(endpoint))).toEqual(only(readRecorded().observed[name].corrected));
    } finally {
      await endpoint.stop();
    }
  },
  300_000,
);
