/** Checks that a deny rule on a sub-command hears its other names, under an allow as well. */
import { describe, expect, test } from 'vitest';
import { commandVerdict } from '../../support.ts';

const ROWS: readonly (readonly [denied: string, commands: readonly string[]])[] = [
  [
    'npm install',
    [
      'npm i x',
      'npm add x',
      'npm isntall x',
      'npm -w a in x',
      'npm inst x',
      'npm --prefix a --cache b --loglevel c i x',
    ],
  ],
  ['npm publish', ['npm pub', 'npm publ --tag x', 'npm -s publis']],
  ['npm run deploy', ['npm run-script deploy', 'npm rum deploy', 'npm urn -s deploy']],
  ['npm test', ['npm t', 'npm tst', 'npm run test', 'npm run-script test']],
  ['npm set', ['npm config set a b', 'npm c set a b']],
  ['npm exec', ['npx x', 'npm x y']],
  ['pnpm remove', ['pnpm rm x', 'pnpm un x', 'pnpm uninstall x']],
  ['npx', ['npm exec x', 'npm x y']],
  ['nodejs', ['node x']],
  ['flyctl deploy', ['fly deploy']],
  ['docker-compose down', ['docker compose down']],
  ['uvx', ['uv tool run x']],
  ['yarn install', ['yarn', 'yarn --force']],
  ['cargo run', ['cargo r', 'cargo +nightly r']],
  ['helm uninstall', ['helm delete x', 'helm un x', 'helm -n a del x']],
  ['gh pr create', ['gh pr new', 'gh -R a/b pr new']],
  ['brew uninstall', ['brew rm x', 'brew remove x']],
  ['gem push', ['gem pus x']],
  ['bundle install', ['bundle', 'bundle i', 'bundler inst', 'bundle --jobs 4']],
  ['composer require', ['composer r x', 'composer req x']],
  ['rails generate', ['rails g x']],
  ['docker rm', ['docker container remove x', 'podman rm x && docker remove x']],
  ['podman rm', ['podman container rm x']],
  ['docker rmi', ['docker image rm x', 'docker image remove x']],
  ['docker compose down', ['docker-compose down']],
  [
    'terraform destroy',
    [
      'terraform apply -destroy',
      'terraform apply -auto-approve -destroy',
      'terraform apply --destroy',
      'terraform apply -destroy=true',
    ],
  ],
  ['kubectl delete pod', ['kubectl delete pods x', 'kubectl -n a delete po x']],
  [
    'kubectl delete namespace',
    [
      'kubectl delete ns/x',
      'kubectl delete Namespace x',
      'kubectl delete namespaces.v1. x',
      'kubectl delete pod,ns x',
      'kubectl delete pods/y namespaces/x',
    ],
  ],
  ['ip link', ['ip l set x', 'ip li']],
  ['git add', ['git stage x']],
];

const CASES = ROWS.flatMap(([denied, commands]) => commands.map((command) => [denied, command] as const));

describe('is denied', () => {
  test.each(CASES)('%s: %s', (denied, command) => {
    expect(commandVerdict(command, [['deny', `Bash(${denied}:*)`]], { mode: 'bypass' })).toBe('deny');
    const rules = [
      ['allow', 'Bash'],
      ['deny', `Bash(${denied}:*)`],
    ] as const;
    expect(commandVerdict(command, rules)).toBe('deny');
  });
});

describe('is another command', () => {
  test.each([
    ['npm install', 'npm run x'],
    ['npm publish', 'npm pack'],
    ['npx', 'npm run exec'],
    ['yarn install', 'yarn --silent build'],
    ['terraform destroy', 'terraform apply -destroy=false'],
    ['npm test', 'npm run build'],
    ['terraform destroy', 'terraform apply'],
    ['cargo run', 'cargo build'],
    ['bundle install', 'bundle exec x'],
    ['kubectl delete pod', 'kubectl get pods'],
    ['kubectl delete namespace', 'kubectl delete -f a/ns'],
    ['kubectl delete namespace', 'kubectl delete pod/ns'],
  ])('%s: %s', (denied, command) => {
    expect(commandVerdict(command, [['deny', `Bash(${denied}:*)`]], { mode: 'bypass' })).toBe('allow');
  });
});

test('an exact rule hears a script by its other name, and no words behind it', () => {
  const verdictOf = (command: string) => commandVerdict(command, [['deny', 'Bash(npm test)']], { mode: 'bypass' });
  for (const command of ['npm run test', 'npm run-script test', 'npm t', 'npm -s run test'])
    expect([command, verdictOf(command)]).toEqual([command, 'deny']);
  for (const command of ['npm run test -- x', 'npm run test:unit'])
    expect([command, verdictOf(command)]).toEqual([command, 'allow']);
});
