/** Checks that `policy lint` tells of idle modes, agents above themselves and past delegations. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { cli, NOW } from '../run-cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-lint-agents-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function found(agent: string, more = '', others = ''): Promise<readonly unknown[]> {
  writeFileSync(
    join(folder, 'countersign.yaml'),
    `people:
  o: { team: T1A, user: U1A, name: O }
  b: { team: T1A, user: U1B, name: B }
  c: { team: T1A, user: U1C, name: C }
channels: { c: { team: T1A, id: C1A } }
approvers: { one: { members: [b], channel: c } }
agents:
  lead: { owner: o }
  worker: { owner: o, ${agent} }${others}
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
    { code: 'mode_without_effect', where: 'agents.worker', line: 9, message: expect.stringContaining(says) },
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

describe('an agent above itself', () => {
  test.each([
    ['parents: [lead, worker]', '', 'is its own parent: each session'],
    [
      'parents: [other]',
      '\n  other: { owner: o, parents: [lead, worker] }',
      'is its own parent, through other: each session',
    ],
    [
      'parents: [first]',
      '\n  first: { owner: o, parents: [second] }\n  second: { owner: o, parents: [first, worker] }',
      'is its own parent, through first and second: each session',
    ],
  ])('%s', async (agent, others, says) => {
    const lines = await found(agent, '', others);
    expect(lines[0]).toMatchObject({ code: 'own_parent', where: 'agents.worker', line: 9 });
    expect(lines[0]).toHaveProperty('message', expect.stringContaining(says));
  });

  test('is none where agents only have the same parents', async () => {
    expect(await found('parents: [lead, first]', '', '\n  first: { owner: o, parents: [lead] }')).toEqual([]);
  });
});

test('a delegation that is over is told, and one that is not is not', async () => {
  const until = (ms: number) => new Date(NOW + ms).toISOString();
  const delegations = (ms: number) => `delegations:
  - { person: b, to: c, until: ${until(1)} }
  - { person: b, to: c, until: ${until(ms)} }
  - { group: one, to: c, from: ${until(-9)}, until: ${until(ms)} }
`;
  const says = (text: string) => expect.stringContaining(text);
  expect(await found('', delegations(0))).toMatchObject([
    {
      code: 'past_delegation',
      where: 'delegations[1]',
      line: 13,
      message: says('c no longer votes in the place of b.'),
    },
    {
      code: 'past_delegation',
      where: 'delegations[2]',
      line: 14,
      message: says('no longer votes as one more of one.'),
    },
  ]);
  expect(await found('', delegations(2))).toEqual([]);
  const accepted = 'lint: { ignore: [{ code: past_delegation, where: "delegations[1]", reason: r }] }\n';
  expect(await found('', delegations(0) + accepted)).toMatchObject([{ where: 'delegations[2]' }]);
});
