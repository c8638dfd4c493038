/** Checks that deny rules hear this machine under each name, and programs in any case (G1, G8). */
import { describe, expect, test } from 'vitest';
import { commandVerdict, judge, type Rule } from '../support.ts';

const inBypass = (command: string, ...denied: readonly string[]) =>
  commandVerdict(
    command,
    denied.map((rule): Rule => ['deny', `Bash(${rule})`]),
    { mode: 'bypass' },
  );

const HOSTS = [
  'localhost',
  'LOCALHOST.',
  '127.0.0.1',
  '127.0.0.2',
  '127.1',
  '0.0.0.0',
  '2130706433',
  '0x7f.1',
  '0177.0.0.1',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
] as const;

describe('a deny of this machine', () => {
  test.each(HOSTS)('hears %s', (host) => {
    for (const rule of ['localhost', '127.0.0.1'])
      expect(
        judge('WebFetch', { url: `http://${host}:8080/x` }, [['deny', `WebFetch(domain:${rule})`]], { mode: 'bypass' })
          .verdict,
      ).toBe('deny');
    for (const rule of ['curl http://localhost:8080/*', 'curl http://127.0.0.1:8080*'])
      for (const command of [`curl 'http://${host}:8080/x'`, `curl -s '${host}:8080/x'`])
        expect(inBypass(command, rule)).toBe('deny');
  });

  test.each([
    ['psql -h localhost:*', 'psql -h 127.0.0.1 -c x'],
    ['psql -h localhost:*', 'psql --host=::1'],
    ['redis-cli -h 127.0.0.1:*', 'redis-cli -h localhost'],
    ['ssh localhost:*', 'ssh me@127.0.0.2'],
    ['nc localhost:*', 'nc -v 127.1 80'],
  ])('%s denies %s', (rule, command) => expect(inBypass(command, rule)).toBe('deny'));

  test.each([
    ['curl http://localhost:8080/*', 'curl http://127.0.0.1:9090/x'],
    ['curl http://localhost/*', 'curl http://api.localhost/x'],
    ['curl http://localhost/*', 'curl http://10.0.0.1/x'],
    ['sleep localhost:*', 'sleep 0'],
    // A server that listens on all addresses is another one than a server of this machine.
    ['uvicorn app:app --host 0.0.0.0:*', 'uvicorn app:app --host 127.0.0.1'],
    ['vite --host 0.0.0.0:*', 'vite --host localhost'],
    ['docker run -p 0.0.0.0:80:80:*', 'docker run -p 127.0.0.1:80:80 nginx'],
  ])('%s does not deny %s', (rule, command) => expect(inBypass(command, rule)).toBe('allow'));

  test.each([
    ['colons', `curl '${':'.repeat(20_000)}!'`],
    ['numbers and dots', `psql -h '${'1.'.repeat(10_000)}!'`],
    ['users', `curl '${'a@'.repeat(10_000)}!'`],
    ['users with dots', `curl '${'a.@'.repeat(10_000)} '`],
  ])('reads a long row of %s once', (_, command) => {
    const start = performance.now();
    expect(inBypass(command, 'curl localhost:*', 'psql -h localhost:*')).not.toBe('deny');
    expect(performance.now() - start).toBeLessThan(1_000);
  });

  test('a wildcard within an address still denies what it names', () => {
    for (const host of ['127.0.0.5', 'localhost'])
      expect(inBypass(`curl http://${host}/x`, 'curl http://127.0.0.*')).toBe('deny');
  });
});

describe('a deny of a program', () => {
  test.each([
    ['Remove-Item:*', "pwsh -c 'remove-item x'", 'deny'],
    ['Remove-Item:*', "pwsh -c 'REMOVE-ITEM x'", 'deny'],
    ['Remove-Item:*', "pwsh -c 'RI x'", 'deny'],
    ['Remove-Item -Recurse:*', "pwsh -c 'remove-item x -Recurse'", 'deny'],
    ['Invoke-WebRequest:*', "pwsh -c 'iwr https://a.test'", 'deny'],
    ['Docker push:*', 'docker push x', 'deny'],
    // On Windows these are other names of the same, and elsewhere programs.
    ['Remove-Item:*', "pwsh -c 'del x'", 'ask'],
    ['rm:*', "pwsh -c 'remove-item x'", 'ask'],
    ['rm:*', 'coreutils --coreutils-prog=rm x', 'deny'],
    ['rm -rf:*', 'coreutils --coreutils-prog=rm -rf x', 'deny'],
    ['rm:*', 'sort --compress-prog=rm a', 'deny'],
    ['rm:*', "split --filt 'rm x' a", 'deny'],
    ['aws s3 rm:*', 's3cmd del s3://a/b', 'ask'],
    ['aws s3 rm:*', 's3cmd ls s3://a', 'allow'],
    ['az group delete:*', 'az rest --method delete --url /subscriptions/a/resourceGroups/b', 'ask'],
    ['az group delete:*', 'az rest --method get --url /subscriptions/a/resourceGroups/b', 'allow'],
  ] as const)('%s: %s is %s', (rule, command, verdict) => expect(inBypass(command, rule)).toBe(verdict));

  test('a critical delete asks behind every name of the program', () =>
    expect(commandVerdict('coreutils --coreutils-prog=rm -rf /', [['allow', 'Bash']], { mode: 'bypass' })).toBe('ask'));

  test('the input of the shell itself is an operand of the commands behind it', () => {
    expect(inBypass('exec < secrets/x; cat', 'cat secrets/*')).toBe('deny');
    expect(inBypass('exec < wipe.sql && psql', 'psql -f wipe.sql:*')).toBe('deny');
    expect(inBypass('exec 3< secrets/x; cat src/a', 'cat secrets/*')).toBe('allow');
  });
});
