/**
 * Checks that no part of a call's destination hides behind a mark in an approval (A20, D33).
 *
 * Holds for every way in which a yes comes.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { INVENTED_SECRETS } from '../../../../support/invented-secrets.ts';
import { bash, policyOf, World } from '../../world.ts';

const TOKEN = INVENTED_SECRETS.find(({ kind }) => kind === 'github')?.secret as string;
const COPY = 'mcp__fs__copy';
const tools = (more = '') => policyOf({ more: `tools: { ${COPY}: { permissions: [Write]${more} } }` });

const buttonsOf = (world: World): string[] =>
  [...world.slack.cards.values()].flatMap(({ blocks }) =>
    blocks.flatMap((block) =>
      block.type === 'actions'
        ? block.elements.map((element) => ('action_id' in element ? (element.action_id ?? '') : ''))
        : [],
    ),
  );

const APPROVING = ['countersign_approve', 'countersign_session', 'countersign_edit'];

/** Every way to say yes: a click, an operator, an edit. */
async function yesInEveryWay(world: World, proposalId = 'p'): Promise<void> {
  await world.click(proposalId, 'alice');
  await world.click(proposalId, 'alice', 'approve', { remember: 'session' });
  await world.edit(proposalId, 'alice', { command: 'make y' });
  const decide = (operationId: string, more: object) =>
    world.gate.operateAs(
      'oncall',
      JSON.stringify({ kind: 'decide', operationId, reason: 'r', agent: 'coder', proposalId, ...more }),
    );
  decide('o1', { choice: 'approve' });
  decide('o2', { choice: 'edit', input: { command: 'make y' } });
  await world.rest();
}

async function expectUnapprovable(world: World, hidden: string): Promise<void> {
  expect(JSON.stringify([...world.slack.cards.values()])).not.toContain(hidden);
  for (const button of APPROVING) expect(buttonsOf(world)).not.toContain(button);
  expect(buttonsOf(world)).toContain('countersign_reject');
  await yesInEveryWay(world);
  expect(await world.decision('p')).toBeUndefined();
  await world.click('p', 'alice', 'reject');
  expect((await world.decided('p')).outcome).toBe('denied');
}

describe('a place behind a secret’s name', () => {
  test.each([
    'from',
    'source',
    'src',
    'dest',
    'root',
    'output',
    'out',
    'glob',
    'pattern',
    'location',
    'key',
    'object',
    'branch',
    'ref',
    'image',
    'server',
    'webhook',
    'callback',
    'table',
    'database',
    'recipient',
    'account',
    'file_path',
    'targetFile',
    'url',
    'host',
    'old_path',
    'somewhere',
  ])('in %s: no button, no vote, no operator and no edit lets it run', async (field) => {
    const world = new World(tools());
    const input = { [field]: 'token=/../etc/cron.d/x', note: 'n' };
    await world.send({ kind: 'tool-call', proposalId: 'p', toolName: COPY, input });
    await expectUnapprovable(world, '/etc/cron.d');
  });

  test('in the folder of the call', async () => {
    const world = new World();
    await world.send(bash('p', 'make x', { cwd: '/tmp/token=/../../etc/cron.d' }));
    await expectUnapprovable(world, '/etc/cron.d');
  });

  test.each([
    'zap --token ../../etc/x /tmp/x',
    'zap x: basic /tmp/../tmp/important',
    'curl --token evil.example',
    `cat <<EOF\n-----BEGIN PRIVATE KEY-----\nEOF\nreboot\n-----END PRIVATE KEY-----`,
  ])('in a command: %s', async (command) => {
    const world = new World();
    await world.send(bash('p', command));
    for (const button of APPROVING) expect(buttonsOf(world)).not.toContain(button);
    await yesInEveryWay(world);
    expect(await world.decision('p')).toBeUndefined();
  });

  test('in a field that the tool’s rules look at', async () => {
    const world = new World(tools(', subject: [what]'));
    await world.send({ kind: 'tool-call', proposalId: 'p', toolName: COPY, input: { what: `use ${TOKEN}` } });
    await expectUnapprovable(world, TOKEN);
  });

  test('in the action that a person would substitute or approve', async () => {
    const world = new World(tools());
    const input = { [`a ${TOKEN}`]: 'x' };
    await world.send({ kind: 'tool-call', proposalId: 'p', toolName: COPY, input });
    await expectUnapprovable(world, TOKEN);
  });

  test('named as a key, with a command below it', async () => {
    const world = new World(tools());
    const input = { 'private key': { command: 'rm something', path: 'x' } };
    await world.send({ kind: 'tool-call', proposalId: 'p', toolName: COPY, input });
    await expectUnapprovable(world, 'rm something');
  });
});

describe('a secret that is only a value', () => {
  test.each([
    ['a command', bash('p', `git push https://x:${TOKEN}@git.example/r.git main`)],
    ['a field', { kind: 'tool-call', proposalId: 'p', toolName: COPY, input: { to: 'x', password: 'hunter22' } }],
    ['an AWS secret, which may hold a slash', bash('p', `AWS_SECRET_ACCESS_KEY=${INVENTED_SECRETS[1]?.secret} deploy`)],
    [
      'a file’s text',
      { kind: 'tool-call', proposalId: 'p', toolName: COPY, input: { to: 'x.txt', content: 'TOKEN=a/../b' } },
    ],
    [
      'an argument after its option',
      { kind: 'tool-call', proposalId: 'p', toolName: COPY, input: { args: ['--token', TOKEN] } },
    ],
  ])('in %s is approved, and not edited', async (_, message) => {
    const world = new World(tools());
    await world.send(message);
    expect(buttonsOf(world)).toContain('countersign_approve');
    expect(buttonsOf(world)).not.toContain('countersign_edit');
    await world.click('p', 'alice');
    expect((await world.decided('p')).outcome).toBe('approved');
  });

  test('elsewhere in the proposal: what cannot be edited offers no edit', async () => {
    const world = new World();
    await world.send(bash('p', 'make x', { description: `I have ${TOKEN}` }));
    expect(buttonsOf(world)).not.toContain('countersign_edit');
    expect(buttonsOf(world)).toContain('countersign_approve');
  });
});

test('for all calls: the buttons and the vote agree, and no path is approved that the card hides', async () => {
  const field = fc.constantFrom('from', 'to', 'frm', 'content', 'token', 'command', 'note', 'password', 'x');
  const name = fc.constantFrom('token=', 'password: ', '--secret ', 'Bearer ', 'api_key=', '');
  const place = fc.constantFrom('/etc/shadow', '../../../x/yyyy', 'C:\\Windows', '~/.ssh', 'evil.example', 'hunter22');
  const part = fc.tuple(fc.constantFrom('', 'a ', '/tmp/', 'x '), name, place).map((texts) => texts.join(''));
  await fc.assert(
    fc.asyncProperty(fc.dictionary(field, part, { minKeys: 1, maxKeys: 3 }), fc.option(part), async (input, cwd) => {
      const world = new World(tools());
      const folder = cwd === null ? {} : { cwd: `/tmp/${cwd}` };
      await world.send({ kind: 'tool-call', proposalId: 'p', toolName: COPY, input, ...folder });
      if (await world.decision('p')) return;
      const isOffered = buttonsOf(world).includes('countersign_approve');
      const shown = JSON.stringify([...world.slack.cards.values()]);
      await world.click('p', 'alice');
      expect((await world.decision('p'))?.outcome).toBe(isOffered ? 'approved' : undefined);
      for (const [key, text] of Object.entries({ ...input, ...folder })) {
        const hides = /etc\/shadow|\.\.|Windows|\.ssh/.exec(text)?.[0];
        if (isOffered && hides && key !== 'content' && key !== 'note') expect(shown).toContain(hides);
      }
    }),
    { numRuns: 60 },
  );
});

test.each([
  ['a folder', bash('p', 'make x', { cwd: '/tmp/token=/../../etc/cron.d' })],
  [
    'one of two calls',
    {
      kind: 'tool-call',
      proposalId: 'p',
      calls: [
        { id: 'a', toolName: 'Bash', input: { command: 'make x' } },
        { id: 'b', toolName: 'Bash', input: { command: 'make y' }, cwd: '/tmp/token=/../../etc/cron.d' },
      ],
    },
  ],
])('silence approves nothing that nobody may approve: %s behind a mark', async (_, proposal) => {
  const world = new World(policyOf({ more: 'tools: { Bash: { permissions: [Execute], timeoutBehavior: Approve } }' }));
  await world.send(bash('control', 'make z'));
  await world.send(proposal);
  await world.clock.advance(61 * 60_000);
  expect((await world.decided('control')).outcome).toBe('approved');
  expect((await world.decided('p')).outcome).toBe('expired');
});
