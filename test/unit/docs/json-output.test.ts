/** Checks that docs/operate.md names every command with `--json`, and the fields that it prints. */
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Status } from '../../../shared/cli/status/read.ts';
import { type Answers, type FakeAws, fakeAws } from '../cli/fake-aws.ts';
import { cli } from '../cli/run-cli.ts';
import { userDocuments } from './documents.ts';

const page = userDocuments().find(({ file }) => file === 'docs/operate.md')?.text ?? '';
const [, section = ''] = page.split('\n## Output for programs\n');
/** By command, the words that stand as code in the cell of its fields. */
const FIELDS = new Map(
  (section.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((row) => row.startsWith('| `'))
    .flatMap((row) => {
      const [, commands = '', fields = ''] = row.split(' | ').join('|').split('|');
      return codeIn(commands).map((command) => [command, codeIn(fields)] as const);
    }),
);
function codeIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].flatMap(([, code]) => code ?? []);
}

const folder = await mkdtemp(join(tmpdir(), 'countersign-json-'));
let aws: FakeAws | undefined;
afterAll(async () => {
  await aws?.close();
  await rm(folder, { recursive: true });
});

/** Every command that may be typed. */
async function commandsBelow(words: readonly string[]): Promise<string[]> {
  const { out } = await cli([...words, '--help']);
  const lists = [...out.matchAll(/^(?!Options:|Arguments:)[A-Z][a-z ]*:\n((?: .*\n)+)/gm)].map(([, list = '']) => list);
  const names = lists.flatMap((list) => [...list.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name = '']) => name));
  const own = /^ {2}--json\b/m.test(out) ? [words.join(' ')] : [];
  return [...own, ...(await Promise.all(names.map((name) => commandsBelow([...words, name])))).flat()];
}

test('every command that prints JSON stands there, and no other', async () => {
  expect([...FIELDS.keys()].toSorted()).toEqual((await commandsBelow([])).toSorted());
});

const call = ['--tool', 'Bash', '--input', '{"command":"git push"}'];
const on = ['--policy', 'policy.yaml', '--agent', 'builder'];
writeFileSync(
  join(folder, 'table.yaml'),
  'cases: [{ tool: Bash, input: { command: ls }, agent: builder, expect: ask }]\n',
);
writeFileSync(join(folder, 'broken.yaml'), 'agents: 5\n');
writeFileSync(
  join(folder, 'loose.yaml'),
  'people: { o: { team: T1, user: U1, name: O } }\nagents: { a: { owner: o } }\nrules: { allow: ["Bash(*)"] }\n',
);
const PERSON = { team: 'T0', user: 'U0' };
const ANSWERS: Answers = {
  GetItem: () => ({
    Item: {
      delegations: {
        M: {
          version: { N: '1' },
          done: { L: [] },
          delegations: {
            L: [
              {
                M: {
                  person: rowOf(PERSON),
                  to: rowOf(PERSON),
                  until: { S: '2027-01-01T00:00:00.000Z' },
                  by: { S: 'oncall' },
                },
              },
            ],
          },
        },
      },
    },
  }),
};
function rowOf(fields: Readonly<Record<string, string>>) {
  return { M: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { S: value }])) };
}
const STATE = { COUNTERSIGN_DEPLOYMENT: 'demo', COUNTERSIGN_STATE_TABLE: 'state' };

test.each([
  ['check', [...call, ...on]],
  ['explain', [...call, ...on]],
  ['guardrails', ['--tool', 'Bash', ...on]],
  ['policy check', ['policy.yaml']],
  ['policy check', [join(folder, 'broken.yaml')]],
  ['policy lint', [join(folder, 'loose.yaml')]],
  ['policy test', [join(folder, 'table.yaml'), '--policy', 'policy.yaml']],
  ['policy exclusions', ['policy.yaml', '--agent', 'builder']],
  ['status', ['--agent', 'builder']],
  ['delegate list', []],
  ['doctor', ['--only', 'settings']],
] as const)('every field of %s does', async (command, argv) => {
  aws ??= await fakeAws(ANSWERS);
  const { lines } = await cli([...command.split(' '), ...argv, '--json'], { env: STATE });
  const fields = new Set(lines.flatMap((line) => Object.keys(line as object)));
  expect(fields.size).toBeGreaterThan(1);
  // `explain` and `check` share a row.
  expect([...fields].filter((field) => !FIELDS.get(command)?.includes(field))).toEqual([]);
});

test('so does each part of status, also one that this run could not read', () => {
  const parts = {
    control: 0,
    delegations: 0,
    sessions: 0,
    queues: 0,
    alarms: 0,
    versions: 0,
    unread: 0,
  } satisfies Record<keyof Status, 0>;
  expect(FIELDS.get('status')).toEqual(expect.arrayContaining(Object.keys(parts)));
});
