/**
 * Checks the output of `grants list` and `delegate list`, in words and as JSON.
 *
 * Grants that hold now are printed, and no text of them acts on the terminal (G22, D31, D36).
 */
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterEach, describe, expect, test } from 'vitest';
import type { Delegation } from '../../../../shared/contract/delegation.ts';
import type { Person } from '../../../../shared/contract/index.ts';
import type { SessionRow, StoredGrant } from '../../../../shared/contract/session.ts';
import { grantsIn, newSession } from '../../../../shared/domain/session.ts';
import { type FakeAws, fakeAws } from '../fake-aws.ts';
import { acts, cli, NOW } from '../run-cli.ts';

const env = { COUNTERSIGN_STATE_TABLE: 'state' };
const HOUR = 3_600_000;
const at = (hours: number) => new Date(NOW + hours * HOUR).toISOString();
const ANN = { team: 'T0DEMO', user: 'U0ANN' };
const BOB = { team: 'T0DEMO', user: 'U0BOB' };

let aws: FakeAws | undefined;
afterEach(() => aws?.close());

describe('grants list', () => {
  const grant = (key: string, more: Partial<StoredGrant> = {}): StoredGrant => ({
    key: key.repeat(64),
    toolName: 'Bash',
    scope: 'session',
    approvedBy: 'U0ANN',
    givenBy: [ANN],
    approvedAt: at(-2),
    expiresAt: at(2),
    ...more,
  });
  const row = (sessionId: string, more: Partial<SessionRow>): SessionRow => ({
    ...newSession('builder', sessionId),
    version: 1,
    updatedAt: at(-1),
    ...more,
  });
  const rule = { effect: 'allow', source: 'user', by: 'operator oncall' } as const;
  const main = row('main', {
    grants: [
      grant('a'),
      grant('b', { scope: 'session-all-tools', toolName: 'Deploy\u202e\u001b[2J' }),
      grant('c', { approvedAt: at(-9), expiresAt: at(-1), toolName: 'Over' }),
    ],
  });
  const every = row('*', {
    rules: [
      { ...rule, pattern: 'Bash(make:*)' },
      { ...rule, effect: 'deny', pattern: 'Bash(rm:*)' },
      { ...rule, pattern: 'Read', expiresAt: at(-1) },
    ],
  });
  let control: Record<string, unknown> | undefined;
  afterEach(() => {
    control = undefined;
  });
  const list = async (rows: readonly SessionRow[], ...more: string[]) => {
    aws = await fakeAws({
      Query: () => ({ Items: rows.map((session) => marshall({ pk: 'session', sk: session.sessionId, session })) }),
      GetItem: () => (control ? { Item: marshall({ pk: 'control', control }) } : {}),
    });
    return cli(['grants', 'list', '--agent', 'builder', ...more], { env, columns: 140 });
  };

  test('names what holds, where, who gave it and until when; what ended or denies is not among it', async () => {
    const ran = await list([main, every]);
    expect(ran).toMatchObject({ code: 0, err: '' });
    const [heading, ...lines] = ran.out.trimEnd().split('\n');
    expect(heading?.split(/\s{2,}/).map((word) => word.trim())).toEqual(['ID', 'SESSION', 'WHAT', 'BY', 'UNTIL']);
    const ids = [...grantsIn(main, NOW), ...grantsIn(every, NOW)].map(({ id }) => id);
    expect(lines.map((text) => text.split(' ')[0])).toEqual(ids);
    expect(lines[0]).toMatch(/^[0-9a-f]{12} +main +exactly one call of Bash +U0ANN +2026-11-21 12:00/);
    expect(lines[1]).toContain('every call of Deploy\\u{202e}\\u{001b}[2J');
    expect(lines[2]).toMatch(/ every session +allow Bash\(make:\*\) +operator oncall +taken back$/);
    expect(acts(ran.out)).toBe(false);
  });

  test('prints a line of JSON for each', async () => {
    const ran = await list([main, every], '--json');
    expect(ran.lines).toEqual([...grantsIn(main, NOW), ...grantsIn(every, NOW)]);
    expect(acts(ran.out)).toBe(false);
  });

  test('leaves out what was voided after a restore, and what was taken back in every session (A26)', async () => {
    control = { version: 1, pauses: [], permitEpoch: 1, voidedAt: NOW - HOUR };
    const added = { effect: 'allow', source: 'session', by: 'oncall' } as const;
    const later = row('main', {
      grants: [grant('a'), grant('d', { approvedAt: at(-0.5) })],
      rules: [
        { ...added, pattern: 'Read' },
        { ...added, pattern: 'Write', at: at(-2) },
        { ...added, pattern: 'Edit', at: at(-0.5) },
      ],
    });
    expect((await list([later], '--json')).lines).toMatchObject([{ what: 'call' }, { pattern: 'Edit' }]);
    await aws?.close();
    control = undefined;
    const revoked = row('*', { revoked: [{ at: at(-1) }] });
    expect((await list([{ ...later, rules: [] }, revoked], '--json')).lines).toHaveLength(1);
  });

  test('says that there is nothing', async () => {
    expect((await list([])).out).toBe('Nothing is given for later to builder.\n');
    for (const command of ['grants', 'sessions']) {
      const named = { env: { ...env, COUNTERSIGN_POLICY: 'policy.yaml' } };
      const inLines = await cli([command, 'list', '--agent', 'buidler', '--json'], named);
      expect(inLines).toMatchObject({ code: 0, out: '' });
      expect(inLines.err).toContain('warning: The policy file here declares no agent buidler; did you mean builder?');
    }
  });
});

describe('delegate list', () => {
  const stored = async (delegations: readonly Delegation[] | undefined) => {
    const kept = { version: 1, delegations, done: [] };
    aws = await fakeAws({ GetItem: () => (delegations ? { Item: marshall({ pk: 'x', delegations: kept }) } : {}) });
  };
  const list = async (delegations: readonly Delegation[] | undefined, ...more: string[]) => {
    await stored(delegations);
    return cli(['delegate', 'list', ...more], { env, columns: 140 });
  };
  const holds: Delegation = { person: ANN, to: BOB, until: at(48), by: 'U0ANN' };
  const later: Delegation = { person: BOB, to: ANN, from: at(24), until: at(72), by: 'operator oncall' };
  const over: Delegation = { person: ANN, to: BOB, until: at(0), by: 'U0ANN' };

  test('names who votes for whom, from and until when, and who said so; what is over is not among it', async () => {
    const ran = await list([holds, later, over]);
    expect(ran).toMatchObject({ code: 0, err: '' });
    const [heading, ...lines] = ran.out.trimEnd().split('\n');
    expect(heading).toMatch(/^PERSON +VOTES FOR THEM +FROM +UNTIL +SAID BY *$/);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^U0ANN +U0BOB +2026-11-23 10:00\S* +U0ANN *$/);
    expect(lines[1]).toMatch(/^U0BOB +U0ANN +2026-11-22 10:00\S* +2026-11-24 10:00\S* +operator oncall *$/);
  });

  test('names people as the policy file here does, as status does', async () => {
    const alice: Person = { team: 'T0DEMO', user: 'U0ALICE' };
    const olga: Person = { team: 'T0DEMO', user: 'U0OLGA' };
    await stored([{ person: alice, to: olga, until: at(48), by: 'U0ALICE' }]);
    const near = { env: { ...env, COUNTERSIGN_DEPLOYMENT: 'demo', COUNTERSIGN_POLICY: 'people.yaml' }, columns: 140 };
    expect((await cli(['delegate', 'list'], near)).out).toMatch(
      /^Alice Approver +Olga Owner +\S+ \S+ +Alice Approver *$/m,
    );
    expect((await cli(['status'], near)).out).toMatch(/^Alice Approver +Olga Owner +\S+ \S+ +Alice Approver *$/m);
  });

  test('prints a line of JSON for each', async () => {
    expect((await list([holds, over], '--json')).lines).toEqual([holds]);
  });

  test.each([[undefined], [[over]]])('says that there is nobody: %j', async (delegations) => {
    expect((await list(delegations)).out).toBe("Nobody votes in another's place, besides what the policy file says.\n");
  });
});
