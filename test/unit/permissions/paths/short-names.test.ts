/** Checks the 8.3 short names of Windows against deny rules on paths (G1, G8). */
import { describe, expect, test } from 'vitest';
import { judge, type Rule } from '../support.ts';

const RULES: readonly Rule[] = [
  ...['credentials/**', '.hidden', 'production.json', '//srv/data files/**', 'secrets/**', 'backup~'].map(
    (path): Rule => ['deny', `Read(${path})`],
  ),
  ['allow', 'Read'],
  ['allow', 'Bash(git:*)'],
  ['allow', 'Bash(cat:*)'],
];

const read = (file_path: string) => judge('Read', { file_path }, RULES).verdict;

describe('a short name of Windows', () => {
  test.each([
    'CREDEN~1/db',
    'src\\creden~2\\db',
    'CREDE~12/db',
    'HIDDEN~1',
    'PRODUC~1.JSO',
    '/srv/DATAFI~1/x',
    'C:\\srv\\DATAFI~1\\x',
  ])('%s is the long one that a rule denies', (path) => expect(read(path)).toBe('deny'));

  test('is denied in a command, too', () => {
    expect(judge('Bash', { command: 'cat CREDEN~1/db' }, RULES).verdict).toBe('deny');
  });

  test.each([
    // Names that fit have no short one.
    'SECRET~1/x',
    'CREDEN~1.TXT',
    'CREDE~1/db',
    'PRODUC~1',
    'CREDEN~x/db',
    'creden~/db',
    'x~1',
  ])('%s is not', (path) => expect(read(path)).toBe('allow'));

  test('a name with a tilde is itself', () => expect(read('src/backup~')).toBe('deny'));

  const revisions = ['git diff master~1', 'git log origin/master~2', 'git rebase master~3', 'git show HEAD~1'];
  test.each([...revisions, 'git diff main~3', 'git log creden~1'])('%s names a revision', (command) =>
    expect(
      judge('Bash', { command }, [
        ['deny', 'Read(headers/**)'],
        ['deny', 'Read(mainframe/**)'],
        ['deny', 'Read(master-data/**)'],
        ['allow', 'Bash(git:*)'],
      ]).verdict,
    ).toBe('allow'),
  );

  test.each(['git log -- master~1', 'git add master~1', 'git diff --no-index master~1 x', 'cat master~1/x'])(
    '%s names a file',
    (command) =>
      expect(
        judge('Bash', { command }, [
          ['deny', 'Read(master-data/**)'],
          ['allow', 'Bash'],
        ]).verdict,
      ).toBe('deny'),
  );
});
