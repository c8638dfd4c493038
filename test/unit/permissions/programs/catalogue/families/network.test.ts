/** Checks how allow and deny rules read the commands of network tools. */
import { describeFamily, type RuleRows } from '../family.ts';

/** A prefix rule, and commands beyond it: they execute, load, write or redirect. */
const NOT_COVERED: RuleRows = [
  ['ip:*', ['ip netns exec n id', 'ip vrf exec n id', 'ip -b f']],
  ['openssl:*', ['openssl x509 -in a -out f', 'openssl rand -out f 3', 'openssl req -engine ./e']],
  ['ss:*', ['ss -D f']],
  ['nmap:*', ['nmap -oN f h', 'nmap --script ./e h']],
  // Metadata services, in any spelling and without a scheme.
  [
    'nc:*',
    [
      'nc 169.254.169.254 80',
      'nc 169.254.43518 80',
      'nc 2852039166 80',
      'nc 0xa9fea9fe 80',
      'nc 0xa9.0xfe.0xa9.0xfe 80',
      'nc 0251.0376.0251.0376 80',
      'nc ::ffff:169.254.169.254 80',
      'nc fd00:ec2::254 80',
      'nc fe80::1%eth0 80',
      'nc metadata.google.internal 80',
      'nc metadata 80',
      'nc 169.254.169.254.nip.io 80',
      'nc 100.100.100.200 80',
      'nc -vz 10.0.0.5 22',
    ],
  ],
  [
    'openssl:*',
    [
      'openssl s_client -connect 169.254.169.254:80',
      'openssl s_client -connect [fd00:ec2::254]:80',
      'openssl s_client -host 169.254.169.254 -port 80',
      'openssl s_client 10.0.0.5:443',
      'openssl s_client -unix /var/run/docker.sock',
      'openssl s_time -connect 169.254.169.254:80',
    ],
  ],
  ['ssh:*', ['ssh u@169.254.169.254', 'ssh [fe80::1]']],
  ['git:*', ['git clone git@169.254.169.254:x', 'git ls-remote ssh://169.254.169.254/x']],
  ['dig:*', ['dig @169.254.169.254 x']],
  ['psql:*', ["psql 'host=169.254.169.254 port=80' -l", 'psql postgresql://u@169.254.169.254/db -l']],
  ['pg_dump:*', ['pg_dump -h169.254.169.254 db', 'pg_dump -h 169.254.169.254 db']],
  ['ldapsearch:*', ['ldapsearch -H ldap://169.254.169.254']],
  [
    'mytool:*',
    [
      'mytool 169.254.169.254:80',
      'mytool --host=169.254.169.254',
      'mytool a,169.254.169.254',
      'mytool 169.254.169.254?x',
    ],
  ],
  ['nc a.example:*', ['nc a.example 80 -x 169.254.169.254']],
  // A connection string wins over the option that the rule states.
  [
    'psql -h a.example:*',
    [
      "psql -h a.example db -l 'host=evil'",
      'psql -h a.example db -l -d host=evil',
      // The last one holds, and an address before all names.
      "psql -h a.example -l 'host=a.example host=evil'",
      "psql -h a.example -l 'host=a.example hostaddr=9.9.9.9'",
      `psql -h a.example -l '${'host=a.example '.repeat(70)}host=evil'`,
    ],
  ],
  [
    'pg_dump -h a.example:*',
    ['pg_dump -h a.example postgres://evil/x', 'pg_dump -h a.example postgres:///x?host=evil'],
  ],
];

/** Addresses that are named, of this machine, or no metadata service's. */
const COVERED: RuleRows = [
  ['nc:*', ['nc -z localhost 5432', 'nc -z 127.0.0.1 5432', 'nc -z db 5432', 'nc -z a.example 443', 'nc -w 5 ::1 80']],
  ['nc -z 10.0.0.5:*', ['nc -z 10.0.0.5 22']],
  ['nc 169.254.169.254:*', ['nc 169.254.169.254 80']],
  ['openssl:*', ['openssl s_client -connect a.example:443 -servername a.example', 'openssl x509 -in src/a.crt']],
  ['ssh:*', ['ssh 10.0.0.5', 'ssh prod']],
  ['ping:*', ['ping -c 1 192.168.1.1']],
  ['psql -h a.example:*', ["psql -h a.example -l 'host=a.example'", 'psql -h a.example db -l']],
  ['pg_dump -h a.example:*', ['pg_dump -h a.example postgres://a.example/x']],
  ['uvicorn:*', ['uvicorn app:app --host 0.0.0.0 --port 8000']],
  ['mytool:*', ['mytool 1.2.3', 'mytool 12:30:00', 'mytool metadata.json', 'mytool 20260101', 'mytool 10.0.0.5:80']],
  ['gh issue create:*', ['gh issue create --title "169.254.169.254 answers" --body b']],
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
  [
    'psql -h prod:*',
    [
      "psql 'host=prod dbname=x'",
      'psql -d host=prod',
      'psql postgres://u:p@prod:5432/x',
      'psql --dbname=postgresql:///x?host=prod',
    ],
  ],
  ['pg_dump -h prod:*', ["pg_dump 'port=1 host=prod'", 'pg_dump postgresql://prod/x']],
  ['systemctl stop:*', ['systemctl --user stop x', 'systemctl -H host stop x']],
];

describeFamily({ covered: COVERED, notCovered: NOT_COVERED, denied: DENIED });
