/**
 * Checks that a text which the gate cuts ends with a whole character, and says that it goes on.
 *
 * No JSON form of the record holds half a character, so that digests of it would differ from place to place.
 */
import { expect, test } from 'vitest';
import { bash, policyOf, World } from '../world.ts';

/** So many letters before characters of two halves. */
const behind = (letters: number): string => `${'x'.repeat(letters)}${'😀'.repeat(40)}`;

test('the name of a tool that is too long', async () => {
  const world = new World();
  await world.send({ ...bash('p1'), toolName: behind(127) });
  expect((await world.decided('p1')).outcome).toBe('error');
  const [entry] = await world.audit('p1');
  expect(entry?.calls?.[0]?.toolName).toHaveLength(128);
  expect(JSON.stringify(entry).includes('\\ud83d')).toBe(false);
});

test('the reason of a withdrawal', async () => {
  const world = new World();
  await world.send(bash('p1'));
  await world.send({ kind: 'cancel', proposalId: 'p2', cancels: 'p1', reason: behind(998) });
  const withdrawn = (await world.audit('p1')).find(({ type }) => type === 'cancel');
  expect(withdrawn?.detail).toMatch(/^x{998}…$/);
});

test('the command that may be what a deny rule speaks of', async () => {
  const world = new World(policyOf({ deny: ["'Bash(make clean:*)'"], allow: ['Bash'] }));
  for (const letters of [70, 71, 72, 73]) {
    await world.send(bash(`p${letters}`, `make "$X" s*${behind(letters)}`));
    const { question } = (await world.row(`p${letters}`)).approval;
    const why = question.kind === 'calls' ? (question.calls[0]?.why ?? '') : '';
    expect(why).toMatch(/^The command make .*… may be what the deny rule/);
    expect(why.isWellFormed()).toBe(true);
  }
});
