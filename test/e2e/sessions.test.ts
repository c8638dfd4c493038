/** What is remembered of a session lives in DynamoDB, across deliveries and processes (D9, D11, D12). */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { agentNamed } from './harness/agents.ts';
import { waiting } from './harness/rows.ts';
import { ALICE, approve, BOB, cardOf, reject } from './harness/slack.ts';

it('D12 after the third denial in a row a person is asked; after the approval the classifier decides again', async () => {
  const assistant = await agentNamed('assistant');
  const sessionId = randomUUID();
  for (let n = 1; n <= 3; n++) {
    const denied = await assistant.wait(await assistant.run(`curl https://x.test/${n}`, { sessionId }));
    expect(denied).toMatchObject({ outcome: 'denied', decidedBy: { type: 'classifier' } });
  }
  const id = await assistant.run('echo hello', { sessionId });
  const { approval } = await waiting(assistant.pid(id));
  expect(approval.question).toMatchObject({ calls: [{ why: expect.stringContaining('3 denials in a row') }] });
  await approve(ALICE, await cardOf(approval.pid));
  expect((await assistant.wait(id)).outcome).toBe('approved');
  const again = await assistant.wait(await assistant.run('echo hello again', { sessionId }));
  expect(again).toMatchObject({ outcome: 'approved', decidedBy: { type: 'classifier' } });
});

it('D11 what a person has just refused is refused again without another card, in this session only', async () => {
  const builder = await agentNamed('builder');
  const sessionId = randomUUID();
  const command = `git push origin refused-${sessionId}`;
  const first = await builder.run(command, { sessionId });
  await reject(BOB, await cardOf(builder.pid(first)), 'Not this branch.');
  expect((await builder.wait(first)).outcome).toBe('denied');
  const second = await builder.wait(await builder.run(command, { sessionId }));
  expect(second).toMatchObject({ outcome: 'denied', reasonCode: 'remembered_refusal' });
  const elsewhere = await builder.run(command, { sessionId: randomUUID() });
  await waiting(builder.pid(elsewhere));
  await approve(ALICE, await cardOf(builder.pid(elsewhere)));
  expect((await builder.wait(elsewhere)).outcome).toBe('approved');
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
