/** Tests the impact of a call on its card: as far as the analysis sees it, as text that takes no effect (D33). */
import { expect, test } from 'vitest';
import { bash, policyOf, World } from './world.ts';

const TOOLS = `tools:
  Refund: { permissions: [Sensitive], effect: ExternalSideEffects, severity: low }
  Fetch: { permissions: [Network], effect: Pure }`;
const asked = async (proposal: Record<string, unknown>) => {
  const world = new World(
    policyOf({ more: TOOLS, ask: ['Refund', 'Fetch', "'Bash(git push:*)'", "'Bash(cp:*)'", 'Write'] }),
  );
  await world.send(proposal);
  const { question } = (await world.row('p1')).approval;
  const touches = question.kind === 'calls' ? question.calls[0]?.touches : undefined;
  return { touches, card: JSON.stringify([...world.slack.cards.values()][0]?.blocks) };
};
const call = (toolName: string, input: Record<string, unknown>) => ({ ...bash('p1'), toolName, input });

test('amounts and what the tool declares', async () => {
  const { touches, card } = await asked(call('Refund', { order: 7, payment: { amount: 120.5, currency: 'EUR' } }));
  expect(touches).toEqual({ effect: 'ExternalSideEffects', amounts: ['amount 120.5', 'currency EUR'] });
  expect(card).toContain('What it would touch: acts outside, and cannot be taken back · amount 120.5 · currency EUR');
});

test('paths, and whether they lie outside the project', async () => {
  const { touches } = await asked(call('Write', { file_path: '/workspace/a.ts', content: 'x' }));
  expect(touches).toEqual({ paths: ['writes /workspace/a.ts'] });
  const copied = await asked(bash('p1', 'cp ./src/a.ts /etc/motd'));
  expect(copied.touches).toMatchObject({ outside: true });
  expect(copied.touches?.paths?.join(' ')).toContain('/etc/motd');
});

test('hosts, as a browser would read them', async () => {
  const { touches, card } = await asked(
    call('Fetch', { from: ['https://api.example:8443/x', 'see http://evil.example@good.example/'] }),
  );
  expect(touches).toMatchObject({ effect: 'Pure', hosts: ['api.example:8443', 'good.example'] });
  expect(card).toContain('connects to good.example');
});

test('a command without either says what is known, and hostile names are text', async () => {
  const { card } = await asked(bash('p1', 'git push origin main'));
  expect(card).toContain('What it would touch: what it does to the world is not declared');
  const hostile = await asked(call('Write', { file_path: '/workspace/*bold* <@U0BOB>\u202e.ts', content: 'x' }));
  expect(hostile.card).not.toContain('\u202e');
  expect(hostile.card).toContain('plain_text');
});

test('a flood of paths is counted, and the card still fits', async () => {
  const many = Array.from({ length: 300 }, (_, n) => `https://h${n}.example/`);
  const { touches, card } = await asked(call('Fetch', { urls: many }));
  expect(touches).toMatchObject({ more: 295 });
  expect(card.length).toBeLessThan(13_200);
});
