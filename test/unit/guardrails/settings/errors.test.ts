/** Checks that a guardrail error keeps its cause, and gives none to the agent (R3-011). */
import { expect, test } from 'vitest';
import { executionError, systemError } from '../../../../shared/guardrails/settings/errors.ts';

const SECRET = new Error('password=hunter2 at /srv/db.ts:12');

test.each([
  ['a failed tool', executionError('It failed.', { cause: SECRET })],
  ['a store that is down', systemError('StateUnavailable', 'The state cannot be read.', SECRET)],
])('%s: the cause stays on the error, also in a changed copy of it', (_, error) => {
  expect(error.cause).toBe(SECRET);
  expect(error.with({ effect: 'unknown' }).cause).toBe(SECRET);
});

test('the agent reads category, code, message and details, and no cause', () => {
  const shown = executionError('It failed.', { cause: SECRET }).toToolError('local');
  expect(shown).toMatchObject({ category: 'ExecutionError', message: 'It failed.', origin: 'local' });
  expect(JSON.stringify(shown)).not.toContain('hunter2');
});

test('without a cause there is no field for one', () => {
  expect('cause' in executionError('It failed.')).toBe(false);
});
