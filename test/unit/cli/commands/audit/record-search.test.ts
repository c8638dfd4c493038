/**
 * Checks `countersign audit` with filters, pages, --matches and stats.
 *
 * Covers its view of the call and of the question.
 */
import { afterEach, describe, expect, test } from 'vitest';
import { auditPut } from '../../../../../shared/adapters/dynamodb/audit/audit-item.ts';
import { statsOf } from '../../../../../shared/cli/commands/audit/audit-stats.ts';
import { detailOf } from '../../../../../shared/cli/support/audit/audit-detail.ts';
import type { AuditEntry } from '../../../../../shared/contract/index.ts';
import { actionDigest, auditDigest, pidOf } from '../../../../../shared/domain/digest.ts';
import type { AuditRecord } from '../../../../../shared/ports/stores/audit-log.ts';
import { type FakeAws, fakeAws } from '../../fake-aws.ts';
import { acts, cli, NOW } from '../../run-cli.ts';

const env = { COUNTERSIGN_DEPLOYMENT: 'Countersign', COUNTERSIGN_AUDIT_TABLE: 'audit', COUNTERSIGN_AGENT: 'builder' };
const KEY = 'a key of sixty-four characters';
const hex = (digit: string) => digit.repeat(64);
const ago = (seconds: number) => new Date(NOW - seconds * 1000).toISOString();

let aws: FakeAws | undefined;
afterEach(() => aws?.close());

const entryOf = (n: number, more: Partial<AuditEntry> = {}): AuditRecord => {
  const pid = pidOf('Countersign', 'builder', `p-${n}`);
  const digest = auditDigest(actionDigest({ toolName: 'Bash', input: { command: `make ${n}` } }), KEY);
  const call = { id: 'call', toolName: 'Bash', argsHash: 'abababab', auditDigest: digest, verdict: 'allow' as const };
  const entry: AuditEntry = {
    type: 'evaluated',
    pid,
    proposalId: `p-${n}`,
    agent: 'builder',
    recordedAt: ago(n),
    policyVersion: hex('e'),
    outcome: 'approved',
    decidedBy: { type: 'rule', id: 'project:0' },
    reasonCode: 'rule_match',
    calls: [
      {
        ...call,
        reason: 'rule_match',
        source: 'rules',
        rule: { id: 'project:0', pattern: 'Bash(make:*)', source: 'project', effect: 'allow' },
      },
    ],
    ...more,
  };
  return { key: { agent: 'builder', pid, sort: 'evaluated' }, entry };
};

const itemOf = (record: AuditRecord) => auditPut({ audit: 'audit', state: '' }, record).Item ?? {};

/** An index of these entries, as DynamoDB answers for it. */
function indexOf(records: readonly AuditRecord[]) {
  const items = records.map(itemOf);
  type Values = Readonly<Record<string, { readonly S: string }>>;
  return {
    Query: ({
      ExpressionAttributeValues,
      KeyConditionExpression,
      Limit,
      IndexName,
    }: Readonly<Record<string, unknown>>) => {
      const values = ExpressionAttributeValues as Values;
      if (values[':pk']) return { Items: items.filter((item) => item['pk']?.S === values[':pk']?.S) };
      const sort = IndexName === 'byFacet' ? 'facet' : 'at';
      const text = (item: (typeof items)[number]) => item[sort]?.S ?? '';
      const isNext = String(KeyConditionExpression).includes(':after');
      const found = items
        .filter((item) =>
          isNext
            ? text(item) > (values[':after']?.S ?? '')
            : text(item) >= (values[':since']?.S ?? '') && text(item) <= (values[':until']?.S ?? ''),
        )
        .toSorted((a, b) => (text(a) < text(b) === isNext ? -1 : 1));
      return { Items: found.slice(0, (Limit as number | undefined) ?? found.length) };
    },
    BatchGetItem: ({ RequestItems }: Readonly<Record<string, unknown>>) => {
      const { audit } = RequestItems as {
        readonly audit: { readonly Keys: readonly { readonly pk: { readonly S: string } }[] };
      };
      const wanted = new Set(audit.Keys.map(({ pk }) => pk.S));
      return { Responses: { audit: items.filter((item) => wanted.has(item['pk']?.S ?? '')) } };
    },
    GetSecretValue: () => ({ SecretString: KEY }),
  };
}

describe('audit', () => {
  test('shows page by page, and names the next one', async () => {
    aws = await fakeAws(indexOf([1, 2, 3, 4, 5].map((n) => entryOf(n))));
    const seen: unknown[] = [];
    let after: readonly string[] = [];
    for (let pages = 0; pages < 3; pages++) {
      const page = await cli(['audit', '--json', '--limit', '2', ...after], { env });
      expect(page).toMatchObject({ code: 0, err: '' });
      const lines = page.lines as readonly { readonly proposalId: string; readonly cursor: string }[];
      seen.push(...lines.map(({ proposalId }) => proposalId));
      after = ['--after', lines.at(-1)?.cursor ?? ''];
    }
    expect(seen).toEqual(['p-1', 'p-2', 'p-3', 'p-4', 'p-5']);
    expect((await cli(['audit', '--limit', '2'], { env })).out).toMatch(/There are more: --after \S+\n$/);
  });

  test.each([
    [
      ['--tool', 'Bash', '--since', '3s'],
      ['p-1', 'p-2', 'p-3'],
    ],
    [['--outcome', 'denied'], ['p-4']],
    [
      ['--rule', 'Bash(make:*)', '--until', ago(4)],
      ['p-4', 'p-5'],
    ],
    [['--person', 'U0ALICE'], ['p-5']],
    [['--tool', 'Read'], []],
  ])('%j finds %j', async (options, ids) => {
    const records = [1, 2, 3].map((n) => entryOf(n));
    const person = { decidedBy: { type: 'human', id: 'T0/U0ALICE' } } as const;
    aws = await fakeAws(indexOf([...records, entryOf(4, { outcome: 'denied' }), entryOf(5, person)]));
    const { lines } = await cli(['audit', '--json', ...options], { env });
    expect(lines.map((line) => (line as { proposalId: string }).proposalId)).toEqual(ids);
  });

  test.each([
    [['--since', 'yesterday'], '--since: yesterday is no time'],
    [['--since', '1h', '--until', '2h'], '--since is later than --until'],
    [['--since', '2026-11-17', '--until', '2026-11-17'], '--until 2026-11-17 ends where 2026-11-17 begins'],
    [['--limit', '1001'], '--limit takes a number from 1 to 1000'],
    [['--matches', '--tool', 'Bash'], '--matches needs the whole call'],
    [['--matches', '--tool', 'Bash', '--input', '[1]'], '--input takes the arguments of the call as a JSON object'],
    [['--input', '{}'], '--input belongs to --matches'],
    [['--after', 'nonsense'], 'after: is no cursor'],
    [['--outcome', 'approvd'], '--outcome: no entry has the outcome approvd'],
  ])('%j is refused: %s', async (options, problem) => {
    aws = await fakeAws(indexOf([]));
    const ran = await cli(['audit', ...options], { env: { ...env, COUNTERSIGN_DIGEST_KEY: 'key' } });
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(problem);
  });

  test('an entry that cannot be read, as of a newer release, hides no other, and is told of after them', async () => {
    const later = entryOf(2, { decidedBy: { type: 'a kind of the next release', id: 'x' } as never });
    aws = await fakeAws(indexOf([entryOf(1), later, entryOf(3)]));
    const page = await cli(['audit', '--json', '--limit', '2'], { env });
    expect(page.lines).toMatchObject([{ proposalId: 'p-1' }, { proposalId: 'p-3' }]);
    expect(page).toMatchObject({ code: 1, err: expect.stringContaining('1 entry is left out') });
    await aws.close();
    aws = await fakeAws(indexOf([later]));
    const alone = await cli(['audit'], { env });
    expect(alone).toMatchObject({ code: 1, out: '' });
  });

  test('the trail of a proposal is shown past such an entry, too', async () => {
    const first = entryOf(1);
    const later = { ...entryOf(1, { type: 'decided', decidedBy: { type: 'a kind of the next release' } as never }) };
    aws = await fakeAws(indexOf([first, { ...later, key: { ...later.key, sort: 'decided' } }]));
    const ran = await cli(['audit', 'p-1', '--json'], { env });
    expect(ran.lines).toMatchObject([{ type: 'evaluated' }]);
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('1 entry is left out') });
  });

  test('stats count past such an entry, also where it is the newest of its kind', async () => {
    const decidedBy = { type: 'a kind of the next release', id: 'x' } as never;
    const other = entryOf(3, { decidedBy, outcome: 'denied' });
    aws = await fakeAws(indexOf([entryOf(1, { decidedBy }), entryOf(2), other]));
    const ran = await cli(['audit', 'stats', '--json'], { env });
    expect(ran.lines).toMatchObject([{ entries: 2, tools: [['Bash', 2]] }]);
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('1 entry is left out') });
  });

  test('--matches finds the one call that is named, by its digest alone', async () => {
    aws = await fakeAws(indexOf([1, 2, 3].map((n) => entryOf(n))));
    const keyed = { env: { ...env, COUNTERSIGN_DIGEST_KEY: 'key' } };
    const call = (command: string) => ['--matches', '--tool', 'Bash', '--input', JSON.stringify({ command })];
    const found = await cli(['audit', '--json', ...call('make 2')], keyed);
    expect(found.lines).toMatchObject([{ proposalId: 'p-2' }]);
    expect((await cli(['audit', 'p-2', '--json', ...call('make 2')], keyed)).lines).toHaveLength(1);
    const none = await cli(['audit', 'p-2', ...call('make 3')], keyed);
    expect(none).toMatchObject({
      code: 1,
      err: 'countersign: Nothing is recorded of p-2 by builder about this call.\n',
    });
  });

  test('--matches shows pages of --limit entries, too', async () => {
    const { calls = [] } = entryOf(9).entry;
    aws = await fakeAws(indexOf([1, 2, 3, 4, 5].map((n) => entryOf(n, n === 2 ? {} : { calls }))));
    const keyed = { env: { ...env, COUNTERSIGN_DIGEST_KEY: 'key' } };
    const page = (...more: string[]) =>
      cli(['audit', '--matches', '--tool', 'Bash', '--input', '{"command":"make 9"}', '--limit', '2', ...more], keyed);
    const first = await page('--json');
    expect(first.lines).toMatchObject([{ proposalId: 'p-1' }, { proposalId: 'p-3' }]);
    const [, after = ''] = /There are more: --after (\S+)/.exec((await page()).out) ?? [];
    expect(first.lines.at(-1)).toMatchObject({ cursor: after });
    const next = await page('--after', after, '--json');
    expect(next.lines).toMatchObject([{ proposalId: 'p-4' }, { proposalId: 'p-5' }]);
    expect((await page('--after', after)).out).not.toContain('There are more');
  });

  test('what is not found is told with the filters, and with names that the policy file lacks', async () => {
    aws = await fakeAws(indexOf([entryOf(1)]));
    const filtered = await cli(['audit', '--agent', 'demo-agent', '--tool', 'Bsh', '--outcome', 'denied'], { env });
    expect(filtered.out).toBe('No entry of demo-agent has --tool Bsh --outcome denied.\n');
    const named = { env: { ...env, COUNTERSIGN_POLICY: 'policy.yaml' } };
    const misspelt = await cli(['audit', 'p-1', '--agent', 'buidler'], named);
    expect(misspelt.err).toBe(
      'countersign: Nothing is recorded of p-1 by buidler. The policy file here declares no agent buidler; did you mean builder?\n',
    );
    const inLines = await cli(['audit', '--agent', 'buidler', '--person', 'alcie', '--json'], named);
    expect(inLines).toMatchObject({ code: 0, out: '' });
    expect(inLines.err).toBe(
      'countersign: warning: The policy file here declares no agent buidler; did you mean builder? ' +
        'The policy file here declares no person or operator alcie; did you mean alice?\n',
    );
    const of = async (person: string) =>
      (await cli(['audit', '--agent', 'builder', '--tool', 'Bsh', '--person', person], named)).out;
    expect(await of('alcie')).toBe(
      'No entry of builder has --tool Bsh --person alcie. The policy file here declares no person or operator alcie; did you mean alice?\n',
    );
    for (const known of ['alice', 'U0GONE', 'p_uz5ahzvguphgvfvgt6ccg44wvc'])
      expect(await of(known)).toBe(`No entry of builder has --tool Bsh --person ${known}.\n`);
    // The record still finds somebody who was taken out of the file.
    const gone = { decidedBy: { type: 'human', id: 'T0/U0GONE' } } as const;
    await aws?.close();
    aws = await fakeAws(indexOf([entryOf(6, gone)]));
    expect((await cli(['audit', '--agent', 'builder', '--person', 'U0GONE', '--json'], named)).lines).toHaveLength(1);
  });

  test('of one proposal shows what was proposed; nothing in it takes effect', async () => {
    const proposal = JSON.stringify({
      kind: 'tool-call',
      calls: [{ id: 'call', toolName: 'Bash', input: { command: 'make \u001b[2J\u202e' }, cwd: '/workspace' }],
      reason: 'to build',
    });
    aws = await fakeAws(indexOf([entryOf(1, { proposal, askedDigest: hex('a') })]));
    const { out } = await cli(['audit', 'p-1'], { env });
    expect(out).toContain('Proposed, without secrets:\n  call Bash {"command":"make');
    expect(out).toContain('{"cwd":"/workspace"}');
    expect(out).toContain('  reason "to build"');
    expect(out.replaceAll(/\s+/g, ' ')).toContain(`countersign audit text ${hex('a')}`);
    expect(acts(out)).toBe(false);
  });
});

const named = (columns: number) => ({ columns, nameOf: (user: string) => (user === 'U0ALICE' ? 'Alice' : user) });

test('the question is shown as people were asked it, and a proposal that stands elsewhere is read there', async () => {
  const question = {
    kind: 'calls',
    offers: ['approve', 'reject'],
    severity: 'high',
    stages: [{ group: 'platform', quorum: 2, team: 'T0', channel: 'C0APPROVALS' }],
    calls: [{ id: 'call', toolName: 'Bash', why: 'the rule ask Bash(make:*)' }],
  };
  const texts = { get: async () => JSON.stringify(question) };
  const shown =
    '\nAsked of people:\n  platform ×2 in C0APPROVALS; severity high; may approve, reject\n  call Bash: the rule ask Bash(make:*)\n';
  expect(await detailOf([entryOf(1, { askedDigest: hex('a') })], texts, named(100))).toBe(shown);
  expect(await detailOf([entryOf(1, { asked: JSON.stringify(question) })], undefined, named(100))).toBe(shown);
});

test('a vote names the message that its person was shown', async () => {
  const record = entryOf(1, { type: 'vote', person: { team: 'T0', user: 'U0ALICE' }, shownDigest: hex('b') });
  const text = await detailOf([record], undefined, named(200));
  expect(text).toContain('Shown to Alice (vote at ');
  expect(text).toContain(`countersign audit text ${hex('b')}`);
});

test('a vote that holds the message shows it', async () => {
  const header = { type: 'header', text: { type: 'plain_text', text: 'coder wants to run git push' } };
  const why = { elements: [{ elements: [{ text: 'Why: ' }, { text: 'a push\nleaves' }] }] };
  const who = {
    type: 'context',
    elements: [{ type: 'mrkdwn', text: '<@U0ALICE> until <!date^1^{time}|02:08 UTC> &amp; no more' }],
  };
  const rule = [
    { type: 'text', text: '(rule ' },
    { type: 'text', text: 'Bash(a:*)', style: { code: true } },
    { type: 'text', text: ')' },
  ];
  const section = { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: rule }] };
  const shown = JSON.stringify({ blocks: [header, { type: 'divider' }, why, who, section] });
  const record = entryOf(1, { type: 'vote', person: { team: 'T0', user: 'U0ALICE' }, shown });
  const text = await detailOf([record], undefined, named(200));
  expect(text).toContain('Shown to Alice (vote at ');
  expect(text).toContain(
    '  coder wants to run git push\n  Why: a push leaves\n  @Alice until 02:08 UTC & no more\n  (rule Bash(a:*))\n  its blocks as Slack had them: --json\n',
  );
  expect(text).not.toContain('countersign audit text');
  for (const damaged of ['no JSON', '[]', '{"blocks":7}'])
    expect(
      await detailOf([{ ...record, entry: { ...record.entry, shown: damaged } }], undefined, named(200)),
    ).toContain(damaged);
});

test('stats count proposals by rule and tool, people by votes, and tell how long people took', () => {
  const vote = entryOf(2, {
    type: 'vote',
    accepted: true,
    outcome: undefined,
    decidedBy: undefined,
    calls: undefined,
    person: { team: 'T0', user: 'U0ALICE' },
  });
  const decided = entryOf(3, { type: 'decided', decidedBy: { type: 'human', id: 'T0/U0ALICE' } });
  const stats = statsOf(
    [
      { agent: 'builder', sample: entryOf(1), count: 40, waitedMs: [] },
      { agent: 'builder', sample: entryOf(4, { outcome: 'denied' }), count: 5, waitedMs: [] },
      { agent: 'builder', sample: vote, count: 3, waitedMs: [] },
      { agent: 'builder', sample: decided, count: 2, waitedMs: [60_000, 1_000] },
    ],
    (user) => (user === 'U0ALICE' ? 'Alice' : user),
  );
  expect(stats).toEqual({
    entries: 50,
    outcomes: [
      ['approved', 42],
      ['denied', 5],
    ],
    rules: [['allow Bash(make:*)', 45]],
    tools: [['Bash', 45]],
    votes: [['Alice', 3]],
    timeToAnswer: { decisions: 2, medianMs: 60_000, p90Ms: 60_000 },
  });
});

test('stats are printed for the time that is wanted', async () => {
  aws = await fakeAws(indexOf([1, 2, 3].map((n) => entryOf(n))));
  const { out, code } = await cli(['audit', 'stats', '--since', '2s'], { env });
  expect(code).toBe(0);
  expect(out).toMatch(/^2 entries of builder\./);
  expect(out).toMatch(/Bash +2/);
  await aws.close();
  aws = await fakeAws(indexOf([]));
  const named = { env: { ...env, COUNTERSIGN_POLICY: 'policy.yaml' } };
  const misspelt = await cli(['audit', 'stats', '--agent', 'buidler'], named);
  expect(misspelt.out).toBe(
    '0 entries of buidler. The policy file here declares no agent buidler; did you mean builder?\n',
  );
  expect((await cli(['audit', 'stats', '--agent', 'buidler', '--json'], named)).err).toBe(
    'countersign: warning: The policy file here declares no agent buidler; did you mean builder?\n',
  );
});

test.each([[[]], [['--json']]])('of a proposal that is not there the command fails, with %j', async (more) => {
  aws = await fakeAws({ Query: () => ({ Items: [] }) });
  const ran = await cli(['audit', 'nope', ...more], { env });
  expect(ran).toEqual({ ...ran, code: 1, out: '', err: 'countersign: Nothing is recorded of nope by builder.\n' });
});
