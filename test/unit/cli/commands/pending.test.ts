/** Tests `countersign pending`: the approvals that wait, their order, and the lines for faults. */
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterEach, describe, expect, test } from 'vitest';
import type { Approval } from '../../../../shared/contract/index.ts';
import { pidOf } from '../../../../shared/domain/digest.ts';
import { type FakeAws, fakeAws, waitingRows } from '../fake-aws.ts';
import { cli, NOW } from '../run-cli.ts';

const env = {
  COUNTERSIGN_DEPLOYMENT: 'Countersign',
  COUNTERSIGN_AUDIT_TABLE: 'audit',
  COUNTERSIGN_STATE_TABLE: 'state',
};
const hex = (digit: string) => digit.repeat(64);
const ago = (seconds: number) => new Date(NOW - seconds * 1000).toISOString();

let aws: FakeAws | undefined;
afterEach(() => aws?.close());

const waiting = (proposalId: string, more: Partial<Approval> = {}): Approval => ({
  pid: hex('a'),
  proposalId,
  agent: 'builder',
  owner: { team: 'T0DEMO', user: 'U0OLGA' },
  sessionId: 'main',
  version: 0,
  round: 1,
  status: 'pending',
  question: {
    kind: 'calls',
    offers: ['approve', 'reject'],
    severity: 'medium',
    place: 'calls',
    digest: hex('b'),
    calls: [
      { id: 'call', toolName: 'Bash', actionDigest: hex('c'), why: 'A push leaves this machine.', severity: 'medium' },
    ],
    stages: [{ group: 'platform', quorum: 1, team: 'T0DEMO', channel: 'C0APPROVALS' }],
    stagesDigest: hex('d'),
  },
  votes: [],
  requestedAt: ago(100),
  expiresAt: new Date(NOW + 3_500_000).toISOString(),
  policyVersion: hex('e'),
  ...more,
});

const LEADS = { group: 'leads', team: 'T0DEMO', channel: 'C0' };
const stored = (approval: Approval) => marshall({ pk: `approval#${approval.pid}`, sk: 'row', approval });

/** Requests of a trace, besides the list of what waits. */
async function traced(from: FakeAws, ...args: string[]): Promise<string> {
  const before = from.asked.length;
  await cli(['trace', ...args], { env });
  return JSON.stringify(from.asked.slice(before).filter(({ operation }) => operation !== 'BatchGetItem'));
}

describe('pending', () => {
  test('lists what waits, the oldest first, and nothing that ended', async () => {
    const rows = [
      waiting('p-2', { requestedAt: ago(50) }),
      waiting('p-1'),
      waiting('p-3', { status: 'approved' }),
      waiting('p-4', { requestedAt: ago(4000), expiresAt: ago(1), agent: 'planner' }),
    ];
    aws = await fakeAws(waitingRows(rows.map(stored)));
    const ran = await cli(['pending'], { env });
    expect(ran).toMatchObject({ code: 0, err: '' });
    await expect(ran.out).toMatchFileSnapshot('golden/pending.txt');
    const read = aws.asked.map(({ operation, body }) => [operation, body['IndexName']]);
    expect(new Set(read.map(String))).toEqual(new Set(['Query,byLook', 'Query,byDue', 'BatchGetItem,']));
    const json = await cli(['pending', '--json', '--agent', 'planner'], { env });
    expect(json.lines).toMatchObject([{ proposalId: 'p-4', agent: 'planner', tools: ['Bash'], asks: ['platform'] }]);
  });

  test('shows the letters of a name that looks like another, as App Home does', async () => {
    const row = waiting('p-1');
    const calls =
      row.question.kind === 'calls' ? row.question.calls.map((one) => ({ ...one, toolName: 'R\u0435ad' })) : [];
    aws = await fakeAws(
      waitingRows([stored({ ...row, question: { ...row.question, calls } as Approval['question'] })]),
    );
    expect((await cli(['pending'], { env })).out).toContain('R\\u{0435}ad');
  });

  test('shows the call, its severity, the votes so far by name, and the end of the stage with what comes then', async () => {
    const stages = [
      { group: 'platform', quorum: 2, team: 'T0DEMO', channel: 'C0', timeoutMs: 120_000, escalateTo: LEADS },
      { group: 'release', quorum: 1, team: 'T0DEMO', channel: 'C0' },
    ];
    const row = waiting('p-1');
    const cast = { name: 'al', stage: 0, at: ago(5), via: 'slack', by: { team: 'T0DEMO', user: 'U0ALICE' } } as const;
    const asked = waiting('p-1', {
      question: { ...row.question, severity: 'high', stages },
      votes: [{ choice: 'approve', ...cast }],
    });
    const body = JSON.stringify({
      kind: 'tool-call',
      proposalId: 'p-1',
      calls: [{ id: 'call', toolName: 'Bash', input: { command: 'git push origin main' } }],
    });
    const text = marshall({ pk: `approval#${asked.pid}`, sk: 'proposal', body });
    aws = await fakeAws(waitingRows([stored(asked), text]));
    const { out } = await cli(['pending'], { env: { ...env, COUNTERSIGN_POLICY: 'people.yaml' }, columns: 200 });
    expect(out).toMatch(
      /git push origin main {2}high {6}platform \(stage 1 of 2\) {2}1 of 2: \S.* {2}20s, then leads too/,
    );
    const { lines } = await cli(['pending', '--json'], { env });
    const stageEndsAt = new Date(NOW + 20_000).toISOString();
    expect(lines).toMatchObject([{ call: 'git push origin main', severity: 'high', stageEndsAt }]);
  });

  test('says of a stage whose silence approves that it runs then', async () => {
    const row = waiting('p-1');
    const silent = waiting('p-1', { question: { ...row.question, onTimeout: 'approve' } });
    aws = await fakeAws(waitingRows([stored(silent)]));
    expect((await cli(['pending'], { env, columns: 200 })).out).toContain('58m 20s, then it runs');
  });

  test('counts no rejection as a vote for it, also one call by call', async () => {
    const cast = (user: string) =>
      ({ name: user, stage: 0, at: ago(5), via: 'slack', by: { team: 'T0DEMO', user } }) as const;
    const votes: Approval['votes'] = [
      { choice: 'approve', ...cast('U0ALICE') },
      { choice: 'reject', ...cast('U0BOB') },
      { choice: 'approve', ...cast('U0CAROL'), calls: [{ id: 'call', choice: 'reject' }] },
    ];
    aws = await fakeAws(waitingRows([stored(waiting('p-1', { votes }))]));
    const { out } = await cli(['pending'], { env, columns: 200 });
    expect(out).toContain('1 of 1: U0ALICE; against: U0BOB, U0CAROL');
  });

  test('says why people do not see a card, where one cannot be posted', async () => {
    const Items = [
      { ...stored(waiting('p-1')), ...marshall({ cardProblem: 'not_in_channel' }) },
      stored(waiting('p-2')),
    ];
    aws = await fakeAws(waitingRows(Items));
    const { out } = await cli(['pending'], { env });
    expect(out).toMatch(/CARD/);
    expect(out).toMatch(/p-1 .*not_in_channel/);
  });

  test('finds an approval by the id on its card, which tells two equal calls apart; trace does so as well', async () => {
    const pid = pidOf('Countersign', 'builder', 'p-2');
    const [one, two] = [stored(waiting('p-1')), stored(waiting('p-2', { pid }))];
    aws = await fakeAws(waitingRows([one, two]));
    const { lines } = await cli(['pending', pid.slice(0, 12), '--json'], { env });
    expect(lines).toMatchObject([{ proposalId: 'p-2' }]);
    expect((await cli(['pending', pid.slice(0, 11)], { env })).code).toBe(1);
    expect(await traced(aws, pid.slice(0, 12))).toContain(`"approval#${pid}"`);
  });

  test('no card hides another that shows the same id, nor a proposal that is named so, of pending and trace', async () => {
    const pid = pidOf('Countersign', 'builder', 'p-1');
    const id = pid.slice(0, 12);
    const named = pidOf('Countersign', 'builder', id);
    const pids = { 'p-1': pid, 'p-2': id.padEnd(64, '0'), [id]: named };
    const rows = Object.entries(pids).map(([proposalId, pid]) => stored(waiting(proposalId, { pid })));
    aws = await fakeAws(waitingRows(rows));
    const { lines } = await cli(['pending', id, '--json'], { env });
    expect((lines as { pid: string }[]).map(({ pid }) => pid).sort()).toEqual(Object.values(pids).sort());
    const asked = await traced(aws, id, '--agent', 'builder');
    for (const one of Object.values(pids)) expect(asked).toContain(`"approval#${one}"`);
    expect(await traced(aws, id, '--agent', 'planner')).not.toContain(`"approval#${pid}"`);
  });

  test('reads every page', async () => {
    const rows = ['p-1', 'p-2'].map((id) => stored(waiting(id, { pid: hex(id === 'p-1' ? '1' : '2') })));
    aws = await fakeAws(waitingRows(rows, 1));
    const { lines } = await cli(['pending', '--json'], { env });
    expect(lines).toMatchObject([{ proposalId: 'p-1' }, { proposalId: 'p-2' }]);
  });

  test('says so when nothing waits', async () => {
    aws = await fakeAws({ Query: () => ({ Items: [] }) });
    expect((await cli(['pending'], { env })).out).toBe('Nothing waits.\n');
    const named = { env: { ...env, COUNTERSIGN_POLICY: 'policy.yaml' } };
    const undeclared = 'The policy file here declares no agent buidler; did you mean builder?';
    const listed = await cli(['pending', '--agent', 'buidler'], named);
    expect(listed).toMatchObject({ code: 0, out: `Nothing waits. ${undeclared}\n` });
    const inLines = await cli(['pending', '--agent', 'buidler', '--json'], named);
    expect(inLines).toMatchObject({ code: 0, out: '', err: `countersign: warning: ${undeclared}\n` });
    for (const json of [[], ['--json']])
      expect(await cli(['pending', 'p-1', '--agent', 'buidler', ...json], named)).toMatchObject({
        code: 1,
        out: '',
        err: `countersign: nothing waits for people that is named p-1. ${undeclared}\n`,
      });
  });

  test('a missing right is one line', async () => {
    aws = await fakeAws({});
    const ran = await cli(['pending'], { env });
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toMatch(
      /^countersign: DynamoDB: not authorized to perform: Query; take the role that may: an operator's .*\n$/,
    );
  });

  test('credentials that are over are one line, with where new ones go', async () => {
    aws = await fakeAws({ Query: () => ({ __type: 'ExpiredTokenException', message: 'The token is expired' }) });
    const ran = await cli(['pending'], { env });
    expect(ran.err).toBe(
      "countersign: DynamoDB: The token is expired; give the role's credentials, by the environment or AWS_PROFILE; aws sts get-caller-identity tells what is wrong with them\n",
    );
  });

  test('a row that this version does not know is one line', async () => {
    aws = await fakeAws(waitingRows([marshall({ pk: 'x', sk: 'row', approval: { pid: 'x' } })]));
    // The row may be the one that is asked for.
    for (const args of [[], ['--json'], ['p-1'], ['p-1', '--json']]) {
      const ran = await cli(['pending', ...args], { env });
      expect(ran).toMatchObject({ code: 1, out: '' });
      expect(ran.err).toMatch(/^countersign: a row is not as this version writes it: pid: .*\n$/);
    }
  });

  test('a row that this version does not know hides no other', async () => {
    const unknown = marshall({ pk: 'x', sk: 'row', approval: { pid: 'x' } });
    aws = await fakeAws(waitingRows([unknown, stored(waiting('p-1'))]));
    const ran = await cli(['pending', '--json'], { env });
    expect(ran.code).toBe(1);
    expect(ran.out).toContain('"p-1"');
    expect(ran.err).toContain('a row is not as this version writes it');
  });

  test('an endpoint that is not there is one line', async () => {
    aws = await fakeAws({});
    await aws.close();
    const ran = await cli(['pending'], { env });
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toMatch(/^countersign: .*ECONNREFUSED.*\n$/);
  });
});
