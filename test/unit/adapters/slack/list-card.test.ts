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
