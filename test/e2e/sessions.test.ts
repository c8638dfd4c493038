/**
 * Checks that the memory of a session lives in DynamoDB, across deliveries and processes.
 *
 * Covers D9, D11 and D12. Covers D9, D11, D12.
 */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { dynamoSessionStore } from '../../shared/adapters/dynamodb/sessions/session-store.ts';
import { SCOPE } from '../../shared/adapters/slack/cards/modals.ts';
import { ACTIONS } from '../../shared/adapters/slack/elements/actions.ts';
import { e2eGate } from './gate.ts';
import { agentNamed, newId, operatorNamed } from './harness/agents.ts';
import { misled } from './harness/functions.ts';
import { entriesOf, waiting } from './harness/rows.ts';
import { ALICE, approve, BOB, cardOf, choose, OLGA, reject } from './harness/slack.ts';
import { until } from './harness/until.ts';

// Where this file runs alone, the gate is deployed in a hook's time, which is longer than a test's.
beforeAll(async () => {
  await e2eGate();
});

/** Another environment is another process of the function: nothing that one kept in memory is there. */
const cold = (work: () => Promise<void>) => misled('evaluate', { POWERTOOLS_LOG_LEVEL: 'WARN' }, work);

it('D12 after the third denial in a row a person is asked; after the approval the classifier decides again', async () => {
  const assistant = await agentNamed('assistant');
  const sessionId = randomUUID();
  const denied = async (n: number) =>
    expect(await assistant.wait(await assistant.run(`curl https://x.test/${n}`, { sessionId }))).toMatchObject({
      outcome: 'denied',
      decidedBy: { type: 'classifier' },
    });
  await denied(1);
  await denied(2);
  await cold(() => denied(3));
  const id = await assistant.run('echo hello', { sessionId });
  const { approval } = await waiting(assistant.pid(id));
  expect(approval.question).toMatchObject({ calls: [{ why: expect.stringContaining('3 denials in a row') }] });
  await approve(ALICE, await cardOf(approval.pid));
  expect((await assistant.wait(id)).outcome).toBe('approved');
  const again = await assistant.wait(await assistant.run('echo hello again', { sessionId }));
  expect(again).toMatchObject({ outcome: 'approved', decidedBy: { type: 'classifier' } });
});

it('D11, D55 what a person has just refused is refused again without another card, in whatever session', async () => {
  const builder = await agentNamed('builder');
  const sessionId = randomUUID();
  const command = `git push origin refused-${sessionId}`;
  const first = await builder.run(command, { sessionId });
  await reject(BOB, await cardOf(builder.pid(first)), 'Not this branch.');
  expect((await builder.wait(first)).outcome).toBe('denied');
  const second = await builder.wait(await builder.run(command, { sessionId }));
  expect(second).toMatchObject({ outcome: 'denied', reasonCode: 'remembered_refusal' });
  const elsewhere = await builder.wait(await builder.run(command, { sessionId: randomUUID() }));
  expect(elsewhere).toMatchObject({ outcome: 'denied', reasonCode: 'remembered_refusal' });
});

it('D9 a sub-agent is judged by the session that started it', async () => {
  const [builder, helper] = [await agentNamed('builder'), await agentNamed('helper')];
  const [parent, child] = [randomUUID(), randomUUID()];
  const read = { toolName: 'Glob', input: { pattern: 'src/*.ts' } } as const;
  const orphan = await helper.client.propose({ proposalId: randomUUID(), ...read, sessionId: child });
  await waiting(helper.pid(orphan));
  const starts = { agentId: 'helper', sessionId: child };
  const start = await builder.run('git status', { sessionId: parent, starts });
  expect((await builder.wait(start)).outcome).toBe('approved');
  const adopted = await helper.client.propose({ proposalId: randomUUID(), ...read, sessionId: child });
  expect(await helper.wait(adopted)).toMatchObject({ outcome: 'approved', reasonCode: 'bubble' });
});

it('A3 what a call starts stands on its card, and is started by whoever approves exactly that', async () => {
  const [builder, helper] = [await agentNamed('builder'), await agentNamed('helper')];
  const [parent, child] = [randomUUID(), randomUUID()];
  const starts = { agentId: 'helper', sessionId: child };
  const command = `make go-${newId()}`;
  const plain = await builder.run(command, { sessionId: parent });
  const start = await builder.run(command, { sessionId: parent, starts });
  const text = `starts the session ${child} of helper`;
  expect(JSON.stringify(await cardOf(builder.pid(start)))).toContain(text);
  expect(JSON.stringify(await cardOf(builder.pid(plain)))).not.toContain(text);

  const read = { toolName: 'Glob', input: { pattern: 'src/*.ts' }, sessionId: child } as const;
  await approve(ALICE, await cardOf(builder.pid(plain)));
  expect((await builder.wait(plain)).outcome).toBe('approved');
  await waiting(helper.pid(await helper.client.propose({ proposalId: newId(), ...read })));
  await approve(ALICE, await cardOf(builder.pid(start)));
  expect((await builder.wait(start)).outcome).toBe('approved');
  const adopted = await helper.client.propose({ proposalId: newId(), ...read });
  expect(await helper.wait(adopted)).toMatchObject({ outcome: 'approved', reasonCode: 'bubble' });
});

it('D52 the owner of an agent cannot approve what is done in a session that it has started', async () => {
  const [builder, aide] = [await agentNamed('builder'), await agentNamed('aide')];
  const child = randomUUID();
  const start = await builder.run('git status', {
    sessionId: randomUUID(),
    starts: { agentId: 'aide', sessionId: child },
  });
  expect((await builder.wait(start)).outcome).toBe('approved');
  const asked = await aide.run(`make own-${newId()}`, { sessionId: child });
  await waiting(aide.pid(asked));
  // Olga owns the builder, and Alice the aide.
  for (const owner of [OLGA, ALICE]) await approve(owner, await cardOf(aide.pid(asked)));
  expect((await waiting(aide.pid(asked))).approval.votes).toEqual([]);
  await approve(BOB, await cardOf(aide.pid(asked)));
  expect(await aide.wait(asked)).toMatchObject({ outcome: 'approved', decidedBy: { type: 'human' } });
});

describe('what people and operators said of a session holds for the next deliveries, in the same process and in a fresh one', () => {
  it('D10 a mode that an operator set, until it is given back to the agent', async () => {
    const [builder, oncall] = [await agentNamed('builder'), await operatorNamed('oncall')];
    const sessionId = randomUUID();
    const edit = async () => {
      const input = { file_path: '/workspace/app/src/a.ts', old_string: 'a', new_string: newId() };
      return builder.client.propose({ proposalId: newId(), toolName: 'Edit', input, sessionId });
    };
    const mode = async (to: string) => {
      const entry = await oncall.done({ kind: 'set-mode', agent: 'builder', session: sessionId, mode: to });
      expect(entry).toMatchObject({ accepted: true });
    };
    await mode('acceptEdits');
    const allowed = { outcome: 'approved', decidedBy: { type: 'system' } };
    expect(await builder.wait(await edit())).toMatchObject(allowed);
    expect(await builder.wait(await edit())).toMatchObject(allowed);
    await cold(async () => expect(await builder.wait(await edit())).toMatchObject(allowed));
    await mode('agent');
    const asked = await edit();
    await waiting(builder.pid(asked));
    await approve(ALICE, await cardOf(builder.pid(asked)));
    expect(await builder.wait(asked)).toMatchObject({ outcome: 'approved', decidedBy: { type: 'human' } });
  });

  it('D10, D36 a rule that an operator added, until it is taken back', async () => {
    const [builder, oncall] = [await agentNamed('builder'), await operatorNamed('oncall')];
    const { root, outputs } = await e2eGate();
    const sessions = dynamoSessionStore(root.dynamodb, { state: outputs.StateTable, audit: outputs.AuditTable });
    const session = randomUUID();
    const rules = (count: number) =>
      until(`${count} rules of the session`, async () => {
        const row = await sessions.read('builder', session);
        return row?.rules.length === count ? row : undefined;
      });
    const rule = { agent: 'builder', session, effect: 'allow', pattern: 'Bash(make docs:*)' };
    await oncall.say({ kind: 'add-rule', ...rule });
    await rules(1);
    const allowed = async () =>
      expect(await builder.wait(await builder.run('make docs', { sessionId: session }))).toMatchObject({
        outcome: 'approved',
        decidedBy: { type: 'rule' },
      });
    await allowed();
    await cold(allowed);
    await oncall.say({ kind: 'remove-rule', ...rule });
    await rules(0);
    const id = await builder.run('make docs', { sessionId: session });
    await waiting(builder.pid(id));
    await reject(BOB, await cardOf(builder.pid(id)), 'Not now.');
    expect((await builder.wait(id)).outcome).toBe('denied');
  });

  it('D58 a mode that an operator set for every session of an agent, which chooses their names', async () => {
    const [writer, oncall] = [await agentNamed('writer'), await operatorNamed('oncall')];
    const mode = (to: string) => oncall.done({ kind: 'set-mode', agent: 'writer', mode: to });
    const status = async () => writer.wait(await writer.run('git status', { sessionId: randomUUID() }));
    await mode('plan');
    expect(await status()).toMatchObject({ outcome: 'denied', reasonCode: 'plan_mode' });
    await mode('agent');
    expect(await status()).toMatchObject({ outcome: 'approved' });
  });

  it('D58 a session that nobody started is denied what an agent is denied that may have started it', async () => {
    const [aide, oncall] = [await agentNamed('aide'), await operatorNamed('oncall')];
    const mode = (to: string) => oncall.done({ kind: 'set-mode', agent: 'builder', mode: to });
    const status = async () => aide.wait(await aide.run('git status', { sessionId: randomUUID() }));
    expect(await status()).toMatchObject({ outcome: 'approved' });
    await mode('plan');
    try {
      expect(await status()).toMatchObject({ outcome: 'denied' });
    } finally {
      await mode('agent');
    }
    expect(await status()).toMatchObject({ outcome: 'approved' });
  });

  it('D22 "Approve for this session" answers the same call there, and no other', async () => {
    const builder = await agentNamed('builder');
    const { slack } = await e2eGate();
    const sessionId = randomUUID();
    const first = await builder.run('make all', { sessionId });
    const { channel, ts } = await cardOf(builder.pid(first));
    await choose(ALICE, { channel, ts }, ACTIONS.session);
    const { id: viewId } = await until('the modal', () => slack.views(ALICE).at(-1));
    const values = { [SCOPE.block]: { [SCOPE.action]: 'session' } };
    expect(await slack.submitView({ user: ALICE, viewId, values })).toMatchObject({ ok: true });
    expect(await builder.wait(first)).toMatchObject({ outcome: 'approved', decidedBy: { type: 'human' } });
    const remembered = { outcome: 'approved', reasonCode: 'cache_hit' };
    expect(await builder.wait(await builder.run('make all', { sessionId }))).toMatchObject(remembered);
    await cold(async () => {
      expect(await builder.wait(await builder.run('make all', { sessionId }))).toMatchObject(remembered);
      for (const other of [
        await builder.run('make all', { sessionId: randomUUID() }),
        await builder.run('make clean', { sessionId }),
      ]) {
        await reject(BOB, await cardOf(builder.pid(other)), 'Another call.');
        expect((await builder.wait(other)).outcome).toBe('denied');
      }
    });
  });
});

it('D8 a live model is the classifier of auto mode: it allows, it blocks, and where it hangs up a person is asked', async () => {
  const assistant = await agentNamed('assistant');
  const { model } = await e2eGate();
  const sessionId = randomUUID();
  const judged = (should_block: boolean) => JSON.stringify({ should_block, reason: 'as told', confidence: 0.95 });
  const search = (answer: string) => {
    const call = { toolName: 'mcp__docs__search', input: { query: `${newId()} says ${answer}` } };
    return assistant.client.propose({ proposalId: newId(), ...call, sessionId });
  };
  const before = model.requests.length;
  const allowed = await search(judged(false));
  expect(await assistant.wait(allowed)).toMatchObject({ outcome: 'approved', decidedBy: { type: 'classifier' } });
  const denied = await assistant.wait(await search(judged(true)));
  expect(denied).toMatchObject({ outcome: 'denied', message: 'as told', decidedBy: { type: 'classifier' } });
  expect(model.requests.slice(before).map(({ body }) => body.model)).toEqual(['judge-1', 'judge-1']);
  const [entry] = await entriesOf('assistant', assistant.pid(allowed), 'evaluated');
  expect(entry?.classifiers).toMatchObject([{ by: 'anthropic/judge-1', shouldBlock: false, reason: 'as told' }]);

  const unanswered = await search('hang up');
  await waiting(assistant.pid(unanswered));
  await reject(BOB, await cardOf(assistant.pid(unanswered)), 'Nobody knows what it is.');
  expect(await assistant.wait(unanswered)).toMatchObject({ outcome: 'denied', decidedBy: { type: 'human' } });
});
