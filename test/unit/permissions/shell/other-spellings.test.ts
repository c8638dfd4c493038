/** Checks that a denied program is denied under the other names that start it. */
import { expect, test } from 'vitest';
import { commandVerdict, type Rule } from '../support.ts';

const RULES = ['npm publish', 'git push', 'cowsay', 'ruff', 'cargo publish', 'kubectl delete'].map(
  (words): Rule => ['deny', `Bash(${words}:*)`],
);
const inBypass = (command: string) => commandVerdict(command, RULES, { mode: 'bypass' });

test.each([
  // The word of a package names its version or where it comes from.
  'npx cowsay@1.5.0 hi',
  'npx -y cowsay@latest hi',
  "npm exec 'cowsay@>=1' -- hi",
  'pnpm dlx cowsay@canary hi',
  'bunx npm@latest publish',
  'uvx ruff@0.1 check',
  "pipx run 'ruff==0.1' check",
  "uvx 'ruff[extra]' check",
  'go run example.com/tools/cowsay@latest',
  'nix run nixpkgs#cowsay',
  'deno run -A npm:cowsay@1 hi',
  // A program of its own, which is a sub-command of another.
  'git-push origin',
  '/usr/lib/git-core/git-push origin',
  'cargo-publish',
  // As Windows writes it.
  'npm.cmd publish',
  'NPM.CMD publish',
  '"C:/Program Files/nodejs/npm.cmd" publish',
  'git.bat push',
  'cmd "/Cnpm publish"',
  // A sub-command that is the program.
  'corepack npm publish',
  'corepack yarn npm publish',
  'minikube kubectl -- delete pod x',
])('%s', (command) => expect(inBypass(command)).toBe('deny'));

test.each(['npx vercel@latest deploy', 'git-lfs push-all', './git-push-hook.sh', 'minikube start', 'corepack enable'])(
  'and no other: %s',
  (command) => expect(inBypass(command)).toBe('allow'),
);

test.each(['ssh git@10.0.0.1 push', 'ssh git@host.example push'])('a user of a host is no package: %s', (command) =>
  expect(inBypass(command)).toBe('allow'),
);

test('a program that nobody described may run a package by its version', () =>
  expect(inBypass('some-runner cowsay@1')).toBe('ask'));

test('a command of sed between slashes is code', () => {
  expect(inBypass("sed -n 's/x/npm publish/e' f")).toBe('ask');
  expect(inBypass("sed -n 's/npm publish/x/p' f")).toBe('allow');
});
