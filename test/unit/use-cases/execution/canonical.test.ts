/**
 * Checks calls whose commands run as the gate prints them (D44, G44).
 *
 * Covers the decision, its permit, the record, and what may run under it.
 */
import { describe, expect, test } from 'vitest';
import { renderCard } from '../../../../shared/adapters/slack/cards/card.ts';
import { sourceOf } from '../../../../shared/adapters/slack/posting/source.ts';
import { chainRows } from '../../../../shared/cli/support/audit/audit-chain.ts';
import { actionDigest } from '../../../../shared/domain/digest.ts';
import { INVENTED_SECRETS } from '../../../support/invented-secrets.ts';
import { redeemed, report, requestRun, resultOf, scriptedTools } from '../running.ts';
import { bash, policyOf, World } from '../world.ts';

const CANONICAL = 'tools:\n  Bash: { permissions: [Execute], shell: { canonical: true } }\n';
const ALLOW = ["'Bash(git status:*)'", "'Bash(ls:*)'"];
const document = policyOf({ allow: ALLOW, more: CANONICAL });
const digest = (command: string) => actionDigest({ toolName: 'Bash', input: { command } });

/** Redeems and runs the call of a decision with this command. */
async function runOf(world: World, proposalId: string, command: string, callId = 'call') {
  const decision = await world.decided(proposalId);
  const permit = decision.calls.find(({ id }) => id === callId)?.permit;
  if (!permit) throw new Error(`not approved: ${decision.message}`);
  const input = { command };
  return { agent: 'coder', proposalId, callId, permitId: permit.permitId, toolName: 'Bash', input, decision };
}

/** Reads what the card says at the end. */
const told = async (world: World, proposalId: string) =>
  JSON.stringify(renderCard(sourceOf(await world.row(proposalId))).blocks);

describe('an allow by rule', () => {
  test('decides about the printed command, and tells the agent to run it', async () => {
    const world = new World(document);
    await world.send(bash('p1', 'git status --short # now'));
    const decision = await world.decided('p1');
    const printed = "'git' 'status' '--short'";
    expect(decision.calls[0]).toMatchObject({
      outcome: 'approved',
      decidedBy: { type: 'rule' },
      actionDigest: digest(printed),
      effective: { input: { command: printed }, proposedDigest: digest('git status --short # now') },
      permit: { actionDigest: digest(printed) },
    });
    expect(decision.actionDigest).toBe(digest(printed));
    expect(decision.message).toContain('`effective.input`');
  });

  test.each([
    ['nested too deep', JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`)],
    ['too near to 0', 1e-200],
    ['without a name', { '': 1 }],
  ])('does not print a call with an argument %s: no row could hold its decision', async (_, notes) => {
    const declared = 'argsSchema: { type: object, properties: { command: { type: string }, notes: {} } }';
    const world = new World(policyOf({ allow: ALLOW, more: CANONICAL.replace(' }\n', ` , ${declared} }\n`) }));
    await world.send(bash('p1', 'git status', { input: { command: 'git status', notes } }));
    expect((await world.row('p1')).approval).toMatchObject({
      status: 'pending',
      question: { calls: [{ why: expect.stringContaining('no row can hold') }] },
    });
  });

  test('is on the record with both forms', async () => {
    const world = new World(document);
    await world.send(bash('p1', 'git status'));
    const run = await runOf(world, 'p1', "'git' 'status'");
    expect(await redeemed(world, run)).toMatchObject({ granted: true });
    await report(world, run);
    const records = await world.look.audit.ofProposal('coder', world.pid('p1'));
    const [call] = records[0]?.entry.calls ?? [];
    expect(call?.effectiveDigest).toMatch(/^[0-9a-f]{64}$/);
    expect(call?.effectiveDigest).not.toBe(call?.auditDigest);
    const [row] = chainRows(records);
    expect(row?.[3]).toContain(`printed as {"command":"'git' 'status'"}`);
    expect(row?.[4]).toContain('succeeded');
    expect(row?.[4]).not.toContain('ANOTHER ACTION');
  });

  test('permits the printed command and nothing else', async () => {
    const world = new World(document);
    await world.send(bash('p1', 'git status'));
    for (const other of ['git status', "'git'  'status'", "'git' 'status' '-s'", "git 'status'"])
      expect(await redeemed(world, await runOf(world, 'p1', other))).toMatchObject({
        granted: false,
        error: { code: 'action_digest_mismatch' },
      });
    expect(await redeemed(world, await runOf(world, 'p1', "'git' 'status'"))).toMatchObject({ granted: true });
  });

  test('is judged again in its printed form before it runs', async () => {
    const world = new World(document);
    await world.send(bash('p1', 'git status'));
    const run = await runOf(world, 'p1', "'git' 'status'");
    world.gate.usePolicy(policyOf({ deny: ["'Bash(git:*)'"], allow: ALLOW, more: CANONICAL }));
    expect(await redeemed(world, run)).toMatchObject({ granted: false, error: { code: 'policy_changed' } });
    world.gate.usePolicy(document);
    expect(await redeemed(world, run)).toMatchObject({ granted: true });
  });

  test('has the gate run the printed command', async () => {
    const { tools, calls } = scriptedTools('Bash');
    const world = new World(document, { tools });
    await world.send(bash('p1', 'ls  "a b"'));
    await requestRun(world, await runOf(world, 'p1', "'ls' 'a b'"));
    expect(await resultOf(world)).toMatchObject({ status: 'succeeded' });
    expect(calls.map(({ input }) => input)).toEqual([{ command: "'ls' 'a b'" }]);
  });

  test('leaves a text that has that form already', async () => {
    const world = new World(document);
    await world.send(bash('p1', "'git' 'status'"));
    const [call] = (await world.decided('p1')).calls;
    expect(call).toMatchObject({ outcome: 'approved', actionDigest: digest("'git' 'status'") });
    expect(call).not.toHaveProperty('effective');
  });

  test('does nothing where the tool is set otherwise', async () => {
    for (const more of ['', 'tools:\n  Bash: { permissions: [Execute], shell: { canonical: false } }\n']) {
      const world = new World(policyOf({ allow: ALLOW, more }));
      await world.send(bash('p1', 'git status'));
      expect((await world.decided('p1')).calls[0]).not.toHaveProperty('effective');
    }
  });
});

describe('people', () => {
  test('are asked about what cannot be printed, and approve the text that they see', async () => {
    const world = new World(document);
    await world.send(bash('p1', 'ls $((1 + 1)); ls'));
    await world.send(bash('p2', 'ls [^a]'));
    for (const [id, command] of [
      ['p1', 'ls $((1 + 1)); ls'],
      ['p2', 'ls [^a]'],
    ] as const) {
      expect(await world.decision(id)).toBeUndefined();
      await world.click(id, 'alice');
      const [call] = (await world.decided(id)).calls;
      expect(call).toMatchObject({ outcome: 'approved', actionDigest: digest(command) });
      expect(call).not.toHaveProperty('effective');
    }
  });

  test('approve one call of several as it was shown, beside others that rules allow', async () => {
    const world = new World(document);
    const calls = ['git status', 'git push origin x', 'ls a'].map((command, index) => ({
      id: 'abc'[index] as string,
      toolName: 'Bash',
      input: { command },
    }));
    await world.send({ kind: 'tool-call', proposalId: 'p1', calls });
    await world.click('p1', 'alice');
    const decision = await world.decided('p1');
    expect(decision.calls.map(({ effective }) => effective?.input)).toEqual([
      { command: "'git' 'status'" },
      undefined,
      { command: "'ls' 'a'" },
    ]);
    for (const [callId, command] of [
      ['a', "'git' 'status'"],
      ['b', 'git push origin x'],
      ['c', "'ls' 'a'"],
    ] as const) {
      const run = await runOf(world, 'p1', command, callId);
      expect(await redeemed(world, run)).toMatchObject({ granted: true });
      await report(world, run, { actionDigest: digest(command) });
    }
    // Nobody edited anything.
    expect(await told(world, 'p1')).not.toContain('Changed');
  });

  test('edit a call into one that a rule allows: that runs as the gate prints it', async () => {
    const world = new World(document);
    await world.send(bash('p1', 'git push'));
    await world.edit('p1', 'alice', { command: 'git status -s' });
    const decision = await world.decided('p1');
    expect(decision.calls[0]).toMatchObject({
      outcome: 'approved',
      actionDigest: digest("'git' 'status' '-s'"),
      effective: { input: { command: "'git' 'status' '-s'" }, proposedDigest: digest('git push') },
    });
    expect(await told(world, 'p1')).toContain('Changed by');
    expect(await redeemed(world, await runOf(world, 'p1', 'git status -s'))).toMatchObject({ granted: false });
    expect(await redeemed(world, await runOf(world, 'p1', "'git' 'status' '-s'"))).toMatchObject({ granted: true });
  });

  test('are remembered for the text that they approved', async () => {
    const world = new World(document);
    await world.send(bash('p1', 'make "a"'));
    await world.click('p1', 'alice', 'approve', { remember: 'session' });
    await world.send(bash('p2', 'make "a"'));
    const [call] = (await world.decided('p2')).calls;
    expect(call).toMatchObject({ outcome: 'approved', actionDigest: digest('make "a"') });
    expect(call).not.toHaveProperty('effective');
  });
});

describe('a secret in a command', () => {
  const secret = INVENTED_SECRETS.find(({ kind }) => kind === 'github')?.secret as string;

  test.each([
    ['as it is', `ls ${secret}`],
    ['in pieces, which printing puts together', `ls ${secret.slice(0, 6)}''${secret.slice(6)}`],
  ])('%s is printed into no record: no rule covers it', async (_, command) => {
    const world = new World(document);
    await world.send(bash('p1', command));
    expect(await world.decision('p1')).toBeUndefined();
    expect((await world.row('p1')).approval.status).toBe('pending');
    const entries = await world.look.audit.recent('coder', 20);
    expect(JSON.stringify(entries)).not.toContain(secret);
  });

  test('is approved as it was written, where people can see it', async () => {
    const world = new World(document);
    const command = `ls ${secret.slice(0, 6)}''${secret.slice(6)}`;
    await world.send(bash('p1', command));
    await world.click('p1', 'alice');
    const [call] = (await world.decided('p1')).calls;
    expect(call).toMatchObject({ outcome: 'approved', actionDigest: digest(command) });
    expect(JSON.stringify(await world.look.audit.recent('coder', 20))).not.toContain(secret);
  });

  test('of one call leaves the others of its proposal to the rules', async () => {
    const world = new World(document);
    const calls = [`ls ${secret}`, 'ls b'].map((command, index) => ({
      id: 'ab'[index] as string,
      toolName: 'Bash',
      input: { command },
    }));
    await world.send({ kind: 'tool-call', proposalId: 'p1', calls });
    const [evaluated] = await world.audit('p1');
    expect(evaluated?.calls?.map(({ verdict }) => verdict)).toEqual(['ask', 'allow']);
  });
});
