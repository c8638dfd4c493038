/** Checks that deny rules hear the same file, host or script in another spelling, in bypass mode too. */
import { describe, expect, test } from 'vitest';
import { commandVerdict } from '../support.ts';

type Row = readonly [rule: string, denied: readonly string[], others: readonly string[]];

const ROWS: readonly Row[] = [
  [
    'rm /data/*',
    [
      'rm //data/x',
      'rm /./data/x',
      'rm /tmp/../data/x',
      'rm ../../data/x',
      'rm /tmp/a /data/x',
      'cd /data && rm x',
      'cd /; rm data/x',
      '(cd /data; rm -f x)',
      'pushd /data; rm x',
    ],
    ['rm data/x', 'rm /tmp/x', 'cd src && rm x', 'rm /database/x'],
  ],
  [
    'cat secrets/*',
    [
      'cat ./secrets/x',
      'cat src/../secrets/x',
      'cat /workspace/app/secrets/x',
      'cd secrets && cat x',
      'cat a secrets/x',
    ],
    ['cat src/secrets/x', 'cat /secrets/x', 'cat a', 'cd src && cat x'],
  ],
  [
    'cat /etc/passwd',
    ['cat //etc/passwd', 'cat /etc/./passwd', 'cd /etc && cat passwd'],
    ['cat passwd', 'cat /etc/hosts'],
  ],
  ['rm -rf ~/old:*', ['rm -rf /home/agent/old', 'cd ~ && rm -rf old'], ['rm -rf old', 'rm -rf ~/older']],
  [
    'kubectl delete -f prod/*',
    ['kubectl delete -f ./prod/x', 'kubectl delete --filename=./prod/x', 'cd prod && kubectl delete -f x'],
    ['kubectl delete -f dev/x', 'cd dev && kubectl delete -f x'],
  ],
  [
    './deploy.sh:*',
    [
      '/workspace/app/deploy.sh',
      'src/../deploy.sh now',
      'cd src && ../deploy.sh',
      'bash deploy.sh',
      'sh -x ./deploy.sh now',
      'bash -o pipefail deploy.sh',
      '. ./deploy.sh',
      'source deploy.sh',
    ],
    ['./src/deploy.sh', 'bash src/deploy.sh', 'cat deploy.sh', 'bash x.sh deploy.sh', '/srv/deploy.sh'],
  ],
  [
    'python scripts/wipe.py:*',
    ['python3 ./scripts/wipe.py', 'cd scripts && python wipe.py', 'python -u /workspace/app/scripts/wipe.py'],
    ['python scripts/x.py', 'python wipe.py'],
  ],
  [
    'curl https://evil.test/*',
    [
      'curl https://EVIL.test/x',
      'curl HTTPS://evil.test/x',
      'curl https://evil.test./x',
      'curl https://evil.test:443/x',
      'curl https://u:p@evil.test/x',
      'curl https://e%76il.test/x',
      'curl https://ｅｖｉｌ.test/x',
      'curl https://evil。test/x',
      'curl https:/evil.test/x',
      'curl evil.test/x',
      'curl http://evil.test/x',
      'curl https://evil.test',
      'curl -s https://other.test https://EVIL.test/x',
      'curl --url https://EVIL.test/x',
      'curl --url=https://EVIL.test/x',
    ],
    [
      'curl https://evil.test.org/x',
      'curl https://good.test/evil.test/',
      'curl https://evil.test:8443/x',
      'curl http://a.evil.test/',
    ],
  ],
  [
    'curl http://93.184.216.34/*',
    ["curl 'http://[::ffff:93.184.216.34]/x'", "curl -g 'http://[::ffff:5db8:d822]:80/x'"],
    ["curl 'http://[::ffff:93.184.216.35]/x'", "curl 'http://[2001:db8::1]/x'"],
  ],
  ['curl http://api.test/*', ['curl http://API.test/x', 'curl api.test/x'], ['curl https://api.test/x']],
  [
    '* https://evil.test/*',
    ['wget https://EVIL.test/x', 'git clone https://u@evil.test/x'],
    ['git clone https://good.test/x'],
  ],
  [
    '*evil.test*',
    ['curl https://EVIL.test/x', 'nc EVIL.test 80', 'curl https://evil。test/x'],
    ['curl https://good.test/x'],
  ],
  ['git push https://evil.test/*', ['git push https://EVIL.test/x main'], ['git push https://good.test/x main']],
  [
    'ssh prod.test:*',
    ['ssh PROD.test', 'ssh prod.test.', 'ssh me@PROD.test ls', 'ssh ssh://PROD.test'],
    ['ssh dev.test', 'ssh prod.test.example'],
  ],
  ['redis-cli flushall:*', ['redis-cli FLUSHALL', 'redis-cli -h a FlushAll'], ['redis-cli GET x']],
  [
    'rm ./*',
    ['rm a', 'rm -rf src/../dist', 'rm /workspace/app/x', 'rm /tmp/a b'],
    ['rm /tmp/x', 'rm ../x', 'rm -rf --help'],
  ],
  ['rm ./*.log', ['rm a.log', 'rm /workspace/app/src/a.log'], ['rm /tmp/a.log', 'rm a.txt']],
  ['node ./*', ['node /workspace/app/a.js'], ['node -e 1', 'node --version', 'node /tmp/a.js']],
  ['* ../*', ['ls /workspace/app/../other'], ['docker run -v $PWD:/app a', 'docker run -v /workspace/app:/app a']],
  ['* /etc/*', ['cd /etc && cat passwd'], ['cd /etc; git status', 'cd /etc && echo done']],
  [
    './build:*',
    ['bash build', 'bash -x build', 'python build'],
    [
      'bun build',
      'bun run build',
      'swift build',
      'python -m build',
      'python -Im build',
      'bash -c build',
      'bash -s build',
    ],
  ],
  ['curl *://evil.test/*', ['curl https://EVIL.test/x', 'curl evil.test/x'], ['curl https://good.test/x']],
  ['make -C /prod:*', ['make -C//prod', 'make -C /prod/.'], ['make -C prod', 'make -C//dev']],
];

describe.each(ROWS)('deny Bash(%s)', (rule, denied, others) => {
  const verdict = (command: string) => commandVerdict(command, [['deny', `Bash(${rule})`]], { mode: 'bypass' });

  test.each(denied)('hears %s', (command) => expect(verdict(command)).toBe('deny'));
  test.each(others)('leaves %s alone', (command) => expect(verdict(command)).not.toBe('deny'));
});

test('a relative path of a rule starts in the project and in the folder of the call', () => {
  const rules = [['deny', 'Bash(rm src/*)']] as const;
  expect(commandVerdict('rm ../src/x', rules, { mode: 'bypass', cwd: '/workspace/app/docs' })).toBe('deny');
  expect(commandVerdict('rm ./src/x', rules, { mode: 'bypass', cwd: '/workspace/app/docs' })).toBe('deny');
  expect(commandVerdict('rm ../lib/x', rules, { mode: 'bypass', cwd: '/workspace/app/docs' })).toBe('allow');
});

test('costs of long commands do not grow with the rules', () => {
  const rules = Array.from({ length: 400 }, (_, at) => ['deny', `Bash(rm /data/${at}/*)`] as const);
  const command = `rm ${Array.from({ length: 2000 }, (_, at) => `src/../f${at}`).join(' ')}`;
  commandVerdict('rm a', rules, { mode: 'bypass' });
  const before = process.cpuUsage();
  commandVerdict(command, rules, { mode: 'bypass' });
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1e6).toBeLessThan(20);
});
