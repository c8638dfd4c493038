/** Checks that a person is asked now about a delete of everything, however it is written (D14). */
import { describe, expect, test } from 'vitest';
import { judge } from '../support.ts';

describe('D14: a delete of everything', () => {
  const ALL = [['allow', 'Bash']] as const;
  const critical = (command: string) => judge('Bash', { command }, ALL, {}, { grant: { scope: 'session' } });
  test.each([
    ...[
      '/',
      '/*',
      '/.',
      '//',
      '/..',
      '/etc',
      '/etc/',
      '/etc/*',
      '/usr/*',
      '~',
      '~/',
      '~/*',
      '$HOME',
      '$HOME/*',
      '"$HOME"/',
      '${HOME}/',
    ],
    ...[
      '.',
      './',
      './*',
      '*',
      '..',
      '../',
      '../*',
      '../..',
      '$PWD',
      '$PWD/*',
      '/workspace',
      '/workspace/app',
      '/workspace/app/*',
    ],
    ...[
      '/workspace/app/.',
      '$X/*',
      '"$X"/*',
      '${X}/*',
      '$X/',
      '/home',
      '/home/agent',
      '/home/agent/*',
      '{/,x}',
      '/{etc,x}',
      '/*/',
      '~agent',
    ],
    ...['"/"', "'/'", '/./', '/etc/../', 'src/..', './.', '/*/*'],
    ...['?*', './?*', '[!.]*', '**/*', '/?*', '~/?*', '$X/..', '"$X"/../', '$X/?*'],
    // On many disks these are the same folders.
    ...['../APP', '../aPP/*', '/WORKSPACE/App', '/home/AGENT'],
  ])('rm -rf %s is for a person who is asked now', (target) => {
    for (const command of [
      `rm -rf ${target}`,
      `rm -rf -- ${target}`,
      `rm ${target} -rf`,
      `/bin/rm -r -f a ${target}`,
      `sudo rm -rf ${target}`,
    ])
      expect([command, critical(command).verdict]).toEqual([command, 'ask']);
  });

  test.each([
    'a',
    'src',
    'src/*',
    './src',
    '/workspace/app/src',
    '/workspace/app/src/*',
    '/tmp/x',
    '~/x',
    '$HOME/x',
    '../app/src',
    '"$X"',
    '*.o',
    '?',
    '[a-z]*',
    'src/?*',
    'a/..b',
  ])('rm -rf %s is not', (target) => expect(critical(`rm -rf ${target}`).code).not.toBe('critical-delete'));

  test.each([
    ...[
      'find / -delete',
      'find . -delete',
      'find ~ -delete',
      'find -delete',
      'find /etc -exec rm -rf {} +',
      'gfind / -delete',
      'bfs / -delete',
    ],
    ...[
      'find .. -name x -prune -o -delete',
      'find / -type f -delete',
      'rm -rf / --no-preserve-root',
      'cd / && rm -rf *',
      'cd ~; rm -rf .',
    ],
    ...['cd .. && rm -rf app', 'find / -depth -delete', 'find "$X"/ -delete', 'find -L / -delete'],
    ...['find . ! -name x -delete', 'find / -not -name x -exec rm {} +', 'find . \\( -type f -o -type l \\) -delete'],
    ...[
      'find . ! \\( -name a -o -name b \\) -delete',
      'find . -not \\( -name a \\) -delete',
      'find . \\( -true -o -name b \\) -delete',
      'find . \\( -name a -o -true \\) -delete',
      'find . \\( -name a , -true \\) -delete',
      'find . \\( \\( -name a -o -true \\) \\) -delete',
      'find . \\( -name a \\) -o -delete',
      'find . ! -name a ! -name b -delete',
    ],
    ...['find . -name x , -delete', 'find / -exec sudo rm {} \\;'],
    ...['find / -exec flock + rm -rf {} +', 'find / -delete -name x', 'find . -exec rm -rf {} + -name x'],
  ])('%s is one', (command) => expect([command, critical(command).verdict]).toEqual([command, 'ask']));

  test.each([
    'find src -delete',
    'find . -name x -prune -o -name y -delete',
    'find . -type d -empty -delete',
    'find . \\( -name a -o -name b \\) -delete',
    'find . -name x \\( -true -o -name b \\) -delete',
    'find . -name x \\( -true -o -delete \\)',
    'find . \\( -name a -name b \\) -delete',
    'find . ! \\( -name a \\) -name b -delete',
    'find . \\( ! -name a \\) -name b -delete',
    'find . -exec ls {} +',
    'find . -name x -exec rm -rf {} +',
    'find . -name "*.o" -type f -delete',
    'find / -name x',
    'cd src && rm -rf x',
    'ls /',
    'rm -rf src; ls /',
  ])('%s is none', (command) => expect(critical(command).code).not.toBe('critical-delete'));
});

describe('names and drives', () => {
  const ALL = [['allow', 'Bash']] as const;
  const critical = (command: string) => judge('Bash', { command }, ALL, {}, { grant: { scope: 'session' } });

  test.each([
    'ls | xargs rm -rf',
    'ls -A ~ | xargs rm',
    'ls -d */ | xargs rm -rf',
    'fd . -x rm -rf',
    'fd -HI -X rm',
    'fd . ~ -t f -X rm',
    'fd . | xargs rm',
    'rm -rf C:/',
    "rm -rf 'c:\\'",
    'rm -rf /mnt/c/*',
    'Remove-Item -Recurse -Force /',
    "pwsh -c 'Remove-Item -Recurse ~'",
  ])('%s is one', (command) => expect([command, critical(command).verdict]).toEqual([command, 'ask']));

  test.each([
    'ls *.o | xargs rm',
    'ls build/ | xargs rm -rf',
    'ls | grep tmp | xargs rm',
    'ls | xargs cat',
    'fd -e pyc -X rm',
    "fd '\\.log$' -X rm",
    'fd . build -X rm -rf',
    'rm -rf /mnt/c/x',
    'rm -rf /mnt/data',
  ])('%s is none', (command) => expect(critical(command).code).not.toBe('critical-delete'));
});

describe('what `rm` refuses by itself', () => {
  const code = (command: string) => judge('Bash', { command }, [['allow', 'Bash']]).code;
  test.each(['rm -rf node_modules/.*', 'rm -rf build/* build/.*'])('%s is no delete of the project', (command) => {
    expect(code(command)).not.toBe('critical-delete');
  });
  test.each(['rm -rf .*', 'rm -rf build/.*/.*', 'rimraf build/.*', 'chmod x; rm -rf ./.*'])(
    '%s may be one',
    (command) => {
      expect(code(command)).toBe('critical-delete');
    },
  );
});
