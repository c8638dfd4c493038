/** Tests the change of an edit as its card shows it: what differs is seen, however long the texts are. */
import { expect, test } from 'vitest';
import { bash, policyOf, World } from '../world.ts';
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
