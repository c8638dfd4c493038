/**
 * Checks on the deployed gate that a record with aliases works, and that people can be taken out.
 *
 * No entry changes when somebody is forgotten, so that the record still verifies.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DescribeLogGroupsCommand, paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { s3Archive } from '../../../shared/adapters/s3/archive.ts';
import { SCOPE } from '../../../shared/adapters/slack/cards/modals.ts';
import { ACTIONS } from '../../../shared/adapters/slack/elements/actions.ts';
import { linesOf } from '../../../shared/domain/archive/lines.ts';
import { e2eGate } from '../gate.ts';
import { type Agent, agentNamed, newId, operatorNamed } from '../harness/agents.ts';
import { countersign, type Environment } from '../harness/command.ts';
import { asleepForEver } from '../harness/damage.ts';
import { invoke } from '../harness/functions.ts';
import { without } from '../harness/rights.ts';
import { allRows, entriesOf } from '../harness/rows.ts';
import { runs } from '../harness/runs.ts';
import { ALICE, approve, approveNext, cardOf, choose, ERIN, FRANK, reject } from '../harness/slack.ts';
import { reconcileNow } from '../harness/time.ts';
import { until } from '../harness/until.ts';

/** The id, the name and the key of who leaves. */
const LEAVER = /U0FRANK|Frank Engineer|\bfrank\b/;

const folder = mkdtempSync(join(tmpdir(), 'countersign-e2e-forget-'));
const files = { aliases: join(folder, 'aliases.yaml'), left: join(folder, 'left.yaml') };
let crafter: Agent;
let auditor: Environment;
let oncall: Environment;

beforeAll(async () => {
  const gate = await e2eGate();
  const aliases = `${readFileSync(gate.policyFile, 'utf8')}\nrecord: { people: aliases }\n`;
  writeFileSync(files.aliases, aliases);
  writeFileSync(files.left, aliases.replace(/^ {2}frank: .*\n/m, '').replace('[erin, frank, olga]', '[erin, olga]'));
  crafter = await agentNamed('crafter');
  auditor = await gate.environmentOf('Auditor');
  oncall = await gate.environmentOf('Operator', 'oncall');
  await gate.deploy(files.aliases);
}, 600_000);

afterAll(async () => {
  const gate = await e2eGate();
  await gate.deploy(gate.policyFile);
  rmSync(folder, { recursive: true, force: true });
}, 600_000);

const audit = (...argv: readonly string[]) =>
  countersign({ ...auditor, COUNTERSIGN_POLICY: files.left }, 'audit', ...argv);

/** Everything that the record holds of these proposals: rows, and lines of the archive. */
async function held(
  pids: readonly string[],
): Promise<{ readonly rows: readonly string[]; readonly lines: readonly string[] }> {
  const { root, outputs } = await e2eGate();
  const rows = (await allRows(outputs.AuditTable)).filter(({ pk }) => pids.some((pid) => String(pk).includes(pid)));
  const archive = s3Archive(root.s3, outputs.ArchiveBucket);
  const lines: string[] = [];
  for await (const key of archive.names('entry/')) lines.push(...linesOf((await archive.read(key)) ?? ''));
  return {
    rows: rows.map((row) => JSON.stringify(row)),
    lines: lines.filter((line) => pids.some((pid) => line.includes(pid))),
  };
}

/** Findings of `verify` about these proposals; other tests of the suite forge entries. */
async function findings(pids: readonly string[]): Promise<unknown[]> {
  const { lines } = await audit('verify', '--json');
  const found = lines.map((line) => JSON.parse(line) as { readonly subject?: string });
  return found.filter(({ subject = '' }) => pids.some((pid) => subject.includes(pid)));
}

describe('a person is named by their alias, and known by it, in', () => {
  const isOf = (who: string) => ({
    decidedBy: { type: 'human', id: expect.stringMatching(/^T0E2E\/p_[a-z2-7]{26}$/) },
    outcome: who,
  });

  it('an approval from a card, and the run that it allows', async () => {
    const made = `make ${newId()}`;
    const id = await crafter.run(made);
    await approve(ERIN, await cardOf(crafter.pid(id)));
    const decision = await crafter.wait(id);
    expect(decision).toMatchObject(isOf('approved'));
    const [call] = decision.calls;
    const request = { agent: 'crafter', proposalId: id, callId: call?.id, permitId: call?.permit?.permitId };
    const redeemed = await invoke('redeem', { ...request, toolName: 'Bash', input: { command: made } });
    expect(redeemed.answer).toMatchObject({ granted: true });
    expect((await audit(id, '--agent', 'crafter')).output).toContain('Erin Engineer');
  });

  it('an approval by an operator', async () => {
    const builder = await agentNamed('builder');
    const id = await builder.run(`git push origin ${newId()}`);
    await cardOf(builder.pid(id));
    const operator = await operatorNamed('oncall');
    await operator.say({ kind: 'decide', agent: 'builder', proposalId: id, choice: 'approve' });
    expect(await builder.wait(id)).toMatchObject(isOf('approved'));
  });

  it('an approval that the reconciler ends', async () => {
    const id = await crafter.run(`make ${newId()}`);
    const pid = crafter.pid(id);
    const card = await cardOf(pid);
    await asleepForEver(pid);
    await without('slack', 'lambda:InvokeFunction', () => approve(ERIN, card));
    await reconcileNow(pid);
    expect(await crafter.wait(id)).toMatchObject(isOf('approved'));
  });

  it('an approval for later, by which the next call is decided', async () => {
    const { slack } = await e2eGate();
    const input = { env: 'test', replicas: 5 };
    const ship = () => crafter.client.propose({ toolName: 'Ship', input });
    const first = await ship();
    await choose(ERIN, await cardOf(crafter.pid(first)), ACTIONS.session);
    const view = await until('the form', () => slack.views(ERIN).at(-1));
    const values = { [SCOPE.block]: { [SCOPE.action]: 'session' } };
    expect(await slack.submitView({ user: ERIN, viewId: view.id, values })).toMatchObject({ ok: true });
    expect(await crafter.wait(first)).toMatchObject(isOf('approved'));
    const second = await ship();
    expect(await crafter.wait(second)).toMatchObject({ outcome: 'approved' });
  });

  it('a run of the gate', async () => {
    const { tools } = await e2eGate();
    tools.serve('/echo', (_, response) => void response.writeHead(200).end('{}'));
    const approving = approveNext(ALICE, 'RunSecret');
    const [id = ''] = await runs('RunSecret', 1, () => ({ id: newId() }));
    await approving;
    const runner = await agentNamed('runner');
    const ran = await until('the record of the run', async () => (await entriesOf('runner', runner.pid(id), 'ran'))[0]);
    expect(ran).toMatchObject({ reasonCode: 'succeeded' });
  });
});

it('somebody who left is taken out of the record, which verifies as before', { timeout: 600_000 }, async () => {
  const { root, outputs, deploy } = await e2eGate();
  const made = `make yes-${newId()}`;
  const [yes, no] = [await crafter.run(made), await crafter.run(`make no-${newId()}`)];
  const pids = [yes, no].map(crafter.pid);
  await approve(FRANK, await cardOf(crafter.pid(yes)));
  const approved = await crafter.wait(yes);
  expect(approved).toMatchObject({ outcome: 'approved', decidedBy: { type: 'human' } });
  const alias = approved.decidedBy.id.replace('T0E2E/', '');
  expect(alias).toMatch(/^p_[a-z2-7]{26}$/);
  await reject(FRANK, await cardOf(crafter.pid(no)), 'Not now.');
  expect((await crafter.wait(no)).message).toContain(`${alias} refused this call`);

  // The votes behind a permit are told through their aliases.
  const [call] = approved.calls;
  const request = { agent: 'crafter', proposalId: yes, callId: call?.id, permitId: call?.permit?.permitId };
  const redeemed = await invoke('redeem', { ...request, toolName: 'Bash', input: { command: made } });
  expect(redeemed.answer).toMatchObject({ granted: true });

  const trail = await audit(yes, '--agent', 'crafter');
  expect(trail.output).toContain('U0FRANK');
  expect(
    (await countersign({ ...auditor, COUNTERSIGN_POLICY: files.aliases }, 'audit', yes, '--agent', 'crafter')).output,
  ).toContain('Frank Engineer');
  const byPerson = await audit('--person', FRANK, '--agent', 'crafter', '--since', '10m', '--json');
  expect(byPerson.output).toContain(yes);

  await until('both are archived', async () => (await held(pids)).lines.length >= 6);
  expect((await invoke('seal', {})).error).toBeUndefined();
  const before = await held(pids);
  expect(before.rows.join('\n')).toContain(alias);
  expect(before.rows.join('\n')).not.toMatch(LEAVER);
  expect(before.lines.join('\n')).not.toMatch(LEAVER);
  expect(await findings(pids)).toEqual([]);

  // A person whom the policy file lists is not forgotten.
  const early = await countersign(
    { ...oncall, COUNTERSIGN_POLICY: files.aliases },
    'forget',
    FRANK,
    '--reason',
    'left',
    '--yes',
  );
  expect(early.output).toContain('still_listed');
  await deploy(files.left);
  const forgotten = await countersign(
    { ...oncall, COUNTERSIGN_POLICY: files.left },
    ...['forget', FRANK, '--reason', `U0FRANK left ${yes}`, '--yes', '--json'],
  );
  expect(forgotten.code, forgotten.output).toBe(0);
  expect(forgotten.output).toMatch(/"code":"forgotten/);

  expect(
    (await allRows(outputs.StateTable))
      .filter(({ pk }) => String(pk).startsWith('alias#'))
      .map((row) => JSON.stringify(row))
      .join(),
  ).not.toMatch(LEAVER);
  const operations = (await allRows(outputs.AuditTable)).filter((row) => JSON.stringify(row).includes(`left ${yes}`));
  expect(operations).toHaveLength(1);
  expect(JSON.stringify(operations)).toContain(alias);
  expect(JSON.stringify(operations)).not.toMatch(LEAVER);
  const after = await held(pids);
  // The run that was redeemed may have been given up meanwhile, which is an entry more.
  expect(after.rows).toEqual(expect.arrayContaining([...before.rows]));
  expect(after.rows.join('\n')).not.toMatch(LEAVER);
  expect(await findings(pids)).toEqual([]);
  const told = await audit(yes, '--agent', 'crafter');
  expect(told.output).toContain(`a forgotten person (${alias.slice(0, 8)})`);
  expect(told.output).not.toMatch(LEAVER);
  const none = await audit('--person', FRANK, '--agent', 'crafter', '--since', '10m', '--json');
  expect(none.output).not.toContain(yes);
  expect((await audit('--person', alias, '--agent', 'crafter', '--json')).output).toContain(yes);

  const { logGroups = [] } = await root.logs.send(new DescribeLogGroupsCommand({ limit: 50 }));
  for (const { logGroupName } of logGroups)
    for await (const { events = [] } of paginateFilterLogEvents({ client: root.logs }, { logGroupName }))
      expect(events.filter(({ message = '' }) => /U0FRANK|Frank Engineer/.test(message))).toEqual([]);
});
