/**
 * Checks that nobody decides unseen: `pending PROPOSAL`, and the view before `decide` (A5, D33).
 *
 * `decide` shows the call on a terminal before it asks.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterEach, describe, expect, test } from 'vitest';
import type { Approval } from '../../../../shared/contract/index.ts';
import { pidOf } from '../../../../shared/domain/digest.ts';
import { type FakeAws, fakeAws, recorded, sent, waitingRows } from '../fake-aws.ts';
import { acts, cli, NOW, textOf } from '../run-cli.ts';

const pid = pidOf('Countersign', 'builder', 'p-1');
const hex = (digit: string) => digit.repeat(64);
let aws: FakeAws | undefined;
afterEach(() => aws?.close());

const edited = { command: 'git push --dry-run' };
const call = {
  id: 'call',
  toolName: 'Bash',
  actionDigest: hex('c'),
  why: 'A push leaves.',
  severity: 'medium',
} as const;
const asked = {
  offers: ['approve', 'reject'],
  severity: 'medium',
  place: 'calls',
  digest: hex('b'),
  stages: [{ group: 'platform', quorum: 1, team: 'T0DEMO', channel: 'C0APPROVALS' }],
  stagesDigest: hex('d'),
} as const;
const row = (more: Record<string, unknown> = {}) =>
  ({
    pid,
    proposalId: 'p-1',
    agent: 'builder',
    owner: { team: 'T0DEMO', user: 'U0OLGA' },
    sessionId: 'main',
    version: 0,
    round: 1,
    status: 'pending',
    question: { kind: 'calls', ...asked, calls: [call] },
    votes: [],
    requestedAt: new Date(NOW - 100_000).toISOString(),
    expiresAt: new Date(NOW + 3_500_000).toISOString(),
    policyVersion: hex('e'),
    ...more,
  }) as unknown as Approval;
const PUSH = {
  kind: 'tool-call',
  proposalId: 'p-1',
  reason: 'Trust me \u202e\u001b[2J',
  calls: [{ id: 'call', toolName: 'Bash', input: { command: 'git push \u001b[2J origin' } }],
};

const choice = {
  kind: 'action-choice',
  proposalId: 'p-1',
  policy: 'careful',
  actionSpace: {
    persona_id: 'ops',
    actions: [
      { flow_id: 'refund', persona_id: 'ops' },
      { flow_id: 'cancel', persona_id: 'ops', instance_bindings: { Order: ['all\u202eorders'] } },
    ],
  },
  snapshot: { facts: {}, entity_states: {}, observed_at: new Date(NOW).toISOString() },
};

/** The tables' rows of the approval. */
async function holding(
  approval: Approval,
  proposal: unknown = PUSH,
  kept: Record<string, unknown> = {},
  waiters: readonly string[] = [],
) {
  const about = { pk: `approval#${pid}` };
  const row = marshall({ ...about, sk: 'row', approval });
  const listed = waitingRows([row]);
  const done = recorded({ accepted: true, reasonCode: 'vote_approve' });
  const stored = {
    Items: [
      row,
      marshall({ ...about, sk: 'proposal', body: JSON.stringify(proposal), ...kept }, { removeUndefinedValues: true }),
      ...waiters.map((waiter) => marshall({ ...about, sk: `waiter#${waiter}` })),
    ],
  };
  aws = await fakeAws({
    SendMessage: sent,
    ...listed,
    Query: (body) => {
      if (body['TableName'] === 'audit') return done(body);
      return body['IndexName'] ? (listed['Query']?.(body, '') ?? {}) : stored;
    },
  });
  return {
    COUNTERSIGN_DEPLOYMENT: 'Countersign',
    COUNTERSIGN_STATE_TABLE: 'state',
    COUNTERSIGN_AUDIT_TABLE: 'audit',
    COUNTERSIGN_OPERATORS_QUEUE_URL: `${aws.url}/operators`,
  };
}
const messages = () =>
  (aws?.asked ?? []).flatMap(({ operation, body }) =>
    operation === 'SendMessage' ? [JSON.parse(String(body['MessageBody'])) as Record<string, unknown>] : [],
  );

/** `decide` by somebody who sits at a terminal and types `typed`. */
async function decide(env: Record<string, string>, typed: string, ...more: string[]) {
  const input = Object.assign(textOf(typed), { isTTY: true });
  const vote = ['decide', '--agent', 'builder', '--proposal', 'p-1', '--reason', 'Slack is down'];
  return cli([...vote, ...(more.length ? more : ['--approve'])], { env, stdin: () => input });
}

test('decide sends the vote on a question of an agent that left the policy file, and none on what it never asked', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-left-'));
  const COUNTERSIGN_POLICY = join(folder, 'policy.yaml');
  const before = readFileSync(join(import.meta.dirname, '../policy.yaml'), 'utf8');
  writeFileSync(COUNTERSIGN_POLICY, before.replace('  builder:', '  other:'));
  try {
    const env = { ...(await holding(row())), COUNTERSIGN_POLICY };
    const vote = ['decide', '--agent', 'builder', '--reject', '--reason', 'gone', '--yes', '--proposal'];
    expect(await cli([...vote, 'p-1'], { env })).toMatchObject({ code: 0 });
    await holding(row({ status: 'rejected' }));
    const ended = await cli([...vote, 'p-1'], { env });
    expect(ended).toMatchObject({ code: 2, err: expect.stringContaining('declares no agent builder') });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe('pending PROPOSAL', () => {
  test('shows the letters of a tool that looks like another, as its card does', async () => {
    const calls = [{ ...call, toolName: 'R\u0435ad\n\u001b[2J' }];
    const env = await holding(row({ question: { kind: 'calls', ...asked, calls } }));
    const { out } = await cli(['pending', 'p-1'], { env });
    expect(out).toContain('call: R\\u{0435}ad\\u{000a}\\u{001b}[2J would run, asked because: A push leaves.');
  });

  test('shows what would run, and nothing of it takes effect', async () => {
    const env = await holding(row(), PUSH, { sealed: hex('f') });
    const { code, out } = await cli(['pending', 'p-1'], { env });
    expect(code).toBe(0);
    for (const words of [
      'p-1 of builder, session main, round 1',
      'asked of platform: 0 votes, 1 needed; severity medium',
      'Secrets were taken out',
      'call: Bash would run, asked because: A push leaves.',
      '"command": "git push \\u001b[2J origin"',
      '> Trust me',
    ])
      expect(out).toContain(words);
    expect(acts(out)).toBe(false);
  });

  test('tells of a text that goes on out of sight, and of the one line in which an edit differs', async () => {
    const hidden = { ...PUSH, calls: [{ ...PUSH.calls[0], input: { command: `ls${' '.repeat(400)}; make all` } }] };
    const { out } = await cli(['pending', 'p-1'], { env: await holding(row(), hidden) });
    expect(out).toContain('The text goes on behind 400 blanks.');
    await aws?.close();
    const lines = Array.from({ length: 12 }, (_, index) => `line ${index}`).join('\n');
    const input = { old_string: `${lines}\nif (admin)\n${lines}`, new_string: `${lines}\nif (!admin)\u001b\n${lines}` };
    const edit = { ...PUSH, calls: [{ ...PUSH.calls[0], input }] };
    const shown = await cli(['pending', 'p-1'], { env: await holding(row(), edit) });
    expect(shown.out).toContain('from line 13 on:\n- if (admin)\n+ if (!admin)\\u{001b}\n');
  });

  test('counts a rejection apart from the votes for it', async () => {
    const cast = { name: 'al', stage: 0, at: new Date(0).toISOString(), via: 'slack' };
    const votes = ['approve', 'reject'].map((choice) => ({ ...cast, choice, by: { team: 'T0DEMO', user: choice } }));
    const { out } = await cli(['pending', 'p-1'], { env: await holding(row({ votes })) });
    expect(out).toContain('1 votes, 1 needed, 1 against;');
  });

  test('tells what the card tells: what is certain, for how many calls, what comes of silence, and what else begins', async () => {
    const calls = [{ ...call, touches: { paths: ['deletes build'], outside: true } }];
    const question = { kind: 'calls', ...asked, calls, onTimeout: 'approve' };
    const starts = { agentId: 'helper', sessionId: 'deep-1' };
    const mixed = { ...PUSH.calls[0], input: { command: 'git push https://g\u0456thub.example/x' } };
    const env = await holding(row({ question }), { ...PUSH, calls: [mixed], starts }, {}, ['w-1', 'w-2']);
    const { out } = await cli(['pending', 'p-1'], { env });
    expect(out).toContain('Take note: deletes build · leaves the project folder · a letter of another script');
    expect(out).toContain('g\\u{0456}thub');
    expect(out).toContain('asked 3 times so far: one answer is for all of these');
    expect(out).toContain('left, then it runs without an answer');
    expect(out).toContain('This also starts the session deep-1 of helper');
    expect(acts(out)).toBe(false);
    const refused = { name: 'al', stage: 0, at: new Date(0).toISOString(), via: 'slack', choice: 'reject' };
    const votes = [{ ...refused, by: { team: 'T0DEMO', user: 'U0ALICE' } }];
    const later = await cli(['pending', 'p-1'], { env: await holding(row({ question, votes })) });
    expect(later.out).not.toContain('then it runs');
  });

  test('tells which calls of a batch have their answer, and what a person changed', async () => {
    const two = ['one', 'two'].map((id) => ({ ...call, id }));
    const cast = { name: 'al', stage: 0, at: new Date(0).toISOString(), via: 'slack', choice: 'approve' };
    const votes = [{ ...cast, by: { team: 'T0DEMO', user: 'U0ALICE' }, calls: [{ id: 'one', choice: 'reject' }] }];
    const proposed = two.map(({ id, toolName }) => ({ id, toolName, input: { command: 'git push' } }));
    const env = await holding(row({ question: { kind: 'calls', ...asked, calls: two }, votes }), {
      ...PUSH,
      calls: proposed,
    });
    const { out } = await cli(['pending', 'p-1'], { env });
    expect(out).toContain('one: Bash is rejected and does not run, asked because');
    expect(out).toContain('two: Bash would run, asked because');
    const changed = { kind: 'calls', ...asked, calls: [{ ...call, input: edited }] };
    const after = await cli(['pending', 'p-1'], { env: await holding(row({ question: changed, round: 2 })) });
    expect(after.out).toContain('Changed: command: git push \\u{001b}[2J origin → git push --dry-run');
  });

  test('says of a call that nobody can judge that it cannot be approved', async () => {
    const hidden = { ...PUSH, calls: [{ ...PUSH.calls[0], input: { command: '‹redacted: github› push' } }] };
    const { out } = await cli(['pending', 'p-1'], { env: await holding(row(), hidden) });
    expect(out).toContain('this cannot be judged, so not approved.');
  });

  test('shows where it would run, if the agent said so', async () => {
    const [one] = PUSH.calls;
    const env = await holding(row(), { ...PUSH, calls: [{ ...one, cwd: '/workspace/app\u001b[2J' }] });
    const { out } = await cli(['pending', 'p-1'], { env });
    expect(out).toContain('in the folder /workspace/app\\u{001b}[2J\n');
    expect((await cli(['pending', 'p-1'], { env: await holding(row()) })).out).not.toContain('in the folder');
  });

  test.each([
    [
      'a choice',
      {
        kind: 'choice',
        ...asked,
        policy: 'careful',
        why: 'A refund.',
        proposed: { index: 0, digest: hex('1'), flowId: 'refund', personaId: 'ops' },
      },
      ['refund as ops would run, chosen by careful', '"flow_id": "refund"'],
    ],
    [
      'a question',
      { kind: 'input', ...asked, offers: ['respond', 'reject'], question: 'Which region?', choices: ['eu', 'us'] },
      ['the agent asks:', 'Which region?', '- eu'],
    ],
  ])('%s', async (_, question, says) => {
    const input = { kind: 'input-request', proposalId: 'p-1', question: 'Which region?', choices: ['eu', 'us'] };
    const env = await holding(row({ question }), question.kind === 'choice' ? choice : input);
    const { out, err } = await cli(['pending', 'p-1'], { env });
    expect(err).toBe('');
    for (const words of says) expect(out).toContain(words);
  });

  test('one that does not wait is named, in one line', async () => {
    const env = await holding(row());
    const ran = await cli(['pending', 'p-2'], { env });
    expect(ran).toMatchObject({ code: 1, err: 'countersign: nothing waits for people that is named p-2\n' });
  });

  test('what is kept elsewhere, because it is large, is said so', async () => {
    const env = await holding(row(), undefined, { bodyDigest: hex('9'), body: undefined });
    expect((await cli(['pending', 'p-1'], { env })).out).toContain('over 8 KB');
  });
});

describe('decide on a terminal', () => {
  test('shows what would run and which round, and sends a yes for that round', async () => {
    const calls = [{ ...call, input: edited }];
    const env = await holding(row({ round: 2, question: { kind: 'calls', ...asked, calls } }));
    const { code, out } = await decide(env, 'y\n');
    expect(code).toBe(0);
    expect(out).toContain('round 2');
    expect(out).toContain('as a person edited it');
    expect(out).toContain('"command": "git push --dry-run"');
    expect(out).toContain('Send "approve p-1 of builder", about round 2? [y/N]');
    expect(messages()).toMatchObject([{ kind: 'decide', choice: 'approve', round: 2 }]);
  });

  test('an edit shows what would run instead', async () => {
    const { out } = await decide(await holding(row()), 'yes\n', '--input', JSON.stringify(edited));
    expect(out).toMatch(/instead would run:\n\{\n {2}"command": "git push --dry-run"/);
    expect(messages()).toMatchObject([{ choice: 'edit', round: 1, input: edited }]);
  });

  test('another action shows whole what would run instead', async () => {
    const proposed = { index: 0, digest: hex('1'), flowId: 'refund', personaId: 'ops' };
    const question = { kind: 'choice', ...asked, policy: 'careful', why: 'A refund.', proposed };
    const [refund, ...others] = choice.actionSpace.actions;
    const actions = [{ ...refund, description: 'for p\u0430ypal, ‹redacted: github›' }, ...others];
    const asking = { ...choice, actionSpace: { ...choice.actionSpace, actions } };
    const { out } = await decide(await holding(row({ question }), asking), 'y\n', '--substitute', 'cancel');
    expect(out).toMatch(/Take note: a letter of another script .*p\\u\{0430\}ypal · 1 secret was taken out/);
    const instead = out.slice(out.indexOf('instead would run:'));
    expect(instead).toContain('"flow_id": "cancel"');
    expect(instead).toContain('all\\u202eorders');
    expect(instead).not.toContain('"flow_id": "refund"');
    expect(messages()).toMatchObject([{ choice: 'substitute', flow: 'cancel' }]);
  });

  test.each([
    ['a no', row(), 'n\n', [], 'not sent'],
    ['nothing typed', row(), '', [], 'not sent'],
    [
      'another round than the one that is meant',
      row({ round: 2 }),
      'y\n',
      ['--approve', '--round', '1'],
      'round 2 is asked now, not 1',
    ],
    ['one that ended', row({ status: 'approved' }), 'y\n', [], 'waits no more: it is approved'],
    ['one that follows another', row({ follows: hex('7') }), 'y\n', [], 'asked before it'],
  ] as const)('%s sends nothing', async (_, approval, typed, more, says) => {
    const { code, err } = await decide(await holding(approval), typed, ...more);
    expect(code).not.toBe(0);
    expect(err).toContain(says);
    expect(messages()).toEqual([]);
  });

  test.each([
    ['--yes', ['SendMessage']],
    ['--json', ['Query', 'SendMessage']],
  ])('%s asks nothing', async (option, operations) => {
    const { code, out } = await decide(await holding(row()), '', '--approve', option, '--no-wait');
    expect(code).toBe(0);
    expect(out).not.toContain('[y/N]');
    expect(aws?.asked.map(({ operation }) => operation)).toEqual(operations);
  });
});
