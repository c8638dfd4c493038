/** Checks that however many names a copy may write cost a bounded time, and end in no allow. */
import { expect, test } from 'vitest';
import { processorMs } from '../../../support/processor-time.ts';
import { commandVerdict } from '../support.ts';

const copyOf = (count: number): string =>
  `cp ${Array.from({ length: count }, (_, at) => `-t a${at} -S b${at} c${at}`).join(' ')}`;

test('a copy with a few folders and suffixes is allowed in bypass', () => {
  expect(commandVerdict(copyOf(3), [], { mode: 'bypass' })).toBe('allow');
});

test.each(['default', 'bypass'] as const)('thousands of names that a copy may write are asked about in %s', (mode) => {
  const judged = () => expect(commandVerdict(copyOf(400), [['allow', 'Bash(cp:*)']], { mode })).not.toBe('allow');
  expect(processorMs(judged)).toBeLessThan(2_000);
});
