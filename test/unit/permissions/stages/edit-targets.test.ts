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
  // A group, a mode and a file have a t in their names, and options stand behind the folder too.
  'install -gstaff src/fish /home/agent/.config',
  'install -ot src/fish /home/agent/.config',
  'install -m -t src/fish /home/agent/.config',
  'install src/fish /home/agent/.config -m 644',
  'install src/fish /home/agent/.config -m 644 -o agent',
  'cp -St src/fish /home/agent/.config',
  'cp -S -t src/fish /home/agent/.config',
  'cp -- -t src/fish /home/agent/.config',
  'mv src/fish -- /home/agent/.config',
  'cp -t src -t /home/agent/.config src/fish',
  // A pattern becomes names in the folder too.
  'cp src/fis? /home/agent/.config',
  'mv src/[f]ish /home/agent/.config',
  'cp src/conf*.toml .cargo',
])('a protected name that folder and file make together is denied: %s', (command) =>
  expect(verdict(command)).toBe('deny'),
);

test.each([
  'cp -rf src/a src/b',
  'cp --target-directory=src src/a',
  'cp -r config.toml .cargo backup',
  'cp -t backup config.toml .cargo',
  'mkdir -m755 src/x',
  'sed -i -es/a/b/ src/a',
  'sed -i --expression=s/a/b/ src/a',
])('an edit of the project is not asked about: %s', (command) => expect(verdict(command)).toBe('allow'));

test.each(['cp src/$F.toml .cargo', 'cp "src/$F" .cargo'])(
  'no rule allows a copy whose name in a folder may be a protected one: %s',
  (command) => expect(commandVerdict(command, [['allow', 'Bash(cp:*)']])).toBe('ask'),
);

test.each(['cp src/*.toml backup', 'cp "src/$F" backup', 'cp -r src/* backup'])('%s', (command) =>
  expect(commandVerdict(command, [['allow', 'Bash(cp:*)']])).toBe('allow'),
);
