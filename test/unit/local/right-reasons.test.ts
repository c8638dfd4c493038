/** Reasons of rights that no end-to-end test uses name a test that there is. */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { REASONS, reasonFor } from '../../e2e/rights/reasons.ts';

test.each(REASONS.map((reason) => [reason.why, reason.test]))('%s', (_why, file) => {
  expect(existsSync(file), file).toBe(true);
});

test('a right has the reason of its role alone', () => {
  const right = { action: 's3:ListBucket', resource: 'GateInputs', rows: '', isOfAws: false };
  expect(reasonFor({ ...right, role: 'GateReconcileRole' })).toContain('test/e2e/messages/sizes.test.ts');
  expect(reasonFor({ ...right, role: 'GateSlackRole' })).toBeUndefined();
  expect(reasonFor({ ...right, role: 'GateReconcileRole', action: 's3:DeleteObject' })).toBeUndefined();
});
