/**
 * Checks the files that scripts in a command's words name.
 *
 * Scripts: of sed behind any option, of editors, and behind clusters of letters.
 */
import { describe, expect, test } from 'vitest';
import { commandVerdict } from '../../support.ts';

const verdict = (command: string, mode: 'default' | 'bypass' = 'bypass'): string =>
  commandVerdict(command, [['allow', 'Bash(sed:*)']], { mode });

describe('a protected file that a script names is denied in every mode', () => {
  test.each([
    ...["sed 'r .env' x", "sed -e 'r .env' x", 'sed -er.env x', "sed -e'w.env' x", "sed -e 's/a/b/w.env' x"],
    ...["sed --expression='r .env' x", 'sed --expression=r.env x', "sed --expression '$r.env' x", 'sed --expr=r.env x'],
    ...[
      "sed -n -e p -e 'R.env' x",
      "sed -ne 'r.env' x",
      "sed -ne'r.env' x",
      "sed -Ee '/x/W.env' x",
      "sed -ie 'r.env' x",
    ],
    ...["gsed -e 'r .env' x", 'awk -e \'{print > ".env"}\' x', 'gawk --source=\'{print > ".env"}\' x'],
    ...[
      'ex -sc r.env x',
      "ex -c 'wq|r.env' x",
      'vim +r.env x',
      'vim --cmd so.env x',
      "vim '+e x|w!.env'",
      'vim -cw.env',
    ],
  ])('%s', (command) => {
    expect(verdict(command, 'default')).toBe('deny');
    expect(verdict(command)).toBe('deny');
  });
});

describe('a protected file behind a cluster of letters is denied', () => {
  test.each(['sed -nf.env x', 'jq -nf.env', 'grep -rf.env x', 'wget -qO.env x', 'foo -abid_rsa', 'foo -a1.ssh/x'])(
    '%s',
    (command) => expect(verdict(command)).toBe('deny'),
  );
});

test.each([
  ...['sed -e s/a/b/ x', "sed -n -e p -e 's/a/b/g' src/x", "sed -e 's/r.env/x/' x", 'sed -es/a/b/ x'],
  ...["sed --expression='s/w.env/x/' x", "sed -n 's/.env/x/p' x"],
])('a script that only transforms text names none: %s', (command) => expect(verdict(command, 'default')).toBe('allow'));

test('a file of an editor is no command', () => expect(verdict('vim src/r.env.ts +12')).toBe('allow'));
