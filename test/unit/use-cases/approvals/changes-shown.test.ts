/** Tests the change of an edit as its card shows it: what differs is seen, however long the texts are. */
import { expect, test } from 'vitest';
import { bash, policyOf, World } from '../world.ts';
import { last, textOf } from './burst-world.ts';

test.each([
  ['at the end of a long text', `${'a'.repeat(400)} all`, `${'a'.repeat(400)} beta`, 'all → …'],
  [
    'in the middle of one',
    `${'a'.repeat(200)}one${'b'.repeat(400)}`,
    `${'a'.repeat(200)}two${'b'.repeat(400)}`,
    'aone',
  ],
])('a change %s is seen before and after', async (_, before, after, shown) => {
  const world = new World(policyOf({ ask: ['Mail'], more: 'tools: { Mail: { permissions: [Network] } }' }));
  await world.send({ ...bash('p1'), toolName: 'Mail', input: { to: before } });
  await world.edit('p1', 'alice', { to: after });
  const [line = ''] = textOf(last(world)).match(/to: (?:…|a).* → .*/) ?? [];
  expect(line).toContain(shown);
  const [was, is] = line.replace(/^to: /, '').split(' → ');
  expect(was).not.toBe(is);
});
