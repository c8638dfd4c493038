/** Checks that the recorded differences are of the pinned releases, and that the page shows them. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { OBSERVATIONS } from '../../local/differences/observations.ts';
import { PAGE, pinnedVersions, readRecorded, render } from '../../local/differences/table.ts';
import { ENDPOINTS } from '../../local/endpoint/start-endpoint.ts';

test('the recorded differences are of the pinned releases, of every observation, and the page shows them', () => {
  const recorded = readRecorded();
  expect(recorded.versions).toEqual(pinnedVersions());
  for (const name of ENDPOINTS) {
    for (const observed of Object.values(recorded.observed[name]))
      expect(Object.keys(observed)).toEqual(OBSERVATIONS.map(({ operation }) => operation));
  }
  expect(readFileSync(PAGE, 'utf8')).toBe(render(recorded));
});
