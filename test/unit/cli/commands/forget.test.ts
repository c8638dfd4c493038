/** Checks `countersign forget`, and what readers of the record print of people behind aliases. */
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterEach, describe, expect, test } from 'vitest';
import { auditPut } from '../../../../shared/adapters/dynamodb/audit/audit-item.ts';
import { pidOf } from '../../../../shared/domain/digest.ts';
import { aliasOf } from '../../../../shared/domain/record/alias.ts';
import { type Answers, type FakeAws, fakeAws, recorded, sent } from '../fake-aws.ts';
import { cli, NOW } from '../run-cli.ts';

let aws: FakeAws | undefined;
afterEach(() => aws?.close());

const ARGUMENTS = ['forget', 'U0GONE', '--reason', 'left'];

describe('forget', () => {
  const ran = async (argv: readonly string[], answers: Answers = {}) => {
    aws = await fakeAws({ SendMessage: sent, ...answers });
    const env = { COUNTERSIGN_OPERATORS_QUEUE_URL: `${aws.url}/operators`, COUNTERSIGN_AUDIT_TABLE: 'audit' };
    return cli(argv, { env, sleep: async () => undefined });
  };

  test('says that no entry holds the id, and that rows do for a time', async () => {
    const operation = { stillNamed: 0 };
    const done = await ran(ARGUMENTS, { Query: recorded({ accepted: true, reasonCode: 'forgotten', operation }) });
    expect(done).toMatchObject({ code: 0, err: '' });
    expect(done.out).toMatch(/^done: forget U0GONE \(forgotten\)\nRows that the gate works with hold U0GONE until/);
    const [message] = aws?.asked.filter(({ operation: asked }) => asked === 'SendMessage') ?? [];
    expect(JSON.parse(String(message?.body['MessageBody']))).toMatchObject({ kind: 'forget', person: 'U0GONE' });
  });

  test('says how many entries hold the id, until when, and what lists them', async () => {
    const operation = { stillNamed: 1_000, stillNamedUntil: '2027-12-31T00:00:00.000Z' };
    const result = { accepted: true, reasonCode: 'forgotten_since_aliases', operation };
    const { out } = await ran(ARGUMENTS, { Query: recorded(result) });
    expect(out).toContain('At least 1000 entries hold U0GONE itself, the last until 2027-12-31');
    expect(out).toContain('`countersign audit --person U0GONE` lists them');
  });

  test.each([
    [['forget', 'U0GONE'], 'say why with --reason'],
    [['forget', 'alice', '--reason', 'left'], 'person: must be the Slack id of a person, such as U012ABCDEF'],
  ])('%j is not sent', async (argv, problem) => {
    const refused = await ran(argv);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining(problem) });
    expect(aws?.asked).toEqual([]);
  });
});

describe('a record with aliases', () => {
  const [alice, gone] = ['U0ALICE', 'U0GONE'].map((user, index) => ({ user, secret: `${index + 1}`.repeat(64) }));
  const pid = pidOf('Countersign', 'builder', 'p-1');
  const item = (key: typeof alice, version: number) => {
    const entry = {
      ...{ type: 'vote' as const, pid, proposalId: 'p-1', agent: 'builder', policyVersion: 'e'.repeat(64) },
      ...{ recordedAt: new Date(NOW - 60_000).toISOString(), accepted: true, reasonCode: 'approve' },
      person: { team: 'T0DEMO', user: key ? aliasOf(key) : '' },
    } as const;
    const put = auditPut(
      { audit: 'audit', state: '' },
      { key: { agent: 'builder', pid, sort: `vote#${version}` }, entry },
    );
    return put.Item ?? {};
  };
  const row = (name: string, { user, secret }: { readonly user: string; readonly secret: string }) =>
    marshall({ pk: `alias#${name}`, sk: 'key', user, secret: Buffer.from(secret, 'hex') });
  const answers: Answers = {
    Query: ({ ExpressionAttributeValues: values }) => ({
      Items: JSON.stringify(values).includes('vote/') ? [item(alice, 1), item(gone, 2)] : [],
    }),
    BatchGetItem: () => ({ Responses: { state: alice ? [row(aliasOf(alice), alice)] : [] } }),
  };
  const ran = async (argv: readonly string[], env: Readonly<Record<string, string>>) => {
    aws = await fakeAws(answers);
    const settings = { COUNTERSIGN_DEPLOYMENT: 'Countersign', COUNTERSIGN_AUDIT_TABLE: 'audit' };
    return cli(argv, { env: { ...settings, COUNTERSIGN_POLICY: 'people.yaml', ...env }, columns: 200 });
  };
  const TRAIL = ['audit', 'p-1', '--agent', 'builder'];

  test('is read with people as the policy file calls them, and with a forgotten person in place of an alias that is nobody’s', async () => {
    const { out } = await ran(TRAIL, { COUNTERSIGN_STATE_TABLE: 'state' });
    expect(out).toMatch(/vote +Alice Approver/);
    expect(out).toContain(`a forgotten person (${aliasOf(gone ?? { user: '', secret: '' }).slice(0, 8)})`);
    expect(out).not.toContain('U0GONE');
  });

  test('is read as it is where no state table is named: nobody is said to be forgotten then', async () => {
    const { out } = await ran(TRAIL, {});
    expect(out).toContain(aliasOf(alice ?? { user: '', secret: '' }));
    expect(out).not.toContain('forgotten');
  });
});
