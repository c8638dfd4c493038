/** Checks that the end of a call is told with its own reason: card, thread and App Home. */
import { expect, test } from 'vitest';
import { endWords } from '../../../../../shared/adapters/slack/home/decision-ends.ts';
import { textsOf } from '../../../adapters/slack/surfaces.ts';
import { bash, policyOf, World } from '../../world.ts';

const pause = (world: World, scope: Record<string, unknown>) => {
  const operation = { kind: 'pause', operationId: 'o1', reason: 'fire drill', scope, effect: 'deny' };
  world.gate.operateAs('oncall', JSON.stringify(operation));
  return world.rest();
};

/** The card, the thread and the Home of who approved it. */
async function told(world: World) {
  const view = await world.row('p1');
  const card = [...world.slack.cards.values()].at(-1);
  const vote = { pid: view.approval.pid, agent: 'coder', subject: '', choice: 'approve', at: '' } as const;
  return {
    card: card ? textsOf(card).join('\n') : '',
    thread: world.slack.thread.join('\n'),
    home: endWords(view, vote).text,
  };
}

const batch = (...calls: (readonly [tool: string, command: string])[]) => ({
  kind: 'tool-call',
  proposalId: 'p1',
  calls: calls.map(([toolName, command], index) => ({ id: `c${index}`, toolName, input: { command } })),
});

test('an edit under a pause is not run because of the pause, and not of a rule', async () => {
  const world = new World();
  await world.send(bash('p1'));
  await pause(world, { agent: 'coder' });
  await world.edit('p1', 'alice', { command: 'git status' });
  expect((await world.decided('p1')).outcome).toBe('denied');
  const { card, thread, home } = await told(world);
  expect(card).toContain('Not run: an operator paused this');
  expect(thread).toMatch(/git status does not run although people changed it: an operator paused it\.$/);
  expect(home).toContain('then paused by an operator: “');
});

test.each([
  ['alone', [['Bash', 'rm -rf x'] as const, ['Deploy', 'prod'] as const]],
  ['with another', [['Bash', 'rm -rf x'] as const, ['Deploy', 'prod'] as const, ['Deploy', 'test'] as const]],
])(
  'a call that was asked about %s is told its own reason, and not that of a call which a rule denied',
  async (_, calls) => {
    const world = new World(policyOf({ more: 'tools: { Deploy: { permissions: [Execute] } }' }));
    await world.send(batch(...calls));
    await pause(world, { tool: 'Deploy' });
    await world.click('p1', 'alice');
    expect((await world.decided('p1')).reasonCode).not.toBe('paused');
    const { card, thread, home } = await told(world);
    expect(card).toContain('Not run: an operator paused this');
    expect(card).toContain('“People approved this, but an operator paused it');
    expect(thread).toMatch(/: an operator paused it\.$/);
    expect(home).toContain('then paused by an operator: “People approved this');
  },
);

test('a rejected call has no time to run, whatever runs beside it without people', async () => {
  const world = new World();
  await world.send(batch(['Bash', 'git status'], ['Bash', 'git push origin main']));
  await world.click('p1', 'alice', 'reject');
  expect((await world.decided('p1')).calls.map(({ permit }) => !!permit)).toEqual([true, false]);
  expect((await told(world)).card).not.toContain('may run until');
});

test('an answer that a pause holds back did not reach the agent, and people and the agent are told so', async () => {
  const world = new World();
  await world.send({ kind: 'input-request', proposalId: 'p1', question: 'Which branch?' });
  await pause(world, { agent: 'coder' });
  await world.click('p1', 'alice', 'approve', { answer: 'main' });
  expect((await world.decided('p1')).message).toBe(
    'An operator has paused this for now: fire drill. People answered, and the answer is not passed on; ask again under a new id when the pause is lifted.',
  );
  const { card, thread } = await told(world);
  expect(card).toContain('Answered, but the agent did not get the answer');
  expect(thread).toBe(
    '<@U0ALICE> Which branch? was answered, but the agent did not get the answer: an operator paused it.',
  );
});
