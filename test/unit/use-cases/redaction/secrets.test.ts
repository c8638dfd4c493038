/**
 * Follows a call with a secret from the message to its end (D33, A20, D24).
 *
 * Nothing that is stored or shown has the secret, and the original is decided.
 */
import { describe, expect, test } from 'vitest';
import { compilePolicy } from '../../../../shared/config/compile.ts';
import { actionDigest, sha256Hex } from '../../../../shared/domain/digest.ts';
import { argsHash } from '../../../../shared/permissions/service/grants.ts';
import { resolveApproval } from '../../../../shared/use-cases/approvals/resolution/resolve-approval.ts';
import { redactorOf } from '../../../../shared/use-cases/redactor.ts';
import { INVENTED_SECRETS } from '../../../support/invented-secrets.ts';
import { approvedCall, guarded, redeemed, report, requestRun, resultOf, scriptedTools } from '../running.ts';
import { bash, policyOf, World } from '../world.ts';

const HOUR = 3_600_000;
const TOKEN = INVENTED_SECRETS.find(({ kind }) => kind === 'github')?.secret as string;
const COMMAND = `git push https://x:${TOKEN}@git.example/r.git main`;

/** Everything that the gate holds but the vault, and everything that people saw. */
function heldBy({ gate, slack }: World): string {
  const { state } = gate.parts;
  const deep = (part: unknown): unknown =>
    part instanceof Map ? [...part].map(deep) : Array.isArray(part) ? part.map(deep) : part;
  return JSON.stringify([Object.values(state).map(deep), deep(slack.cards), slack.notices]);
}

test.each(INVENTED_SECRETS)(
  '$kind: on no card, in no row and in no record, decided or waiting',
  async ({ secret, text }) => {
    const world = new World(policyOf({ ask: ["'*'"], allow: [] }));
    await world.send(bash('p1', text, { description: `I use ${text}`, title: 't', reason: text }));
    await world.send({ ...bash('p2'), input: { command: 'ls', nested: { list: [{ text }] } } });
    await world.send({
      ...bash('p3', 'rm -rf /', { reason: text }),
      rules: [{ effect: 'deny', pattern: `Bash(${'rm:*'})` }],
    });
    await world.send({ kind: 'cancel', proposalId: 'c', cancels: 'p2', reason: text });
    await world.click('p1', 'alice', 'reject', { reason: `No: ${text}` });
    await world.send(`{"proposalId":"p4","${text.replaceAll(/["\n]/g, '')}":1`);
    expect(heldBy(world)).not.toContain(JSON.stringify(secret).slice(1, -1));
    expect(heldBy(world)).toContain('‹redacted: ');
    expect(world.faults).toEqual([]);
  },
);

test('what is wrong with an execution request or a report quotes no secret', async () => {
  const world = new World();
  const { outcomes, executions } = world.gate.agentSide('coder');
  for (const queue of [outcomes, executions])
    for (const raw of [`{"${TOKEN}":1}`, `{"${TOKEN}":1,"${TOKEN}":2}`, `{"${TOKEN}":{"__proto__":1}}`])
      await queue.publish(raw, 'coder');
  await world.rest();
  const refused = (await world.look.audit.recent('coder', 20)).filter(({ entry }) => entry.type === 'refused');
  expect(refused).toHaveLength(6);
  expect(heldBy(world)).not.toContain(TOKEN);
});

test('thousands of short texts are not shown to the detector one by one (A11)', async () => {
  let looks = 0;
  const redactor = redactorOf(
    () => compilePolicy(policyOf()),
    async () => ({
      find: () => {
        looks += 1;
        return [];
      },
    }),
  );
  await redactor.json(Array.from({ length: 20_000 }, () => 'key'));
  expect(looks).toBe(0);
  await redactor.json(['token=abcdefgh12345678']);
  expect(looks).toBe(1);
});

describe('the original', () => {
  test('is what is approved and what the permit is for', async () => {
    const world = new World();
    await world.send(bash('p1', COMMAND));
    expect((await world.row('p1')).proposal).toContain('https://x:‹redacted: github›@git.example');
    await world.click('p1', 'alice');
    const decision = await world.decided('p1');
    const digest = actionDigest({ toolName: 'Bash', input: { command: COMMAND } });
    expect(decision).toMatchObject({ outcome: 'approved', actionDigest: digest });
    expect(decision.calls[0]?.permit?.actionDigest).toBe(digest);
  });

  test('is judged again when people have answered: a deny rule on what is redacted still wins', async () => {
    const world = new World();
    await world.send(bash('p1', COMMAND));
    world.gate.usePolicy(policyOf({ deny: [`'Bash(git push https://x:${TOKEN}@git.example/r.git:*)'`] }));
    await world.click('p1', 'alice');
    expect(await world.decided('p1')).toMatchObject({ outcome: 'denied', reasonCode: 'policy_changed' });
  });

  test('is not read by the reconciler, which hands the approval on to resume', async () => {
    const world = new World(policyOf(), { reconcileEveryMs: 0 });
    await world.send(bash('p1', COMMAND));
    const parts = Object.create(world.gate.parts, { unsealer: { value: undefined } });
    await world.click('p1', 'alice');
    const other = new World(policyOf(), { reconcileEveryMs: 0 });
    await other.send(bash('p1', COMMAND));
    await other.clock.advance(HOUR);
    expect(
      await resolveApproval(other.pid('p1'), Object.create(other.gate.parts, { unsealer: { value: undefined } })),
    ).toEqual({
      state: other.gate.parts.state.approvals.get(other.pid('p1'))?.decision ? 'done' : 'sealed',
    });
    expect(await resolveApproval(world.pid('p1'), parts)).toEqual({ state: 'done' });
  });

  test('is gone a day after the approval’s expiry: then the call is refused, never allowed', async () => {
    const world = new World(policyOf(), {
      reconcileEveryMs: 0,
      wrap: (name, port) => (name === 'unsealer' ? ({ ...port, open: async () => undefined } as typeof port) : port),
    });
    await world.send(bash('p1', COMMAND));
    await world.click('p1', 'alice');
    expect(await world.decided('p1')).toMatchObject({ outcome: 'error', reasonCode: 'seal_expired' });
  });

  test('is sealed for a day past the expiry, and only if there is a secret', async () => {
    const sealed: [string, number][] = [];
    const world = new World(policyOf(), {
      wrap: (name, port) =>
        name === 'sealer'
          ? ({ seal: async (_: unknown, text: string, until: number) => void sealed.push([text, until]) } as never)
          : port,
    });
    await world.send(bash('plain'));
    const now = world.clock.now();
    await world.send(bash('p1', COMMAND));
    expect(sealed).toEqual([[expect.stringContaining(TOKEN), now + HOUR + 24 * HOUR]]);
  });
});

describe('the label in the record (D24)', () => {
  test('is the plain hash of the input, unless it holds a secret: then it is keyed', async () => {
    const world = new World(policyOf({ allow: ["'Bash(git status:*)'", "'Bash(deploy:*)'"] }));
    const command = 'deploy --password hunter22 --to prod';
    await world.send(bash('plain', 'git status'));
    await world.send(bash('secret', command));
    const [plain] = await world.audit('plain');
    const [secret] = await world.audit('secret');
    expect(plain?.calls?.[0]?.argsHash).toBe(argsHash({ command: 'git status' }));
    const label = secret?.calls?.[0]?.argsHash;
    expect(label).toBe(secret?.calls?.[0]?.auditDigest?.slice(0, 8));
    expect(label).not.toBe(argsHash({ command }));
    expect(JSON.stringify(secret)).not.toContain(sha256Hex(JSON.stringify({ command })).slice(0, 8));
  });
});

describe('what cannot be redacted is refused, naming the field', () => {
  test.each([
    ['state', { state: `resume with ${TOKEN}` }],
    ['calls[0].toolName', { toolName: TOKEN }],
    ['sessionId', { sessionId: TOKEN }],
  ])('%s', async (field, more) => {
    const world = new World();
    await world.send(bash('p1', 'git push', more));
    const decision = await world.decided('p1');
    expect(decision).toMatchObject({ outcome: 'error', reasonCode: 'secret_in_name' });
    expect(decision.message).toMatch(new RegExp(`^${field.replaceAll(/[[\].]/g, '\\$&')}: `));
  });
});

describe('Approve', () => {
  const buttons = (world: World) =>
    [...world.slack.cards.values()].flatMap(({ blocks }) =>
      blocks.flatMap((block) =>
        block.type === 'actions'
          ? block.elements.map((element) => ('action_id' in element ? element.action_id : ''))
          : [],
      ),
    );

  test('is offered where a value is redacted', async () => {
    const world = new World();
    await world.send(bash('p1', COMMAND));
    expect(buttons(world)).toContain('countersign_approve');
  });

  test('is not offered where a command word, a path or a host is', async () => {
    const hiding = [`git push /tmp/${TOKEN}`, `git push https://${TOKEN}.example/x`, `git push; ${TOKEN}`];
    for (const hidden of [...hiding, 'X_TOKEN=evil1; git push https://$X_TOKEN.example/x']) {
      const world = new World();
      await world.send(bash('p1', hidden));
      expect(buttons(world)).not.toContain('countersign_approve');
      expect(buttons(world)).toContain('countersign_reject');
    }
  });
});

test('what the policy file calls secret is one, by name and by pattern', async () => {
  const more = 'redaction: { names: [iban], patterns: [{ kind: customer, pattern: "CUST-*" }] }';
  const world = new World(policyOf({ more }));
  await world.send({ ...bash('p1'), input: { command: 'git push CUST-12345 --iban DE0012345', iban: 'DE0099' } });
  const { proposal } = await world.row('p1');
  expect(JSON.parse(proposal).calls[0].input).toEqual({
    command: 'git push ‹redacted: customer› --iban ‹redacted: iban›',
    iban: '‹redacted: iban›',
  });
});

describe('an id that holds a secret', () => {
  const CONVERSATION = { user_id: 'u', message: 'hi', conversation_id: '99999999-9999-4999-8999-999999999999' };
  const asked = { kind: 'task-message', proposalId: 'p1', context: CONVERSATION };
  const withTasks = () => policyOf({ more: 'taskAgent: { enabled: true }' });

  test.each<readonly [string, Readonly<Record<string, unknown>>, string]>([
    ['of a proposal', bash(TOKEN), 'secret_in_name'],
    ['of a session', bash('p1', 'git status', { sessionId: TOKEN }), 'secret_in_name'],
    ['of a proposal that is over', bash(TOKEN, 'git status', { expiresAt: '2020-01-01T00:00:00Z' }), 'expired'],
    ['of a proposal that cannot be read', { kind: 'tool-call', proposalId: TOKEN }, 'invalid_proposal'],
    ['of a session that a cancel names', { kind: 'cancel', proposalId: 'c', cancels: 'p1', sessionId: TOKEN }, ''],
    ['of a proposal that is withdrawn', { kind: 'cancel', proposalId: 'c', cancels: TOKEN }, ''],
    ['of a message to the task agent', { ...asked, proposalId: TOKEN }, 'secret_in_name'],
    ['of the session of one', { ...asked, sessionId: TOKEN }, 'secret_in_name'],
    ['beside one', { ...asked, state: TOKEN }, 'secret_in_name'],
    ['of the user of one', { ...asked, context: { ...CONVERSATION, user_id: TOKEN } }, 'secret_in_name'],
  ])('is on no record: %s', async (_, message, code) => {
    const world = new World(withTasks());
    await world.send(message);
    if (code) expect((await world.decided(String(message['proposalId']))).reasonCode).toBe(code);
    expect(heldBy(world)).not.toContain(TOKEN);
    expect(world.faults).toEqual([]);
  });

  test('of a user is named: with a mark in its place all such users would read each other’s tasks', async () => {
    const world = new World(withTasks());
    await world.send({ ...asked, context: { ...CONVERSATION, user_id: TOKEN, message: 'remind me to buy milk' } });
    expect((await world.decided('p1')).message).toContain('context.user_id: holds what looks like a secret');
  });

  test('of a proposal that comes again with other content is on no record', async () => {
    const world = new World();
    await world.send(bash(TOKEN, 'ls'));
    await world.send(bash(TOKEN, 'git status'));
    const entries = (await world.look.audit.recent('coder', 5)).map(({ entry }) => entry.reasonCode);
    expect(entries).toEqual(['proposal_id_conflict', 'secret_in_name']);
    expect(heldBy(world)).not.toContain(TOKEN);
  });

  test.each(['proposalId', 'callId'])('of a permit that is asked for is on no record: %s', async (field) => {
    const world = new World(guarded());
    const call = await approvedCall(world);
    expect(await redeemed(world, { ...call, [field]: TOKEN })).toMatchObject({ granted: false });
    const entries = (await world.look.audit.recent('coder', 5)).map(({ entry }) => entry.type);
    expect(entries).toContain('refused');
    expect(heldBy(world)).not.toContain(TOKEN);
  });

  test('of a refused report or of the error in one is on no record, and teaches no figure', async () => {
    const events: unknown[] = [];
    const world = new World(guarded(), { onEvent: (event) => events.push(event) });
    const call = await approvedCall(world);
    await redeemed(world, call);
    await report(world, call, { proposalId: TOKEN });
    await report(world, call, { status: 'failed', error: { code: TOKEN, message: '' } });
    expect((await world.audit('p1')).map(({ reasonCode }) => reasonCode)).toContain('failed');
    expect(JSON.stringify([heldBy(world), events])).not.toContain(TOKEN);
  });

  test.each(['requestId', 'proposalId', 'callId'])('of a run is refused, and in no result: %s', async (field) => {
    const scripted = scriptedTools('Refund');
    const world = new World(guarded(), { tools: scripted.tools });
    const call = await approvedCall(world);
    await requestRun(world, call, 'r1', { [field]: TOKEN });
    expect(scripted.calls).toEqual([]);
    const refused = (await world.look.audit.recent('coder', 5)).filter(({ entry }) => entry.type === 'refused');
    expect(refused.map(({ entry }) => entry.reasonCode)).toEqual(['secret_in_name']);
    expect(heldBy(world)).not.toContain(TOKEN);
  });

  test('of a limit is not quoted by the result that refuses it', async () => {
    const world = new World(guarded(), { tools: scriptedTools('Refund').tools });
    await requestRun(world, await approvedCall(world), 'r1', { limits: { [TOKEN]: 1 } });
    expect((await resultOf(world))?.error).toMatchObject({
      code: 'InvalidLimit',
      message: expect.stringContaining('Unrecognized key: "‹redacted'),
    });
    expect(heldBy(world)).not.toContain(TOKEN);
  });

  test.each<Readonly<Record<string, unknown>>>([
    { kind: 'pause', scope: { tool: TOKEN }, effect: 'deny' },
    { kind: 'pause', scope: { agent: TOKEN }, effect: 'deny' },
    { kind: 'pause', scope: { all: true }, effect: 'deny', operationId: TOKEN },
    { kind: 'set-mode', agent: 'coder', session: TOKEN, mode: 'plan' },
    { kind: 'revoke', agent: 'coder', session: TOKEN },
    { kind: 'add-rule', agent: 'coder', effect: 'deny', pattern: `Bash(curl ${TOKEN}:*)` },
    { kind: 'decide', agent: 'coder', proposalId: TOKEN, choice: 'approve' },
    { kind: 'undelegate', person: TOKEN },
    { kind: 'replay', webhook: TOKEN, from: '2026-11-20T00:00:00Z', until: '2026-11-21T00:00:00Z' },
  ])('of an operation changes nothing and is on no record: %j', async (wanted) => {
    const world = new World();
    world.gate.operateAs('oncall', JSON.stringify({ operationId: 'o1', reason: 'r', ...wanted }));
    await world.rest();
    expect(await operationsOf(world)).toEqual(['secret_in_name']);
    expect(heldBy(world)).not.toContain(TOKEN);
  });

  test('may stand in an operation that takes it back, and a rule may have wildcards where a secret would be', async () => {
    const world = new World();
    const rule = { agent: 'coder', effect: 'deny', reason: 'r' };
    const operations = [
      { ...rule, kind: 'remove-rule', pattern: `Bash(curl ${TOKEN}:*)` },
      { ...rule, kind: 'add-rule', pattern: 'Bash(curl -u *:*)' },
      { ...rule, kind: 'add-rule', pattern: 'Bash(deploy --token=*:*)' },
    ];
    for (const [index, one] of operations.entries())
      world.gate.operateAs('oncall', JSON.stringify({ ...one, operationId: `o${index}` }));
    await world.rest();
    expect((await operationsOf(world)).toSorted()).toEqual(['no_such_rule', 'rule_added_deny', 'rule_added_deny']);
  });

  async function operationsOf(world: World): Promise<(string | undefined)[]> {
    const records = await world.look.audit.recent('-operations', 5);
    return records.map(({ entry }) => entry.reasonCode).toReversed();
  }
});

test('a question can be read whose reason repeats a short secret often', async () => {
  const world = new World();
  await world.send(bash('p1', `${'abcd'.repeat(60)} --password abcd`));
  const { question } = (await world.row('p1')).approval;
  const [asked] = question.kind === 'calls' ? question.calls : [];
  expect(asked?.why).toMatch(/^No rule (?!.*abcd).*…$/);
  await world.click('p1', 'alice');
  expect((await world.decided('p1')).outcome).toBe('approved');
});
