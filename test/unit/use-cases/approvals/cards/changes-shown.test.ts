/** Tests the change of an edit as its card shows it: what differs is seen, however long the texts are. */
import { expect, test } from 'vitest';
import { bash, policyOf, World } from '../../world.ts';
import { last, textOf } from './burst-world.ts';

const MAIL = 'tools: { Mail: { permissions: [Network] } }';

test.each([
  ['at the end of a long text', `${'a'.repeat(400)} all`, `${'a'.repeat(400)} beta`, 'all → …'],
  [
    'in the middle of one',
    `${'a'.repeat(200)}one${'b'.repeat(400)}`,
    `${'a'.repeat(200)}two${'b'.repeat(400)}`,
    'aone',
  ],
])('a change %s is seen before and after', async (_, before, after, shown) => {
  const world = new World(policyOf({ ask: ['Mail'], more: MAIL }));
  await world.send({ ...bash('p1'), toolName: 'Mail', input: { to: before } });
  await world.edit('p1', 'alice', { to: after });
  const [line = ''] = textOf(last(world)).match(/to: (?:…|a).* → .*/) ?? [];
  expect(line).toContain(shown);
  const [was, is] = line.replace(/^to: /, '').split(' → ');
  expect(was).not.toBe(is);
});

test('changes of several rounds are those of everybody who made them, while it is asked and once it is decided', async () => {
  const world = new World(policyOf({ ask: ['Mail'], more: MAIL }));
  await world.send({ ...bash('p1'), toolName: 'Mail', input: { to: 'a', cc: 'b' } });
  await world.edit('p1', 'alice', { to: 'c', cc: 'b' });
  await world.edit('p1', 'bob', { to: 'c', cc: 'd' });
  const changes = 'Changed by Alice and Bob: cc: b → d · to: a → c';
  expect(textOf(last(world)).replaceAll('\n', '')).toContain(changes);
  await world.click('p1', 'bob');
  expect(textOf(last(world)).replaceAll('\n', '')).toContain(changes);
});

test('an edit that ends it is of the person who made it, and not of who changed it before', async () => {
  const world = new World(policyOf({ ask: ["'Bash(git push:*)'"], allow: ["'Bash(git status:*)'"] }));
  await world.send(bash('p1', 'git push origin main'));
  await world.edit('p1', 'alice', { command: 'git push origin other' });
  await world.edit('p1', 'bob', { command: 'git status' });
  expect((await world.decided('p1')).outcome).toBe('approved');
  expect(textOf(last(world))).toContain('Changed by Alice and Bob: ');
  // The name is of what runs.
  expect(last(world).text).toBe('Approved with changes: coder · git status');
});

test.each([
  ['a text that becomes a number', '1', 1, 'to: "1" → 1'],
  ['a number that becomes a text', 5, 'five', 'to: 5 → "five"'],
  ['a text that becomes true', 'true', true, 'to: "true" → true'],
  ['a line end that becomes the mark of one', 'a\nb', 'a ⏎ b', 'to: "a\\nb" → "a ⏎ b"'],
  ['numbers', 0, 5, 'to: 0 → 5'],
  ['texts', 'a', 'b', 'to: a → b'],
])('%s differs from what it was on the card', async (_, before, after, shown) => {
  const world = new World(policyOf({ ask: ['Mail'], more: MAIL }));
  await world.send({ ...bash('p1'), toolName: 'Mail', input: { to: before } });
  await world.edit('p1', 'alice', { to: after });
  expect(textOf(last(world))).toContain(shown);
});

test('keys in another order are no change', async () => {
  const world = new World(policyOf({ ask: ['Mail'], more: MAIL }));
  await world.send({ ...bash('p1'), toolName: 'Mail', input: { to: { a: 1, b: 2 }, cc: 'x' } });
  await world.edit('p1', 'alice', { cc: 'y', to: { b: 2, a: 1 } });
  expect(textOf(last(world))).toContain('cc: x → y');
  expect(textOf(last(world))).not.toContain('to: ');
});

test('minus zero runs as zero, so that it is no change', async () => {
  const world = new World(policyOf({ ask: ['Mail'], more: MAIL }));
  await world.send({ ...bash('p1'), toolName: 'Mail', input: { to: 'x', copies: 0 } });
  expect(await world.edit('p1', 'alice', JSON.parse('{ "to": "x", "copies": -0 }'))).toMatchObject({
    refusal: 'unchanged',
  });
});

test('the agent is told who changed the call, and who only approved it so', async () => {
  const stages = 'stages: [{ group: platform, quorum: 2 }]';
  const world = new World(policyOf({ more: `tools: { Deploy: { permissions: [Execute], ${stages} } }` }));
  await world.send({ ...bash('p1'), toolName: 'Deploy', input: { version: 'v1' } });
  await world.edit('p1', 'alice', { version: 'v2' });
  await world.click('p1', 'alice');
  await world.click('p1', 'bob');
  const { message } = (await world.decided('p1')).calls[0] ?? {};
  expect(message).toContain('U0ALICE changed the arguments of this Deploy call, and U0BOB approved it so.');
});
