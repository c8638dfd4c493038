/** Tests the words of a list of calls: which of them is severe, and whom it asks. */
import { expect, test } from 'vitest';
import { renderList } from '../../../../shared/adapters/slack/cards/list-card.ts';
import type { Severity } from '../../../../shared/contract/index.ts';
import { sourceOf, textsOf } from './surfaces.ts';

function asks(command: string, severity: Severity) {
  const { approval, proposal } = sourceOf([{ id: 'call', toolName: 'Bash', input: { command } }]);
  const question = { ...approval.question, severity };
  return { kind: 'asks', source: { approval: { ...approval, question }, proposal } } as const;
}

test('a listed call that an edit made a severe one is told as that first, in title, notification and row', () => {
  const entries = [asks('git push', 'medium'), asks('terraform apply', 'critical'), asks('make', 'high')];
  const { text, blocks } = renderList({ agent: 'coder', channel: 'C0', entries });
  expect(text).toMatch(/^Critical: coder wants to run 3 more calls: git push, Critical: terraform apply, High: make\./);
  expect(textsOf(blocks)[0]).toBe('Critical: coder wants to run 3 more calls');
  expect(textsOf(blocks)).toContain('2 · *Critical:* `terraform apply`');
  expect(textsOf(blocks)).toContain('1 · `git push`');
});

test('a list of usual calls begins with the agent', () => {
  const { text } = renderList({ agent: 'coder', channel: 'C0', entries: [asks('git push', 'low')] });
  expect(text).toMatch(/^coder wants to run 1 more call: git push\./);
});

test('a batch in a list counts as its calls, and the one of another tool comes first where its row is cut', () => {
  const calls = Array.from({ length: 17 }, (_, index) => ({
    id: `c${index}`,
    toolName: index === 15 ? 'Delete' : 'Read',
    input: { file_path: `src/file-${index}.ts` },
  }));
  const entries = [asks('git push', 'medium'), { kind: 'asks', source: sourceOf(calls) } as const];
  const { text, blocks } = renderList({ agent: 'coder', channel: 'C0', entries });
  expect(text).toContain('coder wants to run 18 more calls: git push, 16 · Delete src/file-15.ts, 1 · Read');
  expect(textsOf(blocks)[0]).toBe('coder wants to run 18 more calls');
  expect(textsOf(blocks).join('\n')).toContain('2 · `16 · Delete src/file-15.ts, 1 · Read');
});
