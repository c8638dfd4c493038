/** Checks that `policy lint` tells of an agent whose mode has nothing to go by. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { cli } from '../run-cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-lint-modes-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function found(agent: string, more = ''): Promise<readonly unknown[]> {
  writeFileSync(
    join(folder, 'countersign.yaml'),
    `people:
  o: { team: T1A, user: U1A, name: O }
  b: { team: T1A, user: U1B, name: B }
channels: { c: { team: T1A, id: C1A } }
approvers: { one: { members: [b], channel: c } }
agents:
  lead: { owner: o }
  worker: { owner: o, ${agent} }
approvals: { approvers: one }
${more}`,
  );
  const ran = await cli(['policy', 'lint', '--json'], { cwd: folder });
  expect(ran.err).toBe('');
  return ran.lines;
}

test.each([
  ['mode: bypass', 'bypass: { enabled: true }', 'bypass.enabled is false'],
  ['mode: auto', 'classifier: {}', 'there is no classifier'],
])('%s without %s', async (agent, section, says) => {
  expect(await found(agent)).toMatchObject([
    { code: 'mode_without_effect', where: 'agents.worker', line: 8, message: expect.stringContaining(says) },
  ]);
  expect(await found(agent, section)).toEqual([]);
});

test('bubble has no effect without parents', async () => {
  expect(await found('mode: bubble')).toMatchObject([
    { code: 'mode_without_effect', where: 'agents.worker', message: expect.stringContaining('no parents') },
  ]);
  expect(await found('mode: bubble, parents: [lead]')).toEqual([]);
});

test.each(['default', 'plan', 'acceptEdits', 'dontAsk'])('mode: %s goes by nothing else', async (mode) => {
  expect(await found(`mode: ${mode}`)).toEqual([]);
});
