/** Checks the commands of operators: `pause`, `decide` and `redrive`. */
import { afterEach, describe, expect, test } from 'vitest';
import { rowOf } from '../../../../shared/cli/support/audit/audit-row.ts';
import { operation } from '../../../../shared/contract/operation.ts';
import { ANSWERED_QUEUES, REDRIVEN_QUEUES } from '../../../../shared/contract/redrive.ts';
import { type FakeAws, fakeAws, recorded, sent } from '../fake-aws.ts';
import { cli } from '../run-cli.ts';

/** The SDK sends to the queue's own address. */
const envOf = ({ url }: FakeAws) => ({
  COUNTERSIGN_OPERATORS_QUEUE_URL: `${url}/operators`,
  COUNTERSIGN_AUDIT_TABLE: 'audit',
});
let aws: FakeAws | undefined;
afterEach(() => aws?.close());

async function operationSent(argv: readonly string[]) {
  aws = await fakeAws({ SendMessage: sent, Query: recorded({ accepted: true, reasonCode: 'done' }) });
  const ran = await cli(argv, { env: envOf(aws) });
  expect(ran).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/^done: .* \(done\)\n$/) });
  const body = aws.asked[0]?.body ?? {};
  expect(body['QueueUrl']).toBe(`${aws.url}/operators`);
  const { operationId, ...rest } = operation.parse(JSON.parse(String(body['MessageBody'])));
  return rest;
}

describe('pause', () => {
  test.each([
    [['--all', '--deny'], { scope: { all: true }, effect: 'deny' }],
    [['--agent', 'builder', '--ask'], { scope: { agent: 'builder' }, effect: 'ask' }],
    [['--tool', 'Bash', '--lift'], { scope: { tool: 'Bash' }, effect: 'lift' }],
    [['--all', '--deny', '--until', '30m'], { until: '2026-11-21T10:30:00.000Z' }],
  ])('%j', async (options, fields) => {
    const sentOperation = await operationSent(['pause', ...options, '--reason', 'an incident']);
    expect(sentOperation).toMatchObject({ kind: 'pause', reason: 'an incident', ...fields });
  });

  test.each([
    [['--deny', '--reason', 'x'], 'give one of --all, --agent and --tool'],
    [['--all', '--agent', 'a', '--deny', '--reason', 'x'], 'give one of --all, --agent and --tool'],
    [['--all', '--reason', 'x'], 'give one of --deny, --ask and --lift'],
    [['--all', '--deny', '--ask', '--reason', 'x'], 'give one of --deny, --ask and --lift'],
    [['--all', '--deny'], 'say why with --reason'],
    [['--all', '--deny', '--reason', ''], 'say why with --reason'],
    [['--all', '--deny', '--reason', ' '], 'say why with --reason'],
    [
      ['--all', '--deny', '--reason', 'x', '--operators-queue-url', 'operators'],
      'COUNTERSIGN_OPERATORS_QUEUE_URL is no URL: operators',
    ],
    [['--all'], 'give one of --deny, --ask and --lift\ncountersign: say why with --reason'],
    [['--all', '--lift', '--until', '1h', '--reason', 'x'], 'leave --until away'],
    [['--tool', 'a b', '--deny', '--reason', 'x'], 'scope'],
    [['--all', '--deny', '--reason', 'x', '--until', '99999d'], '--until: 99999d is more than 366 days ahead'],
    [['--all', '--deny', '--reason', 'x', '--until', '2026-11-31'], '--until: 2026-11-31 is no time'],
  ])('not understood, and nothing is sent: %j', async (options, says) => {
    aws = await fakeAws({ SendMessage: sent });
    const ran = await cli(['pause', ...options], { env: envOf(aws) });
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err).toContain(says);
    expect(aws.asked).toEqual([]);
  });
});

test('decide sends one vote', async () => {
  const vote = ['decide', '--agent', 'builder', '--proposal', 'p-1', '--reject', '--reason', 'not now'];
  expect(await operationSent(vote)).toEqual({
    kind: 'decide',
    agent: 'builder',
    proposalId: 'p-1',
    choice: 'reject',
    reason: 'not now',
  });
});

describe('redrive', () => {
  async function redriven(argv: readonly string[], figures: { moved?: number; left?: string[] } = {}) {
    const operation = { kind: 'redrive', moved: 0, left: [], ...figures };
    aws = await fakeAws({
      SendMessage: sent,
      Query: recorded({ accepted: true, reasonCode: 'redriven', operation }),
    });
    const ran = await cli(['redrive', ...argv], { env: envOf(aws) });
    const messages = aws.asked.filter(({ operation: name }) => name === 'SendMessage');
    return { ran, asked: messages.map(({ body }) => operationIn(body)) };
  }
  const operationIn = (body: Readonly<Record<string, unknown>>) => {
    const { operationId: _, ...rest } = operation.parse(JSON.parse(String(body['MessageBody'])));
    return rest;
  };
  const WHY = ['--reason', 'mended'];

  test.each(REDRIVEN_QUEUES)('%s: one operation, whose figures are those of the record', async (queue) => {
    const { ran, asked } = await redriven([queue, ...WHY], { moved: 3 });
    expect(ran).toMatchObject({
      code: 0,
      err: '',
      out: `done: bring dead letters of ${queue} back (redriven)\n3 brought back; \`countersign status\` counts the rest.\n`,
    });
    expect(asked).toEqual([{ kind: 'redrive', queue, reason: 'mended' }]);
  });

  test('no more than --limit', async () => {
    const { ran, asked } = await redriven(['cards', '--limit', '7', '--json', ...WHY], { moved: 7 });
    expect(JSON.parse(ran.out)).toMatchObject({ queue: 'cards', result: { code: 'redriven', moved: 7, left: [] } });
    expect(asked).toEqual([{ kind: 'redrive', queue: 'cards', limit: 7, reason: 'mended' }]);
  });

  test('messages that cannot be brought back are named', async () => {
    const { ran } = await redriven(['cards', ...WHY], { left: ['m1'] });
    expect(ran).toMatchObject({ code: 1 });
    expect(ran.err).toContain('1 stayed where they are: m1');
  });

  test('a reader of the record sees the figures', () => {
    const operation = { kind: 'redrive', about: 'bring dead letters of cards back', moved: 3, left: ['m4'] };
    const entry = {
      type: 'operation' as const,
      pid: 'p',
      proposalId: null,
      agent: '-operations',
      recordedAt: '2026-11-21T10:00:01.000Z',
      policyVersion: 'a'.repeat(64),
      accepted: true,
      reasonCode: 'redriven',
      operation,
    };
    const row = rowOf({ key: { agent: '-operations', pid: 'p', sort: 'operation#m' }, entry }, { withId: false });
    expect(row.at(-1)).toBe('done: redriven, 3 moved, 1 left');
  });

  test('the function is not invoked: an operator has no right to', async () => {
    await redriven(['cards', ...WHY], { moved: 1 });
    expect(new Set(aws?.asked.map(({ operation: name }) => name))).toEqual(new Set(['SendMessage', 'Query']));
  });

  test.each(ANSWERED_QUEUES)('%s: the gate answers its dead letters by itself, and nothing is asked', async (queue) => {
    const { ran, asked } = await redriven([queue, ...WHY]);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain('answers the dead letters of this queue by itself');
    expect(asked).toEqual([]);
  });

  test('none that could be received is no word that there is none', async () => {
    const { ran } = await redriven(['cards', ...WHY]);
    expect(ran.out).toContain('No dead letter could be received now; `countersign status` counts them');
  });

  test.each([
    ['nothing', ...WHY],
    ['cards', '--limit', '0', ...WHY],
    ['cards', '--limit', '501', ...WHY],
    ['cards', '--limit', 'many', ...WHY],
    ['cards'],
  ])('not understood: %j', async (...argv) => {
    const { ran, asked } = await redriven(argv);
    expect(ran.code).toBe(2);
    expect(asked).toEqual([]);
  });
});

describe('decide --remember', () => {
  test.each(['session', 'session-all-tools'])('%s', async (remember) => {
    const vote = ['decide', '--agent', 'builder', '--proposal', 'p-1', '--approve', '--reason', 'known'];
    expect(await operationSent([...vote, '--remember', remember])).toMatchObject({ choice: 'approve', remember });
  });
  test.each([
    [['--reject', '--remember', 'session'], '--remember goes with --approve'],
    [['--approve', '--remember', 'always'], 'session-all-tools'],
  ])('not understood: %j', async (options, says) => {
    aws = await fakeAws({ SendMessage: sent });
    const vote = ['decide', '--agent', 'builder', '--proposal', 'p-1', '--reason', 'known', ...options];
    const ran = await cli(vote, { env: envOf(aws) });
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err).toContain(says);
    expect(aws.asked).toEqual([]);
  });
});

describe('rules of sessions', () => {
  const base = ['--agent', 'builder', '--reason', 'release day'];
  test.each([
    [
      ['add-rule', 'main', '--allow', 'Bash(npm test:*)', '--until', '8h'],
      {
        kind: 'add-rule',
        session: 'main',
        effect: 'allow',
        pattern: 'Bash(npm test:*)',
        until: '2026-11-21T18:00:00.000Z',
      },
    ],
    [['add-rule', '--always', '--deny', 'WebFetch'], { kind: 'add-rule', effect: 'deny', pattern: 'WebFetch' }],
    [
      ['remove-rule', 'main', '--ask', 'Bash'],
      { kind: 'remove-rule', session: 'main', effect: 'ask', pattern: 'Bash' },
    ],
  ])('%j', async (options, fields) => {
    const wanted = await operationSent(['sessions', ...options, ...base]);
    expect(wanted).toEqual({ agent: 'builder', reason: 'release day', ...fields });
  });

  test('what was done names the tool alone whose approvals are taken back', async () => {
    aws = await fakeAws({ SendMessage: sent, Query: recorded({ accepted: true, reasonCode: 'revoked' }) });
    const ran = await cli(['sessions', 'revoke', 'main', '--tool', 'Bash', ...base], { env: envOf(aws) });
    expect(ran.out).toBe('done: revoke what was approved for builder, session main, tool Bash (revoked)\n');
  });

  test.each([
    [['add-rule', '--deny', 'WebFetch'], 'name a session, or give --always'],
    [['add-rule', 'main', '--always', '--deny', 'WebFetch'], 'name a session, or give --always'],
    [['add-rule', 'main'], 'give one of --deny, --ask and --allow'],
    [['add-rule', 'main', '--deny', 'A', '--allow', 'B'], 'cannot be used with'],
    [['add-rule', 'main', '--allow', 'Bash', '--until', 'tomorrow'], 'tomorrow is no time'],
    [['add-rule', 'main', '--allow', ''], 'empty'],
    [['add-rule', 'main', '--allow', 'Bash('], 'Bash(: '],
    [['add-rule', '--always', '--allow', 'Read'], '--allow with --always needs --until, at most 90 days ahead'],
    [['add-rule', '--always', '--allow', 'Read', '--until', '91d'], '--until: 91d is more than 90 days ahead'],
    [['add-rule', 'main', '--deny', 'Read', '--until', '367d'], '--until: 367d is more than 366 days ahead'],
    [['remove-rule', 'main', '--deny', 'A', '--until', '1h'], 'unknown option'],
  ])('not understood, and nothing is sent: %j', async (options, says) => {
    aws = await fakeAws({ SendMessage: sent });
    const ran = await cli(['sessions', ...options, ...base], { env: envOf(aws) });
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err).toContain(says);
    expect(aws.asked).toEqual([]);
  });
});

describe('grants and delegations', () => {
  test.each([
    [
      ['grants', 'revoke', '0123456789ab', '--agent', 'builder', '--session', 'main'],
      { kind: 'revoke', agent: 'builder', session: 'main', grant: '0123456789ab' },
    ],
    [
      ['grants', 'revoke', '0123456789ab', '--agent', 'builder'],
      { kind: 'revoke', agent: 'builder', grant: '0123456789ab' },
    ],
    [
      ['delegate', 'add', 'alice', 'bob', '--until', '3d'],
      { kind: 'delegate', person: 'alice', to: 'bob', until: '2026-11-24T10:00:00.000Z' },
    ],
    [['delegate', 'remove', 'alice'], { kind: 'undelegate', person: 'alice' }],
  ])('%j', async (argv, fields) => {
    expect(await operationSent([...argv, '--reason', 'on leave'])).toEqual({ reason: 'on leave', ...fields });
  });

  test.each([
    [['grants', 'revoke', 'all', '--agent', 'builder'], 'grant: must be the id of a grant'],
    [['delegate', 'add', 'alice', 'bob'], "required option '--until <when>'"],
    [['delegate', 'add', 'alice', 'bob', '--until', 'never'], 'never is no time'],
    [['delegate', 'add', 'alice', 'bob', '--until', '2020-01-01'], '--until: 2020-01-01 is over already'],
    [['delegate', 'add', 'alice', 'bob', '--until', '91d'], '--until: 91d is more than 90 days ahead'],
    [['delegate', 'add', 'alice', 'bob', '--until', '3d', '--from', '91d'], '--from: 91d is more than 90 days ahead'],
  ])('not understood, and nothing is sent: %j', async (argv, says) => {
    aws = await fakeAws({ SendMessage: sent });
    const ran = await cli([...argv, '--reason', 'x'], { env: envOf(aws) });
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err).toContain(says);
    expect(aws.asked).toEqual([]);
  });
});

describe('decide: everything that a click can say', () => {
  const vote = ['decide', '--agent', 'builder', '--proposal', 'p-1', '--reason', 'Slack is down'];
  test.each([
    [['--input', '{"command":"ls"}'], { choice: 'edit', input: { command: 'ls' } }],
    [['--substitute', 'issue_refund'], { choice: 'substitute', flow: 'issue_refund' }],
    [['--answer', 'eu-west-1'], { choice: 'respond', answer: 'eu-west-1' }],
    [['--reject', '--call', 'c1', 'c3'], { choice: 'reject', calls: ['c1', 'c3'] }],
    [['--approve', '--call', 'c1'], { choice: 'approve', calls: ['c1'] }],
  ])('%j', async (options, fields) => {
    expect(await operationSent([...vote, ...options])).toMatchObject(fields);
  });
  test.each([
    [[], 'give one of --approve, --reject, --input, --substitute and --answer'],
    [['--approve', '--answer', 'yes'], 'give one of'],
    [['--input', '{"a":'], '--input: it is not JSON at line 1, column 6'],
    [['--input', 'nowhere.json'], 'there is no such file'],
    [['--input', '{"a":1,"a":2}'], '--input: '],
    [['--answer', ''], 'answer: must not be empty'],
    [['--answer', 'x', '--call', 'c1'], '--call goes with'],
  ])('not understood: %j', async (options, says) => {
    aws = await fakeAws({ SendMessage: sent });
    const ran = await cli([...vote, ...options], { env: envOf(aws) });
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err).toContain(says);
    expect(aws.asked).toEqual([]);
  });
});

describe('a rule for a session is looked at before it is sent', () => {
  const adding = async (options: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    aws = await fakeAws({ SendMessage: sent, Query: recorded({ accepted: true, reasonCode: 'done' }) });
    const argv = ['sessions', 'add-rule', 'main', ...options, '--agent', 'builder', '--reason', 'release day'];
    const { code, out, err } = await cli(argv, { env: { ...envOf(aws), ...more } });
    return { code, out, err, sent: aws.asked.filter(({ operation: one }) => one === 'SendMessage').length };
  };
  const POLICY = { COUNTERSIGN_POLICY: 'policy.yaml' };

  test.each([
    ['--allow', 'Bsh(ls:*)', {}, 'no tool Bsh is listed; did you mean Bash?'],
    ['--deny', 'Bsh(ls:*)', POLICY, 'no tool Bsh is listed; did you mean Bash?'],
    ['--allow', 'Bash(npm*)', {}, 'did you mean Bash(npm:*)?'],
    ['--allow', 'Bash(eval:*)', {}, 'grants nothing, not even `eval`'],
    ['--deny', 'Bash(cd x && rm:*)', {}, 'did you mean Bash(rm:*)?'],
    ['--allow', 'Bash(rm -rf build:*)', POLICY, 'beside the policy file: deny Bash(rm:*) at policy.yaml:14:7'],
    ['--allow', 'Read(.env)', POLICY, 'a protected path (.env)'],
  ])('%s %s, with the policy file %j: a warning, and it is sent', async (option, rule, more, says) => {
    const ran = await adding([option, rule], more);
    expect(ran).toMatchObject({ code: 0, sent: 1 });
    expect(ran.err).toMatch(/^countersign: warning: [^\n]*\n$/);
    expect(ran.err).toContain(says);
  });

  test.each([
    ['--deny', 'Bash(git:* push)', 'did you mean Bash(git push:*)?'],
    ['--allow', '*', 'grants nothing'],
    ['--ask', 'bash(make:*)', 'did you mean Bash?'],
  ])('%s %s, which the gate refuses, is not sent', async (option, rule, says) => {
    const ran = await adding([option, rule]);
    expect(ran).toMatchObject({ code: 2, sent: 0, out: '' });
    expect(ran.err).toContain(says);
  });

  test.each([
    ['--allow', 'Bash(npm test:*)', {}],
    ['--allow', 'mcp__pay__send', POLICY],
    ['--deny', 'OwnTool', {}],
    ['--deny', 'Read(**/.env)', POLICY],
  ])('%s %s, with the policy file %j, says what it means', async (option, rule, more) => {
    expect(await adding([option, rule], more)).toMatchObject({ code: 0, sent: 1, err: '' });
  });

  test('a policy file that does not load is none', async () => {
    const more = { COUNTERSIGN_POLICY: 'none.yaml' };
    expect(await adding(['--allow', 'Bash(ls:*)'], more)).toMatchObject({ code: 0, sent: 1, err: '' });
  });
});
