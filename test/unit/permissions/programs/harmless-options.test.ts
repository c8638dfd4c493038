/** Checks that a prefix covers options of every day that change neither what runs nor what is written. */
import { describe, expect, test } from 'vitest';
import { commandVerdict } from '../support.ts';

const verdict = (rule: string, command: string) => commandVerdict(command, [['allow', `Bash(${rule}:*)`]]);

describe('a prefix covers', () => {
  test.each([
    ['git', 'git status -uno'],
    ['git', 'git status -s -uall'],
    ['git', 'git status -u'],
    ['git', 'git diff-tree --no-commit-id --name-only -r HEAD'],
    ['npm version', "npm version patch -m 'release %s'"],
    ['npm version', 'npm version patch -m x'],
    ['kubectl', 'kubectl logs -l app=api --all-containers --prefix'],
    ['pip install', 'pip install --no-cache-dir -r requirements.txt'],
    ['uv pip install', 'uv pip install --no-cache-dir x'],
    ['composer install', 'composer install --no-dev -o'],
    ['node --test', 'node --test --test-name-pattern=login'],
    ['node --test', "node --test --test-name-pattern 'logs in'"],
  ])('%s: %s', (rule, command) => expect(verdict(rule, command)).toBe('allow'));
});

describe('and not', () => {
  test.each([
    ['git', 'git status --output=x'],
    ['npm version', 'npm version patch -m x --script-shell=./e'],
    ['npm', "npm run x -m 'a b'"],
    ['kubectl', 'kubectl logs x --kubeconfig=y'],
    ['rg', 'rg --pre ./e x'],
    ['pip install', 'pip install --cache-dir /tmp/x y'],
    ['pip install', 'pip install --no-cache-dir=x --target y z'],
    ['composer install', 'composer install -d /tmp/x'],
    ['composer install', 'composer install -od /tmp/x'],
    ['node --test', 'node --test --test-reporter=./x.js'],
    ['node', 'node --test-name-pattern=x -e 1'],
    ['node', "node --test-name-pattern='a b'"],
    ['python3', 'python3 -W=x a.py'],
  ])('%s: %s', (rule, command) => expect(verdict(rule, command)).not.toBe('allow'));
});
