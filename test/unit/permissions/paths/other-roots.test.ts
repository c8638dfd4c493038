/** Checks paths under another name of a folder: the home of root, and the roots of macOS. */
import { describe, expect, test } from 'vitest';
import { commandVerdict, type Rule, verdictOf } from '../support.ts';

const DENIES: readonly Rule[] = [
  ['deny', 'Read(//etc/passwd)'],
  ['deny', 'Read(//root/notes/**)'],
  ['deny', 'Edit(//var/lib/**)'],
];

describe('denied is', () => {
  test.each([
    'cat ~root/../etc/passwd',
    'cat ~root/notes/a',
    'cat /private/etc/passwd',
    'cat /PRIVATE/etc/passwd',
    'cat /private/etc/../etc/passwd',
    'cat /private/tmp/../etc/passwd',
    'cat /System/Volumes/Data/etc/passwd',
    'cat /private//etc/./passwd',
    'echo x > /private/var/lib/a',
    'cat < /private/etc/passwd',
    'cp /private/etc/passwd x',
  ])('%s', (command) => expect(commandVerdict(command, DENIES, { mode: 'bypass' })).toBe('deny'));

  test.each(['/private/etc/passwd', '~root/notes/a', '/System/Volumes/Data/etc/passwd'])(
    'Read of %s',
    async (file_path) => expect(await verdictOf('Read', { file_path }, DENIES, { mode: 'bypass' })).toBe('deny'),
  );
});

test.each(['cat /private/x', 'cat /private/etcetera/passwd', 'cat private/etc/passwd', 'cat /home/root/notes/a'])(
  'another folder is none of them: %s',
  (command) => expect(commandVerdict(command, DENIES, { mode: 'bypass' })).toBe('allow'),
);

test('an allow rule on the other name does not cover it', async () => {
  const rules: readonly Rule[] = [['allow', 'Edit(//tmp/**)']];
  expect(await verdictOf('Edit', { file_path: '/private/tmp/a' }, rules)).toBe('ask');
  expect(await verdictOf('Edit', { file_path: '/tmp/a' }, rules)).toBe('allow');
});
