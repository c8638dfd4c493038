/** Checks that programs that copy, pack or are given names delete no home or root without a person. */
import { describe, expect, test } from 'vitest';
import { commandVerdict } from '../support.ts';

describe.each(['default', 'acceptEdits', 'bypass'] as const)('in mode %s', (mode) => {
  test.each([
    "find / -name '*' -delete",
    "find ~ -iname '*' -type f -delete",
    'find ~ | xargs rm',
    'find ~ -type f -print0 | xargs -0 rm -f',
    'find / -print0 | xargs -0 -n1 unlink',
    'rsync -a --delete empty/ ~/',
    'rsync -a --delete-after empty/ /',
    'rsync -r --del /tmp/e/ .',
    'tar cf x --remove-files ~',
    'zip -rm x.zip ~',
    'trash-put ~',
  ])('%s', (command) => expect(commandVerdict(command, [['allow', 'Bash']], { mode })).toBe('ask'));
});

test.each([
  "find src -name '*.o' | xargs rm",
  "find . -name '*.pyc' | xargs rm",
  'rsync -a --delete src/ dist/',
  'rsync -a src/ .',
  'zip -r x.zip src',
  "find src -name '*' -type f",
])('no folder of that kind: %s', (command) =>
  expect(commandVerdict(command, [['allow', 'Bash']], { mode: 'bypass' })).toBe('allow'),
);
