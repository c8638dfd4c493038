/** Checks that no text is allowed that once did in a shell what its policy does not let pass. */
import { expect, test } from 'vitest';
import { foundRows } from '../../shell-fuzz/found.ts';
import { Gate } from '../../shell-fuzz/gate.ts';

test.each(foundRows())('$text is not allowed in mode $mode', ({ text, rules, mode, cwd }) => {
  expect(new Gate({ rules, mode, cwd }).command(text).verdict).not.toBe('allow');
});
