/**
 * Checks that people stand in rows of the deployed gate only where the page of the record says.
 *
 * The schemas tell which fields hold people; this test looks for people themselves, in texts, keys and logs too.
 */
import { randomUUID } from 'node:crypto';
import { DescribeLogGroupsCommand, paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import { beforeAll, expect, it } from 'vitest';
import { SCOPE } from '../../../shared/adapters/slack/cards/modals.ts';
import { ACTIONS } from '../../../shared/adapters/slack/elements/actions.ts';
import { STORED_PEOPLE } from '../../support/stored-people.ts';
import { e2eGate } from '../gate.ts';
import { type Agent, agentNamed, newId, operatorNamed } from '../harness/agents.ts';
import { allRows } from '../harness/rows.ts';
import { approve, cardOf, choose, ERIN, FRANK, OLGA, reject } from '../harness/slack.ts';
import { until } from '../harness/until.ts';

let crafter: Agent;
let oncall: Awaited<ReturnType<typeof operatorNamed>>;
beforeAll(async () => {
  [crafter, oncall] = await Promise.all([agentNamed('crafter'), operatorNamed('oncall')]);
});

const session = randomUUID();

/** Ids, names and keys of the policy file, as words of their own. */
const PEOPLE =
  /U0(?:ERIN|FRANK|OLGA|LENA|DANA)|\b(?:Erin|Frank|Olga|Lena|Dana) [EOLD]\w+|\b(?:erin|frank|olga|lena|dana)\b/;

/** The same without ids: rows hold none of these. */
const NAMES = /\b(?:Erin|Frank|Olga|Lena|Dana) [EOLD]\w+|\b(?:erin|frank|olga|lena|dana)\b/;

/** Somebody approves a proposal for the rest of its session. */
async function approveForSession(user: string, proposalId: string): Promise<void> {
  const { slack } = await e2eGate();
  const card = await cardOf(crafter.pid(proposalId));
  const before = slack.views(user).length;
  await choose(user, card, ACTIONS.session);
  const { id: viewId } = await until('the modal', () =>
    slack.views(user).length > before ? slack.views(user).at(-1) : undefined,
  );
  const values = { [SCOPE.block]: { [SCOPE.action]: 'session' } };
  expect(await slack.submitView({ user, viewId, values })).toMatchObject({ ok: true });
  expect(await crafter.wait(proposalId)).toMatchObject({ outcome: 'approved', decidedBy: { type: 'human' } });
}

/** Lets people stand wherever an ordinary day puts them; returns what tells the rows of this test. */
async function ordinaryDay(): Promise<readonly string[]> {
  const ids: string[] = [];
  const run = async (command: string) => {
    const id = await crafter.run(command, { sessionId: session });
    ids.push(id);
    return id;
  };
  const [yes, no] = [`make yes-${newId()}`, `make no-${newId()}`];
  await approveForSession(ERIN, await run(yes));
  expect(await crafter.wait(await run(yes))).toMatchObject({ reasonCode: 'cache_hit' });
  const refused = await run(no);
  const card = await cardOf(crafter.pid(refused));
  await approve(OLGA, card);
  await reject(FRANK, card, 'Not now.');
  expect((await crafter.wait(refused)).outcome).toBe('denied');
  expect((await crafter.wait(await run(no))).message).toContain(FRANK);
  const operations: string[] = [];
  const end = new Date(Date.now() + 3_600_000).toISOString();
  for (const operation of [
    { kind: 'delegate', person: 'lena', to: 'dana', until: end },
    { kind: 'undelegate', person: 'lena' },
  ]) {
    const noted = await oncall.done(operation);
    expect(noted.accepted).toBe(true);
    operations.push(noted.pid ?? '');
  }
  return [...ids.map((id) => crafter.pid(id)), ...operations, 'session#crafter#', 'delegations', 'voted#'];
}

/** Words of stored rows, by the attribute of the row that holds them. */
const WORDS: Readonly<Record<string, string>> = { entry: 'auditEntry', grounds: 'decision.calls[].permit.allowedBy' };

/** Ids of orders are no names by their schema; the id of one that was given in Slack holds who gave it, as another test may have left it. */
const ORDER_IDS = ['delegations.orders.scopes[]', 'additions.fields[][]'].flatMap((path) => [
  `${path}.newest.id`,
  `${path}.tightened.id`,
]);

/** Paths of texts that match: lists as `[]`, grounds without the ids of their calls. */
function pathsOf(words: RegExp, value: unknown, path: string): string[] {
  if (typeof value === 'string') return words.test(value) ? [path] : [];
  if (Array.isArray(value)) return value.flatMap((one) => pathsOf(words, one, `${path}[]`));
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [];
  return Object.entries(value).flatMap(([key, one]) => pathsOf(words, one, path ? `${path}.${key}` : key));
}

function wordOf(path: string, pk: string): string {
  const [attribute = '', ...rest] = path.split('.');
  if (path === 'pk') return `${pk.slice(0, pk.indexOf('#'))}.pk`;
  if (pk.startsWith('journal#')) return ['journalEntry', ...rest].join('.');
  return [WORDS[attribute] ?? attribute, ...(attribute === 'grounds' ? rest.slice(1) : rest)].join('.');
}

it('people stand where the page of the record says, and in no log', { timeout: 120_000 }, async () => {
  const { outputs, root } = await e2eGate();
  const mine = await ordinaryDay();
  const found = new Set<string>();
  const named = new Set<string>();
  for (const table of [outputs.StateTable, outputs.AuditTable])
    for (const row of await allRows(table)) {
      const pk = String(row['pk']);
      if (!mine.some((part) => pk.includes(part))) continue;
      for (const path of pathsOf(PEOPLE, row, '')) found.add(wordOf(path, pk));
      for (const path of pathsOf(NAMES, row, '')) named.add(wordOf(path, pk));
    }
  const listed: readonly string[] = [...Object.values(STORED_PEOPLE).flat(), ...ORDER_IDS];
  expect([...found].filter((path) => !listed.includes(path))).toEqual([]);
  expect([...named]).toEqual([]);
  for (const path of [
    'auditEntry.person.user',
    'auditEntry.operation.about',
    'decision.decidedBy.id',
    'decision.message',
    'decision.calls[].permit.allowedBy.people[].user',
    'approval.votes[].name',
    'journalEntry.by[].name',
    'voted.pk',
    'session.grants[].approvedBy',
    'session.refusals[].by',
    'delegations.orders.scopes[].scope',
  ])
    expect([...found]).toContain(path);

  const { logGroups = [] } = await root.logs.send(new DescribeLogGroupsCommand({ limit: 50 }));
  const lines: string[] = [];
  for (const { logGroupName } of logGroups)
    for await (const { events = [] } of paginateFilterLogEvents({ client: root.logs }, { logGroupName }))
      lines.push(...events.map(({ message = '' }) => message));
  expect(lines.some((line) => line.includes('"_aws"'))).toBe(true);
  expect(lines.filter((line) => PEOPLE.test(line))).toEqual([]);
});
