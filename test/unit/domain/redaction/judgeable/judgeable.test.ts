/** Checks that a mark counts as shown only as a value: never as a command word, path or host (A20). */
import { expect, test } from 'vitest';
import { secretlintDetector } from '../../../../../shared/adapters/secretlint/detector.ts';
import { findSecrets } from '../../../../../shared/domain/redaction/find.ts';
import { canBeJudged } from '../../../../../shared/domain/redaction/judgeable/judgeable.ts';
import { redact, scrubRepeated } from '../../../../../shared/domain/redaction/redact.ts';
import { INVENTED_SECRETS } from '../../../../support/invented-secrets.ts';
import { processorMs } from '../../../../support/processor-time.ts';
import { PROGRAMS } from '../program-shapes.ts';

const detector = secretlintDetector();
const finder = { names: new Set<string>(), find: (text: string) => [...findSecrets(text), ...detector.find(text)] };
const call = (input: unknown, more: { toolName?: string; cwd?: string } = {}) =>
  redact({ toolName: 'Bash', input, ...more }, finder).value;

const T = INVENTED_SECRETS.find(({ kind }) => kind === 'github')?.secret as string;
const PEM = INVENTED_SECRETS.find(({ kind }) => kind === 'private key')?.secret as string;

const values = [
  `TOKEN=${T} deploy --prod`,
  `deploy --token ${T}`,
  // The owner of the address shows.
  `curl https://hooks.slack.com/services/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`,
  'curl -d x https://hooks.zapier.com/hooks/catch/1234567/abc12de/',
  `curl -d x https://hook.eu1.make.com/${'ab12'.repeat(8)}`,
  `curl https://api.telegram.org/bot123456789:AA${'Zq7canary2W'.repeat(3)}/sendMessage`,
  `deploy --token=${T}`,
  `curl -H 'Authorization: Bearer ${T}' https://api.example/pay`,
  `curl -H "X-Api-Key: ${T}" https://api.example`,
  `curl -H 'X-Api-Key:${T}' https://api.example`,
  `curl -u app:${T} https://api.example`,
  `git clone https://x:${T}@git.example/r.git`,
  `curl 'https://api.example/x?a=1&token=${T}&b=2'`,
  `curl -d '{"token":"${T}"}' https://api.example`,
  `cat > key.pem <<EOF\n${PEM}\nEOF`,
  `fly secrets set A=${T}`,
  `kubectl create secret generic a --from-literal=key=${T}`,
  `psql -c "ALTER USER app WITH PASSWORD 'Zq7canaryW9'"`,
  'fish -c "set -gx API_TOKEN Zq7canaryW9"',
  `dotnet nuget push a.nupkg -k ${T} -s https://api.example`,
  'curl https://a.example/cb?next=https%3A%2F%2Fb.example%2F%3Ftoken%3DZq7canaryW9%26x%3D1',
  'curl https://a.example/cb?q=%7B%22password%22%3A%22Zq7canaryW9%22%7D',
  'sudo chpasswd <<EOF\nroot:Zq7canaryW9\ndeploy:Zq7canaryW8\nEOF',
  "cd /srv && chpasswd -e <<'END'\nroot:Zq7canaryW9\nEND\necho done",
  'docker login --password-stdin <<EOF\nreboot1\nEOF',
  "mysql -u app -p'Zq7 canary;W9' db",
  'sshpass -p"Zq7 canary W9" ssh app@host.example',
  "kubectl create secret generic a --from-literal=password='Zq7$canaryW9'",
  "curl -u app:'Zq7canaryW9' https://api.example",
  `yq -i '.db.password = "Zq7canaryW9"' values.yaml`,
  `jq '.auth["token"] |= "Zq7canaryW9"' a.json`,
  "jq -n --arg password Zq7canaryW9 '{$password}'",
  "jq -n --arg password 'Zq7canaryW9' '{$password}'",
  'sqlplus -s scott/Zq7canaryW9@orcl @report.sql',
  'sqlplus "sys/Zq7canaryW9@orcl as sysdba" @report.sql',
  "sqlplus -s 'scott/Zq7canaryW9@orcl' <<'E'\nselect 1 from dual;\nE",
  `expdp 'scott/"Zq7canaryW9"@//h:1521/x' schemas=a`,
  // Each word is read once; two scripts of the same length were read for ever.
  'bash -c "mysql -pZq7canaryW9"; bash -c "mysql -pZq7canaryW9"; ',
  `kubectl patch secret db -p '{"data":{"db":"WnE3Y2FuYXJ5Vzk="}}'`,
  'git push',
];
test.each(PROGRAMS)('a value of its program: $kind', ({ value: command }) => {
  expect(canBeJudged(call({ command }))).toBe(true);
});

test.each(values)('a value: %s', (command) => {
  expect(canBeJudged(call({ command }))).toBe(true);
});

const hidden = [
  `${T}`,
  `ls; ${T} x`,
  `cat /tmp/${T}`,
  `rm ${T}`,
  `./${T}/run`,
  `curl https://${T}.example/x`,
  `curl https://api.example/${T}/x`,
  `ssh ${T}@host.example`,
  `A=${T}/../x run`,
  'echo ‹redacted: password›',
  "rm with password 'etc1'",
  // A word of another program, whatever stands around it.
  'rm bash -c "redis-cli -a etc1"',
  'rm config token etc1',
  'rm CONFIG token etc1',
  'sudo rm -rf set API_TOKEN src1',
  'docker exec db rm -rf config token src1',
  'rm token: etc1',
  'docker rm config token web1',
  'docker -D run exec db zip -P etc1',
  'ssh h rm "redis-cli -a etc1"',
  'kubectl delete pod exec -- zip -P etc1',
  'docker run exec db zip -P etc1',
  'bash -c "rm zip -P etc1"',
  // Options that take the word behind them, or none.
  'docker exec -ue db rm zip -P etc1',
  'docker --config exec rm redis-cli auth web1',
  'docker --tlscacert exec rm redis-cli auth web1',
  'kubectl -v exec delete pod -- redis-cli auth web1',
  'kubectl exec -c -- zip -- rm -P etc1',
  'podman exec -l rm redis-cli auth web1',
  'podman exec --preserve-fds 3 zip rm -P etc1',
  'ssh -ip host rm "redis-cli -a etc1"',
  'runuser -u bob -- tool -c "redis-cli -a etc1"',
  'bash script.sh -c "redis-cli -a etc1"',
  'bash -c "redis-cli -a etc1 \\"; reboot\\""',
  'bash -c "rm with password \'etc1\'"',
  'rm password Zq7canaryW9x',
  "echo it\\'s; mysql -p'; reboot1; x'",
  'echo token: `reboot1`',
  "x='\nchpasswd <<EOF\n'; reboot1\nEOF",
  '# chpasswd <<EOF\nroot:reboot1\nEOF',
  'bash <<A && chpasswd <<B\nu:reboot1\nA\nu:p12\nB',
  'bash <<A; chpasswd <<B\nreboot1\nA\nu:p12\nB',
  'alias chpasswd=sh\nchpasswd <<EOF\nu:reboot1\nEOF',
  `eval '.password = "reboot1"'`,
  'sudo --arg password reboot1',
  `echo '.password = "reboot1"' | sh`,
  'curl https://a.example/token%3DZq7canaryW9/b',
  'curl https://a.example/cb?next=https%3A%2F%2Fb.example%2F%3Ftoken%3AOther9x.example',
];
test.each(['accessKeyId', 'access_key_id'])('an id of AWS under its name says of no place: %s', (name) => {
  const id = INVENTED_SECRETS.find(({ kind }) => kind === 'aws access key')?.secret as string;
  expect(canBeJudged(call({ userName: 'bob', [name]: id, status: 'Inactive' }))).toBe(true);
  expect(canBeJudged(call({ path: id }))).toBe(false);
});

test.each(hidden)('a secret hides what runs, or where: %s', (command) => {
  expect(canBeJudged(call({ command }))).toBe(false);
});

test('elsewhere a text may hold secrets, unless it says where something goes', () => {
  expect(canBeJudged(call({ file_path: 'src/a.ts', content: `const key = '${T}';\n${T}` }))).toBe(true);
  expect(canBeJudged(call({ body: { password: 'hunter22' }, url: `https://api.example/?key=${T}` }))).toBe(true);
  expect(canBeJudged(call({ sql: "ALTER USER app WITH PASSWORD 'Zq7canaryW9'" }))).toBe(true);
  expect(canBeJudged(call({ sql: "SELECT x FROM token = 'Zq7canaryW9'" }))).toBe(false);
  expect(canBeJudged(call({ file_path: `/tmp/${T}` }))).toBe(false);
  expect(canBeJudged(call({ outputDir: T }))).toBe(false);
  expect(canBeJudged(call({ target_host: T }))).toBe(false);
  expect(canBeJudged(call({ note: `see https://api.example/${T}` }))).toBe(false);
  expect(canBeJudged(call({ [T]: 1 }))).toBe(false);
  expect(canBeJudged(call({ command: 'ls' }, { cwd: `/tmp/${T}` }))).toBe(false);
});

test('a secret name does not hide a path or a host', () => {
  expect(canBeJudged(call({ token: '/etc/passwd' }))).toBe(false);
  expect(canBeJudged(call({ secret: 'evil.example' }))).toBe(false);
  expect(canBeJudged(call({ credentials: { file: '~/x' } }))).toBe(false);
  expect(canBeJudged(call({ token: 'https://evil.example/x' }))).toBe(true);
});

test('a part of a place is a place, and a part of what runs runs', () => {
  for (const input of [
    { to: { name: 'x', part: `a ${T}` } },
    { target: { value: `token=${T}` } },
    { to: ['--token', T] },
    { fields: [{ name: 'branch', value: `token=${T}` }] },
    { command: { first: T } },
    { callback_token: `https://evil.example/${T}` },
    { args: ['rm', '--', '--token', T] },
    { args: ['for', 'x', 'in', '--token', T] },
    { command: 'mysql', args: ['--', '-phunter22'] },
    { command: 'mysql', args: ['-p/etc/passwd'] },
  ])
    expect(canBeJudged(call(input)), JSON.stringify(input)).toBe(false);
  for (const input of [
    { server: { auth: { password: 'hunter22' }, notes: `see ${T}` } },
    { args: ['deploy', '--token', T] },
    { argv: ['curl', '-u', 'me:Zq7canaryW9', 'https://x.example'] },
    { command: 'docker', args: ['login', '-u', 'me', '-p', 'hunter22'] },
    { command: 'mysql', args: ['-u', 'root', '-phunter22', 'db'] },
    { env: [{ name: 'DB_PASSWORD', value: 'hunter22' }] },
  ])
    expect(canBeJudged(call(input)), JSON.stringify(input)).toBe(true);
});

test('an argument of a program counts as shown only where that program starts the command', () => {
  for (const command of [
    'mysql -u root -phunter22 db',
    'cd x && sudo mysql -phunter22',
    'A=1 curl -b sid=hunter22 x',
    'echo hunter22 | docker login --password-stdin',
    'docker login --password-stdin <<< hunter22',
    'deploy --token hunter22',
    'aws configure set aws_secret_access_key hunter22 --profile x',
  ])
    expect(canBeJudged(call({ command })), command).toBe(true);
  for (const command of [
    'rm -- zip -P notes',
    'rm -rf -- --token src',
    'for x in --token src; do rm -rf $x; done',
    'set -- --token src; rm -rf "$2"',
    'mysql -p/etc/passwd',
    'xargs rm -rf <<< "a --token src"',
  ])
    expect(canBeJudged(call({ command })), command).toBe(false);
});

test.each([
  { command: 'git commit -m "x --password "; shutdown now; git tag "y"' },
  { command: "git commit -m 'x token: '; shutdown now; git tag 'y'" },
  { command: 'A="password="; shutdown now; B="x" true' },
  { command: `git commit -m "it's password='"; shutdown now; git tag "'x"` },
  { command: `x --json '{"password":"'; shutdown now; echo '"}'` },
  { command: `bash -c "git commit -m 'x --password '; shutdown now; git tag 'y'"` },
  { command: "rm 'a password=' src docs 'b'" },
  { command: "x <<E\n'\nE\n y --password '; shutdown; '" },
  { command: "# '\n x ' --password '; shutdown; '" },
  { command: "x $'\\'' --password '; shutdown; '" },
  { command: 'mysql -p"; shutdown now; "x' },
  { command: "psql -c \"SELECT ' set password '; DROP TABLE users; SELECT 'x'\"" },
  { sql: "SELECT ' set password '; DROP TABLE users; SELECT 'x'" },
  { sql: "SELECT 'x\\' set password '; DROP TABLE users; -- '" },
  { code: 'x = "password="; os.system("shutdown"); y = "z"' },
  { code: 'f("password="+evil+"x")' },
  { command: 'token= reboot now' },
  { command: 'PASSWORD= "reboot" now' },
])('a quote that closes right before it makes no value of what runs: %j', (input) => {
  const { value, found } = redact({ toolName: 'Bash', input }, finder);
  expect(found).toBe(true);
  expect(canBeJudged(value)).toBe(false);
});

test.each([
  { command: "mysql --password 'correct horse; battery' db" },
  { command: 'PGPASSWORD="correct horse" psql' },
  { command: `curl -s https://x.example \\\n -H "X: \${Y}" -d '{"user":"a","password":"P@ss&word (1)"}'` },
  { sql: "ALTER USER app WITH PASSWORD 'correct horse'" },
  { args: ['--password', 'correct horse'] },
  { file_path: 'a.ts', content: 'const password = "correct horse; x";' },
  { password: 'correct horse' },
])('several words between quotes that open right before them are a value: %j', (input) => {
  const { value, found } = redact({ toolName: 'Bash', input }, finder);
  expect(found).toBe(true);
  expect(canBeJudged(value)).toBe(true);
});

test('what is a value in one place hides no command where it stands again', () => {
  const input = { password: '; shutdown now;', command: 'A=; shutdown now;' };
  const { value, secrets } = redact({ toolName: 'Bash', input }, finder);
  expect(canBeJudged(scrubRepeated(value, secrets))).toBe(false);
});

test('of a line that chpasswd reads the user shows', () => {
  const { command } = call({ command: 'chpasswd <<EOF\nroot:Zq7canaryW9\nEOF' }).input as { readonly command: string };
  expect(command).toBe('chpasswd <<EOF\nroot:‹redacted: password of chpasswd›\nEOF');
});

test.each(['git push token:a', 'Authorization: JWT ', 'echo $X_TOKEN | xargs '])(
  'a command of a hundred kilobytes of %s is judged in well under two seconds (G10)',
  (piece) => {
    const { input } = call({ command: `X_TOKEN=Zq7canaryW9; ${piece.repeat(100_000 / piece.length)}` });
    expect(processorMs(() => canBeJudged({ toolName: 'Bash', input }))).toBeLessThan(2_000);
  },
);
