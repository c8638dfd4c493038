/** Checks that a rule for commands which names a host covers no other, wherever its wildcard stands. */
import { expect, test } from 'vitest';
import { judge } from '../support.ts';

/** Behind `PROGRAM https://`: what the rule says, and addresses that it covers and that it leaves out. */
const HOSTS: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  [
    'a.example*',
    ['a.example', 'a.example/x', 'a.example:8443/x', 'a.example?x', 'a.example.'],
    [
      'a.example.evil.test',
      'a.examples/',
      'a.example@evil.test/',
      'a.example:1@evil.test/',
      'a.example$X/',
      'a.example:99999999/',
    ],
  ],
  ['a.example:3000*', ['a.example:3000/x'], ['a.example:3000@evil.test/', 'a.example:3000.evil.test/']],
  ['a.example/*', ['a.example/x'], ['a.example/x https://evil.test/']],
  [
    '*.a.example/*',
    ['x.a.example/', 'x.y.a.example/z'],
    ['evil.test/x.a.example/', 'evil.test?x.a.example/', 'x$Y.a.example/'],
  ],
  ['a-*.example/*', ['a-b.example/x'], ['a-b.evil.test/.example/', 'a-b@evil.test/.example/']],
  ['a.*/x', ['a.example/x'], ['a.example.evil.test/x', 'evil.test/a.b/x']],
  ['*.bücher.example./*', ['x.bücher.example./y'], ['evil.test/x.bücher.example./y']],
  ['*', ['a.example/x', 'u@b.example/'], []],
];

test.each(HOSTS)('a rule that names the host https://%s covers no other', (rule, covered, left) => {
  for (const program of ['curl', 'curl -s', 'wget -O -', 'git clone', 'some-program']) {
    const verdictOf = (rest: string) =>
      judge('Bash', { command: `${program} https://${rest}` }, [['allow', `Bash(${program} https://${rule})`]]).verdict;
    expect(
      covered.filter((rest) => verdictOf(rest) !== 'allow'),
      program,
    ).toEqual([]);
    expect(
      left.filter((rest) => verdictOf(rest) !== 'ask'),
      program,
    ).toEqual([]);
  }
});

test.each([
  ['curl --url=https://a.example*', 'curl --url=https://a.example/x', 'curl --url=https://a.example.evil.test/'],
  ['git clone git@a.example*', 'git clone git@a.example:x/y', 'git clone git@a.example.evil.test:x/y'],
  ['scp x a.example*', 'scp x a.example:y', 'scp x a.example.evil.test:y'],
  ['ssh u@a.example*', 'ssh u@a.example', 'ssh u@a.example.evil.test'],
  ['ssh a.example*', 'ssh a.example', 'ssh a.example:x@evil.test'],
  ['rsync x a.example*', 'rsync x a.example:y', 'rsync x a.examples:y'],
  ['nc a.example*', 'nc a.example 80', 'nc a.example.evil.test 80'],
  ['dig a.example*', 'dig a.example', 'dig a.example.evil.test'],
  ['ping a.example*', 'ping a.example', 'ping a.example.evil.test'],
  ['ssh u@web*', 'ssh u@web1', 'ssh u@web.evil.test'],
  ['ssh 10.0.0.*', 'ssh 10.0.0.5', 'ssh 10.0.0.evil.test'],
  ['git clone git@*.a.example:org/*', 'git clone git@x.a.example:org/r', 'git clone git@evil.test:x.a.example:org/r'],
  ['docker pull a.example*', 'docker pull a.example/x', 'docker pull a.example.evil.test/x'],
  ['rsync rsync://a.example*', 'rsync rsync://a.example/x', 'rsync rsync://a.example.evil.test/x'],
  ['some-program sftp://a.example*', 'some-program sftp://a.example/x', 'some-program sftp://a.example.evil.test/x'],
  ['hg clone hg+https://a.example*', 'hg clone hg+https://a.example/x', 'hg clone hg+https://a.example.evil.test/'],
  ['curl http*://a.example/*', 'curl http://a.example/x', 'curl https://evil.test/://a.example/'],
  ['fetcher https://a.example/*', 'fetcher https://a.example/x,y', 'fetcher https://a.example/x,https://evil.test/'],
  [
    'fetcher https://a.example/*',
    'fetcher https://a.example/?u=https://b.example',
    'fetcher https://a.example/ https:/evil.test',
  ],
])('nor does a rule without a scheme: %s', (rule, covered, left) => {
  const verdictOf = (command: string) => judge('Bash', { command }, [['allow', `Bash(${rule})`]]).verdict;
  expect([verdictOf(covered), verdictOf(left)]).toEqual(['allow', 'ask']);
});

test('no host is read out of texts that are printed, compared or sent', () => {
  const rules = [
    ['allow', "Bash(curl -H 'Origin: https://a.example' *)"],
    ['allow', 'Bash(echo https://a.example*)'],
    ['allow', 'Bash(grep https://a.example*)'],
  ] as const;
  for (const command of [
    "curl -H 'Origin: https://a.example' https://b.example/",
    'echo https://a.example.test/',
    "grep 'https://a.example.test' notes.txt",
  ])
    expect(judge('Bash', { command }, rules).verdict).toBe('allow');
});

test.each([
  ['git push origin v1.2*', 'git push origin v1.2.3'],
  ['git push origin feature.x*', 'git push origin feature.xy'],
  ['git fetch origin v1.2*', 'git fetch origin v1.2.3'],
  ['docker pull python3.1*', 'docker pull python3.12'],
  ['scp app.tar* host:/x', 'scp app.tar.gz host:/x'],
  ['rsync -a data.2024* host:/x', 'rsync -a data.2024-01 host:/x'],
  ['aws s3 ls s3://my-*', 'aws s3 ls s3://my-bucket'],
])('a dot in a file, a tag or a version makes no host of it: %s', (rule, command) => {
  expect(judge('Bash', { command }, [['allow', `Bash(${rule})`]]).verdict).toBe('allow');
});

test.each(['curl', 'curl -s', 'wget -O -'])('nor does %s by a header that asks for another host', (program) => {
  const verdictOf = (rest: string, rule = `${program} https://a.example/*`) =>
    judge('Bash', { command: `${program} https://a.example/x ${rest}` }, [['allow', `Bash(${rule})`]]).verdict;
  const asked = ["--header 'Host: evil.test'", "--header='hOST :evil.test'", '--header "Host: $X"'];
  expect(asked.filter((rest) => verdictOf(rest) !== 'ask')).toEqual([]);
  const covered = ["--header 'Host: a.example'", "--header 'X-Host: evil.test'", '--header "Authorization: Bearer $X"'];
  expect(covered.filter((rest) => verdictOf(rest) !== 'allow')).toEqual([]);
  expect(verdictOf(asked[0] as string, `${program}:*`)).toBe('allow');
});

test.each([
  ['aws s3 cp s3://a/*', 'aws s3 cp s3://a/x s3://a/y', 'aws s3 cp s3://a/x s3://b/y'],
  ['aws s3 sync s3://a/x s3://b/*', 'aws s3 sync s3://a/x s3://b/y', 'aws s3 sync s3://a/x s3://b/y s3://c/'],
  ['aws s3 cp s3://a-*', 'aws s3 cp s3://a-dev/x s3://a-test/y', 'aws s3 cp s3://a-dev/x s3://b/y'],
  ['gsutil cp gs://a/*', 'gsutil cp gs://a/x gs://a/y', 'gsutil cp gs://a/x gs://$B/y'],
  ['aws s3 ls:*', 'aws s3 ls s3://b/', 'aws s3 rb s3://b'],
])('%s covers no other bucket', (rule, covered, left) => {
  const verdictOf = (command: string) => judge('Bash', { command }, [['allow', `Bash(${rule})`]]).verdict;
  expect([covered, left].map(verdictOf)).toEqual(['allow', 'ask']);
});
