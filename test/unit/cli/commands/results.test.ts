/** Checks commands that send an operation: refusals before it is sent, and its printed result (D47). */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { type Answers, type FakeAws, fakeAws, recorded, sent } from '../fake-aws.ts';
import { cli, FIXTURES, textOf } from '../run-cli.ts';

let aws: FakeAws | undefined;
afterEach(() => aws?.close());
const empty = mkdtempSync(join(tmpdir(), 'countersign-cli-'));
afterAll(() => rmSync(empty, { recursive: true, force: true }));

const PAUSE = ['pause', '--agent', 'builder', '--deny', '--reason', 'an incident'];
const accepted = recorded({ accepted: true, reasonCode: 'paused_deny' });

async function ran(argv: readonly string[], answers: Answers, env: Readonly<Record<string, string>> = {}) {
  aws = await fakeAws({ SendMessage: sent, ...answers });
  const pauses: number[] = [];
  const settings = { COUNTERSIGN_OPERATORS_QUEUE_URL: `${aws.url}/operators`, COUNTERSIGN_AUDIT_TABLE: 'audit' };
  const { code, out, err } = await cli(argv, {
    cwd: empty,
    env: { ...settings, ...env },
    sleep: async (ms) => pauses.push(ms),
  });
  const messages = aws.asked.filter(({ operation }) => operation === 'SendMessage');
  return { code, out, err, pauses, sent: messages.map(({ body }) => JSON.parse(String(body['MessageBody']))) };
}

describe('the result of an operation', () => {
  test('is waited for under its own id, and printed', async () => {
    const done = await ran(PAUSE, { Query: recorded({ accepted: true, reasonCode: 'paused_deny' }, 3) });
    expect(done).toMatchObject({ code: 0, err: '', out: 'done: deny the agent builder (paused_deny)\n' });
    expect(done.pauses).toEqual([250, 250, 500]);
    const { createHash } = await import('node:crypto');
    const pid = createHash('sha256').update(`operation#${done.sent[0].operationId}`).digest('hex');
    expect(JSON.stringify(aws?.asked)).toContain(`operation/-operations#${pid}`);
  });

  test.each([
    [
      { reasonCode: 'unknown_agent', operation: { problem: 'scope.agent: the policy file declares no agent builder' } },
      'countersign: refused: scope.agent: the policy file declares no agent builder (unknown_agent)\n',
    ],
    [
      { reasonCode: 'owner_cannot_approve' },
      'countersign: refused: You own this agent, so somebody else has to decide about its calls. (owner_cannot_approve)\n',
    ],
    [{ reasonCode: 'toString' }, 'countersign: refused (toString)\n'],
  ])('that is a refusal, %j, exits with 1', async (result, err) => {
    const refused = recorded({ accepted: false, ...result });
    expect(await ran(PAUSE, { Query: refused })).toMatchObject({ code: 1, out: '', err });
  });

  test('is one line of JSON with --json, of a refusal too', async () => {
    const done = await ran([...PAUSE, '--json'], { Query: accepted });
    expect(JSON.parse(done.out)).toEqual({
      ...done.sent[0],
      result: { accepted: true, code: 'paused_deny', recordedAt: '2026-11-21T10:00:01.000Z' },
    });
    await aws?.close();
    const refused = await ran([...PAUSE, '--json'], { Query: recorded({ accepted: false, reasonCode: 'own_agent' }) });
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.out)).toMatchObject({ kind: 'pause', result: { accepted: false, code: 'own_agent' } });
  });

  test('that does not come within thirty seconds is no success', async () => {
    const none = await ran(PAUSE, { Query: () => ({ Items: [] }) });
    expect(none).toMatchObject({ code: 1, out: '' });
    expect(none.pauses.reduce((sum, ms) => sum + ms, 0)).toBe(30_000);
    expect(none.err).toContain('has not answered within 30 s: it may still be done');
    expect(none.err).toContain(none.sent[0].operationId);
  });

  test('that may not be read is no success, and the operation was sent', async () => {
    const blind = await ran(PAUSE, {});
    expect(blind).toMatchObject({ code: 1, out: '' });
    expect(blind.err).toMatch(/was sent, but its result cannot be read: DynamoDB: not authorized/);
    expect(blind.sent).toHaveLength(1);
  });

  test('is not waited for with --no-wait', async () => {
    const env = { COUNTERSIGN_AUDIT_TABLE: '' };
    const left = await ran([...PAUSE, '--no-wait'], {}, env);
    expect(left).toMatchObject({ code: 0, err: '' });
    expect(left.out).toMatch(/^sent: deny the agent builder\n`countersign audit --operations` shows/);
    await aws?.close();
    const nowhere = await ran(PAUSE, {}, env);
    expect(nowhere).toMatchObject({ code: 2, sent: [] });
    expect(nowhere.err).toContain(
      'COUNTERSIGN_AUDIT_TABLE is not set: export it or give --audit-table, or give --no-wait',
    );
  });
});

describe('before it is sent', () => {
  const policy = { COUNTERSIGN_POLICY: join(FIXTURES, 'policy.yaml') };
  const base = ['--reason', 'x'];
  test.each([
    [
      ['pause', '--agent', 'buildr', '--deny', ...base],
      'scope.agent: the policy file declares no agent buildr; did you mean builder?',
    ],
    [
      ['decide', '--agent', 'nobody', '--proposal', 'p', '--reject', ...base],
      'agent: the policy file declares no agent nobody',
    ],
    [
      ['sessions', 'set-mode', 'main', 'plan', '--agent', 'nobody', ...base],
      'agent: the policy file declares no agent nobody',
    ],
    [['sessions', 'revoke', 'main', '--agent', 'nobody', ...base], 'agent: the policy file declares no agent nobody'],
    [
      ['grants', 'revoke', '0123456789ab', '--agent', 'nobody', ...base],
      'agent: the policy file declares no agent nobody',
    ],
    [['sessions', 'add-rule', 'main', '--agent', 'nobody', '--deny', 'Bash', ...base], 'declares no agent nobody'],
    [
      ['delegate', 'add', 'mallory', 'alice', '--until', '3d', ...base],
      'person: the policy file declares no person mallory',
    ],
    [
      ['delegate', 'add', 'alice', 'mallory', '--until', '3d', ...base],
      'to: the policy file declares no person mallory',
    ],
    [['delegate', 'remove', 'mallory', ...base], 'person: the policy file declares no person mallory'],
  ])('%j: a name that the policy file lacks is refused', async (argv, problem) => {
    const refused = await ran(argv, { Query: accepted }, policy);
    expect(refused).toMatchObject({ code: 2, out: '', sent: [] });
    expect(refused.err).toMatch(/^countersign: not sent: /);
    expect(refused.err).toContain(problem);
    expect(refused.err).toContain('--unchecked sends it all the same');
    await aws?.close();
    expect((await ran([...argv, '--unchecked'], { Query: accepted }, policy)).sent).toHaveLength(1);
  });

  test('a tool that the policy file does not list is told, and sent', async () => {
    const pause = ['pause', '--tool', 'Bsh', '--deny', ...base];
    const told = await ran(pause, { Query: accepted }, policy);
    expect(told).toMatchObject({ code: 0, err: expect.stringContaining('lists no tool Bsh; did you mean Bash?') });
  });

  test('a policy file that does not load stops no brake', async () => {
    const file = join(empty, 'broken.yaml');
    writeFileSync(file, 'agents: 7\n');
    expect((await ran(PAUSE, { Query: accepted }, { COUNTERSIGN_POLICY: file })).sent).toHaveLength(1);
  });

  const tables = { COUNTERSIGN_STATE_TABLE: 'state', COUNTERSIGN_DEPLOYMENT: 'demo' };
  const vote = ['decide', '--agent', 'builder', '--proposal', 'p-1', '--approve', ...base];

  test('a proposal that waits for nobody is refused, where the rows may be read', async () => {
    const refused = await ran(vote, { Query: () => ({ Items: [] }) }, tables);
    expect(refused).toMatchObject({ code: 2, sent: [] });
    expect(refused.err).toContain('not sent: nothing waits for people that is named p-1 of builder');
  });

  test('a pause that is not there is not lifted', async () => {
    const lift = ['pause', '--all', '--lift', ...base];
    const refused = await ran(lift, { GetItem: () => ({}), Query: accepted }, tables);
    expect(refused).toMatchObject({ code: 2, sent: [] });
    expect(refused.err).toContain('not sent: scope: nothing of this scope is paused');
  });

  test('what may not be read is left to the gate, with a warning', async () => {
    const done = await ran(['pause', '--all', '--lift', ...base], { Query: accepted }, tables);
    expect(done).toMatchObject({ code: 0, out: 'done: lift everything (paused_deny)\n' });
    expect(done.err).toMatch(
      /^countersign: warning: could not look before it is sent: DynamoDB: not authorized[^\n]*\n$/,
    );
  });
});

describe('void-permits', () => {
  const Query = recorded({ accepted: true, reasonCode: 'permits_voided' });

  test('sends the operation, and says what it did', async () => {
    const done = await ran(['void-permits', '--reason', 'restored to 09:00'], { Query });
    expect(done).toMatchObject({ code: 0, err: '' });
    expect(done.out).toBe('done: void every permit that was issued until now (permits_voided)\n');
    expect(done.sent).toEqual([{ kind: 'void-permits', operationId: expect.any(String), reason: 'restored to 09:00' }]);
  });

  test('without a reason is not sent', async () => {
    expect(await ran(['void-permits'], { Query })).toMatchObject({
      code: 2,
      sent: [],
      err: expect.stringContaining('--reason'),
    });
  });

  test.each([
    ['y\n', [], 1],
    ['n\n', [], 0],
    ['', [], 0],
    ['', ['--yes'], 1],
  ])('on a terminal it asks first: %j, %j', async (typed, options, messages) => {
    aws = await fakeAws({ SendMessage: sent, Query });
    const env = { COUNTERSIGN_OPERATORS_QUEUE_URL: `${aws.url}/operators`, COUNTERSIGN_AUDIT_TABLE: 'audit' };
    const stdin = () => Object.assign(textOf(typed), { isTTY: true });
    const { code, out } = await cli(['void-permits', '--reason', 'x', ...options], { cwd: empty, env, stdin });
    expect(code).toBe(messages ? 0 : 1);
    expect(out.includes('It cannot be taken back. [y/N]')).toBe(!options.length);
    expect(aws.asked.filter(({ operation }) => operation === 'SendMessage')).toHaveLength(messages);
  });
});
