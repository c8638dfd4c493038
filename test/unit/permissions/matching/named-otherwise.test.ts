/**
 * Checks that deny rules hear shortened names, lists with commas and each source of a copy.
 *
 * Words of a program that a runner starts, and sources of a copy under rules on edits, are left alone.
 */
import { describe, expect, test } from 'vitest';
import { commandVerdict } from '../support.ts';

const verdict = (rule: string, command: string) => commandVerdict(command, [['deny', rule]], { mode: 'bypass' });

describe('a deny rule hears', () => {
  test.each([
    ['umount b', ['umount a b', 'umount -l a b', 'umount b a']],
    ['swapoff b', ['swapoff a b']],
    ['lvremove b', ['lvremove -f a b']],
    ['firebase deploy --only b', ['firebase deploy --only a,b', 'firebase deploy --only b,a']],
    ['kubectl delete pod b', ['kubectl delete pod a,b', 'kubectl delete pod a,b,c --now']],
    ['docker rm b', ['docker rm a,b']],
    ['az vm delete --ids b', ['az vm delete --ids a,b', 'az vm delete --ids a b']],
    ['cp b dir', ['cp a b dir', 'cp -r a b c dir', 'cp -t dir a b']],
    ['mv b:*', ['mv a b dir', 'mv -t dir a b']],
    ['install b dir', ['install a b dir']],
    ['ln b:*', ['ln -s a b dir']],
  ])('%s in each of %j', (rule, commands) => {
    for (const command of commands) expect([command, verdict(`Bash(${rule})`, command)]).toEqual([command, 'deny']);
  });

  test.each([
    ['php artisan db:seed:*', ['php artisan d:s', 'php artisan db:se', 'php artisan DB:S --force']],
    ['php artisan migrate:fresh:*', ['php artisan migrate:f', 'php artisan mig:fre', 'php artisan -n m:f']],
    ['php bin/console doctrine:query:sql:*', ['php bin/console d:q:s x', 'php bin/console doctrine:query:s x']],
    ['bin/console cache:clear', ['bin/console c:c', 'bin/console ca:cl']],
    ['python manage.py flush:*', ['python manage.py flu']],
  ])('%s perhaps in each of %j', (rule, commands) => {
    for (const command of commands) expect([command, verdict(`Bash(${rule})`, command)]).toEqual([command, 'ask']);
  });

  test.each(['gci | where {rm x}', 'gci | % {rm x}', 'gci | ForEach-Object {rm x}', 'icm {rm x}', 'Start-Job {rm x}'])(
    'a program in a block of PowerShell perhaps: %s',
    (command) => expect(verdict('Bash(rm:*)', command)).toBe('ask'),
  );
});

describe('a deny rule leaves alone', () => {
  test.each([
    ['umount b', ['umount a', 'umount bb']],
    ['firebase deploy --only b', ['firebase deploy --only a,bb', 'firebase deploy --only a']],
    ['cp b dir', ['cp a dir', 'cp a bb dir', 'cp b other', 'cp dir b']],
    ['php artisan migrate:fresh:*', ['php artisan migrate', 'php artisan serve', 'php artisan route:list']],
    ['php bin/console doctrine:query:sql:*', ['php bin/console cache:clear', 'php bin/console d:m:m']],
    ['print:*', ["awk '{print}' a"]],
  ])('%s: %j', (rule, commands) => {
    for (const command of commands) expect([command, verdict(`Bash(${rule})`, command)]).toEqual([command, 'allow']);
  });
});

describe('words of a program that a runner starts are its own', () => {
  test.each([
    'npx eslint node',
    'npx prettier --write node',
    'npx -y tsc -p node',
    'npx jest node',
    'npm exec -- eslint node',
    'pnpm exec prettier --check node',
    'uv run pytest node',
  ])('%s starts no node', (command) => expect(verdict('Bash(node:*)', command)).toBe('allow'));

  test('a package that makes a project is not known, and does not count as node', () =>
    expect(verdict('Bash(node:*)', 'npx create-react-app@5 node')).toBe('ask'));

  test.each([
    'npx node x',
    'npx -p node node x',
    'npx -y node x',
    'npx cross-env A=b node x',
    'npx dotenv -- node x',
    'npx nyc node x',
    'npx env-cmd node x',
    'npx npx node x',
    'npx shx node x',
    'npx --unknown eslint node x',
    'npx -p eslint node x',
    'npx @o/eslint node x',
    'npx o/eslint node x',
    'npx github:o/eslint node x',
    'npx https://o.example/eslint node x',
    'npx yarn node x',
    'yarn node x',
    'npx sst shell node x',
    'npx sst dev -- node x',
    'sst bind node x',
    'npx firebase emulators:exec node',
    "firebase emulators:exec 'node x'",
    "npx -c 'node x'",
    'uv run env A=b node x',
    'poetry run timeout 5 node x',
    'bundle exec xargs node',
  ])('%s does', (command) => expect(verdict('Bash(node:*)', command)).toBe('deny'));
});

describe('under a deny rule on edits', () => {
  test.each(['cp infra/a out', 'cp -p infra/a infra/b out', 'cp -a -- infra/a out', 'cp infra/* out'])(
    '%s only reads what it copies',
    (command) => expect(verdict('Edit(/infra/**)', command)).toBe('allow'),
  );

  test.each([
    'cp x infra/a',
    'cp x infra',
    'cp -t infra x',
    'cp infra/a -t x',
    'cp -l infra/a x',
    'cp -al infra x',
    'cp -s infra/a x',
    'cp --symb infra/a x',
    'cp x infra/a z*',
    'cp x infra/a $z',
    'cp x infra/a "$z"',
    'cp x infra/a $(true)',
    'cp x -- infra/a',
    'echo x | xargs cp infra/a',
    'mv infra/a x',
    'cp x {i,}nfra/a',
    'cp infra/a{,.bak}',
    'cp --parents infra/a ../app',
    'cd x && cp --parents infra/a ..',
    'cd /tmp && cp --par infra/a /workspace/app',
  ])('%s may write', (command) => expect(verdict('Edit(/infra/**)', command)).toBe('deny'));

  test('what is copied is still read', () => expect(verdict('Read(infra/**)', 'cp infra/a out')).toBe('deny'));
});
