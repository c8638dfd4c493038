/** Checks that a deny rule is heard, or people asked, where a command holds more than is compared. */
import { describe, expect, test } from 'vitest';
import { commandVerdict } from '../support.ts';

const times = (count: number, write: (at: number) => string, between = ' '): string =>
  Array.from({ length: count }, (_, at) => write(at)).join(between);
const words = (count: number): string => times(count, (at) => `a${at}`);

type Row = readonly [rule: string, denied: readonly string[], asked: readonly string[], allowed: readonly string[]];

const ROWS: readonly Row[] = [
  [
    'git push:*',
    [`git ${times(70, () => '-c a.b=c')} push`],
    [`git ${times(300, () => '-c a.b=c')} push`, `git ${times(70, () => '-q')} $X`],
    [`git add ${words(600)}`],
  ],
  ['git push origin main:*', [`git push ${times(70, () => '-q')} origin main`], [], []],
  ['docker run evil:*', [`docker run ${times(40, (at) => `-e A${at}=1`)} evil`], [], [`docker run ${words(40)}`]],
  ['chmod 777:*', [`chmod ${times(70, () => '-v')} 777 x`], [], [`chmod ${times(70, () => '-v')} 644 x`]],
  ['foo evil:*', [`foo ${times(70, (at) => `--x${at}`)} evil`], [], [`foo ${words(70)}`]],
  ['foo * evil', [], [`foo ${times(4, () => 'a'.repeat(150))} $X`], [`foo ${times(4, () => 'a'.repeat(150))}`]],
  [
    'npm install evil:*',
    ['npm -w i i evil', `npm ${times(9, (at) => `-w w${at}`)} i evil`],
    [`npm ${times(30, (at) => `-w w${at}`)} i evil`, `npm ${times(9, () => '-w i')} i evil`],
    [`npm install ${words(60)}`, `npm ${times(9, (at) => `-w w${at}`)} i a`],
  ],
  [
    'kubectl delete namespace prod:*',
    [`kubectl ${times(9, (at) => `-n a${at}`)} delete ns prod`, 'kubectl delete ns/a ns/b ns/c ns/prod'],
    [`kubectl delete ${times(80, (at) => `ns/a${at}`)} ns/prod`],
    ['kubectl delete ns/a ns/b ns/c', `kubectl get ${times(80, (at) => `ns/a${at}`)}`],
  ],
  [
    'kubectl delete namespace:*',
    [`kubectl delete ${times(20, (at) => `k${at}`, ',')},ns --all`],
    [`kubectl delete ${times(40, (at) => `k${at}`, ',')},ns --all`],
    [`kubectl delete ${times(20, (at) => `k${at}`, ',')} --all`],
  ],
  [
    'kubectl delete ns/prod:*',
    [`kubectl delete ns ${words(40)} prod`, `kubectl delete ${times(5, (at) => `--c${at} v${at}`)} ns prod`],
    [`kubectl delete ns ${words(70)} prod`],
    [`kubectl delete ns ${words(40)}`, `kubectl get ns ${words(70)}`],
  ],
  [
    'rm src:*',
    [`rm ${words(40)} ./x/../src`, `cd x; ${times(6, (at) => `cd ../x${at} || `, '')} cd ..; rm ./src`],
    [],
    [`rm ${words(40)} ./x/../source`],
  ],
  ['cat secrets.txt:*', [`cat ${words(40)} ./secrets.txt`], [], [`cat ${words(40)} ./secret.txt`]],
  [
    'aws --profile prod:*',
    [`${times(30, (at) => `AWS_PROFILE=a${at};`)} AWS_PROFILE=prod aws s3 ls`],
    [`${times(40, (at) => `AWS_PROFILE=a${at};`)} AWS_PROFILE=prod aws s3 ls`],
    [`${times(30, (at) => `AWS_PROFILE=a${at};`)} aws s3 ls`],
  ],
  [
    'docker run -v /:*',
    [`docker run ${times(20, (at) => `-v a${at}:/a${at}`)} -v /:/h x`],
    [`docker run ${times(40, (at) => `-v a${at}:/a${at}`)} -v /:/h x`],
    [`docker run ${times(20, (at) => `-v a${at}:/a${at}`)} x`],
  ],
  [
    'rm:*',
    [
      `${times(70, (at) => `cp /bin/l${at} l${at};`)} cp /bin/rm x; ./x -rf src`,
      'cp /bin/rm x; ./x -rf src; cp /bin/ls x',
      `cat ${times(10, (at) => `/bin/l${at}`)}; cat /bin/rm > x; ./x -rf src`,
      `cat ${times(30, (at) => `/bin/l${at}`)}; cat /bin/rm > x; ./x -rf src`,
    ],
    [],
    [`${times(70, (at) => `cp a${at} dir;`)} ls dir`, `cat ${times(30, (at) => `/bin/l${at}`)} > x`],
  ],
  ['rm * src', [`fd -Hx rm ${words(80)} src`], [], [`fd -Hx ls ${words(80)} src`]],
  [
    'curl https://evil.test/*',
    [],
    [
      `curl '{https://ok.test,https://evil.test}/x' 'https://b.test/{${times(40, (at) => `x${at}`, ',')}}'`,
      `curl 'https://{a,evil}.test/' 'https://b.test/[1-100]'`,
    ],
    [`curl 'https://b.test/[1-100]'`],
  ],
  ['curl https://a.test/123456789:*', [], ["curl 'https://a.test/[100000000-999999999]'"], []],
];

const OF_PATHS: readonly (readonly [command: string, verdict: string])[] = [
  [`foo -${'a'.repeat(12)}secrets/k`, 'deny'],
  [`foo -${'a'.repeat(80)}secrets/k`, 'ask'],
  [`foo -${'a'.repeat(12)}.env`, 'deny'],
  [`vim -c "${times(40, () => '1', '|')}|w.env" x`, 'deny'],
  [`vim -c "${' '.repeat(220)}w.env" x`, 'deny'],
  [`sed -n '${times(160, () => 'p;', '')}w.env' x`, 'deny'],
  [`sed -n '${times(160, () => 'p;', '')}r.env' x`, 'deny'],
];

describe.each(ROWS)('deny Bash(%s)', (rule, denied, asked, allowed) => {
  test.each(['deny', 'ask'] as const)('as %s', (effect) => {
    const verdictOf = (command: string) => commandVerdict(command, [[effect, `Bash(${rule})`]], { mode: 'bypass' });
    const found = [...denied, ...asked, ...allowed].map((command) => [command, verdictOf(command)]);
    expect(found).toEqual([
      ...denied.map((command) => [command, effect]),
      ...asked.map((command) => [command, 'ask']),
      ...allowed.map((command) => [command, 'allow']),
    ]);
  });
});

test('files that a command names behind many letters, commands or signs are heard', () => {
  const found = OF_PATHS.map(([command]) => [
    command,
    commandVerdict(command, [['deny', 'Read(secrets/**)']], { mode: 'bypass' }),
  ]);
  expect(found).toEqual(OF_PATHS);
});
