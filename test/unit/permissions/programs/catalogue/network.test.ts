/** Checks how allow and deny rules read the commands of network tools. */
import { describeFamily, type RuleRows } from './family.ts';

/** A prefix rule, and commands beyond it: they execute, load, write or redirect. */
const NOT_COVERED: RuleRows = [
  ['ip:*', ['ip netns exec n id', 'ip vrf exec n id', 'ip -b f']],
  ['openssl:*', ['openssl x509 -in a -out f', 'openssl rand -out f 3', 'openssl req -engine ./e']],
  ['ss:*', ['ss -D f']],
  ['nmap:*', ['nmap -oN f h', 'nmap --script ./e h']],
];

/** A denied prefix, and commands that run it. */
const DENIED: RuleRows = [
  [
    'rm:*',
    [
      'ssh h rm x',
      'ssh h "rm x"',
      'ssh -o ProxyCommand="rm x" h',
      'ssh -oProxyCommand="rm x" h',
      'ssh -o LocalCommand="rm x" h',
      'rsync -e "rm x" a b',
      'nc -e rm h 1',
      'ncat -c "rm x" h 1',
      'ncat --sh-exec "rm x" h 1',
      'ip netns exec n rm x',
      'ip vrf exec n rm x',
    ],
  ],
  ['systemctl stop:*', ['systemctl --user stop x', 'systemctl -H host stop x']],
];

describeFamily({ notCovered: NOT_COVERED, denied: DENIED });
