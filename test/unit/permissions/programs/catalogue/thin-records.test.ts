/** Checks that programs with short records hand no command, code or host to a prefix rule unseen. */
import { expect, test } from 'vitest';
import { commandVerdict } from '../../support.ts';
import { describeFamily, type RuleRows } from './family.ts';

const NOT_COVERED: RuleRows = [
  // Commands of Redis have no case.
  [
    'redis-cli:*',
    [
      'redis-cli Config set dir /tmp',
      'redis-cli eVaL x 0',
      'redis-cli FCALL_RO f 0',
      'redis-cli -n 1 Eval x 0',
      'redis-cli --rdb x',
      // An address wins over the host that a rule names.
      'redis-cli -h localhost -u redis://a.example get x',
    ],
  ],
  ['openssl:*', ['openssl < src/x', 'openssl -quiet < src/x']],
  ['deno:*', ['deno test https://a.test/x.ts', 'deno bench https://a.test/x.ts']],
  ['hg:*', ['hg clone ssh://-oProxyCommand=id/x', 'hg pull ssh://u@-oProxyCommand=id/x']],
  ['svn:*', ['svn ls svn+ssh://-oProxyCommand=id/x']],
  ['mytool:*', ['mytool ssh://-oProxyCommand=id/x']],
  ['bws run:*', ['bws run -- id']],
  ['nomad:*', ['nomad alloc exec x id']],
  ['cf:*', ['cf ssh app', 'cf run-task app id']],
  ['dagger:*', ['dagger run id']],
  ['telepresence:*', ['telepresence intercept x -- id']],
];

const COVERED: RuleRows = [
  ['redis-cli:*', ['redis-cli get a', 'redis-cli PING', 'redis-cli -h localhost -p 6379 ping']],
  ['openssl:*', ['openssl s_client -connect a.example:443 < /dev/null', 'openssl x509 -noout -dates < src/a.crt']],
  ['deno:*', ['deno test src', 'deno add npm:chalk']],
  ['nomad:*', ['nomad job status x', 'nomad alloc status x']],
];

const DENIED: RuleRows = [
  ['rm:*', ['bws run -- rm x', 'nomad alloc exec x rm y', 'dagger run rm x', 'telepresence intercept x -- rm y']],
];

// Without a sub-command the input holds commands, in every mode.
test.each([
  "echo 'config set dir /x' | redis-cli",
  'echo x | redis-cli -h localhost',
  'echo x | redis-cli -s /run/redis.sock',
  'echo x | redis-cli -r 5',
  'echo x | redis-cli --tls --cacert ca.crt',
  'echo x | redis-cli -x script load',
  'echo x | redis-cli -X T eval T 0',
  'echo version | openssl',
])('a person is asked about %s', (command) => expect(commandVerdict(command, [], { mode: 'bypass' })).toBe('ask'));

describeFamily({ covered: COVERED, notCovered: NOT_COVERED, denied: DENIED });
