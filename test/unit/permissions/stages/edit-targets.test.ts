/** Checks that acceptEdits sees where a copy goes, however its option is written. */
import { expect, test } from 'vitest';
import { commandVerdict } from '../support.ts';

const verdict = (command: string) => commandVerdict(command, [], { mode: 'acceptEdits' });

test.each([
  'cp --target-directory=/tmp src/a',
  'cp --targ=/tmp src/a',
  'cp -t/tmp src/a',
  'cp -rt/tmp src/a',
  'cp src/a -t/tmp',
  'mv -ft.. src/a',
  'mv --target-directory=../other src/a',
  'touch -r/etc/passwd src/a',
  'touch --reference=/etc/passwd src/a',
])('a person is asked about a place outside of the project: %s', (command) => expect(verdict(command)).toBe('ask'));

test.each([
  'cp src/fish --target-directory=/home/agent/.config',
  'cp src/fish --targ /home/agent/.config',
  'cp -rt /home/agent/.config src/fish',
  'mv src/fish -t/home/agent/.config',
])('a protected name that folder and file make together is denied: %s', (command) =>
  expect(verdict(command)).toBe('deny'),
);

test.each([
  'cp -rf src/a src/b',
  'cp --target-directory=src src/a',
  'mkdir -m755 src/x',
  'sed -i -es/a/b/ src/a',
  'sed -i --expression=s/a/b/ src/a',
])('an edit of the project is not asked about: %s', (command) => expect(verdict(command)).toBe('allow'));
