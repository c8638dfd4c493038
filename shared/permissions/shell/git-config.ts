/** `git config` with a value and its siblings write `.git/config`, with `--global` `~/.gitconfig` (rules.md, "Paths"). */
import type { ShellCommand } from './command.ts';
import { programOf } from './derive.ts';

/** Global options of git that take the next word as their value. */
export const GIT_GLOBAL_VALUES: ReadonlySet<string> = new Set([
  '-C',
  '-c',
  '--git-dir',
  '--work-tree',
  '--namespace',
  '--exec-path',
  '--super-prefix',
  '--config-env',
  '--attr-source',
  '--list-cmds',
]);

/** The words from the sub-command on, global options skipped. */
export function gitSubcommand(words: readonly string[]): readonly string[] {
  let at = 1;
  while (at < words.length && (words[at] as string).startsWith('-'))
    at += GIT_GLOBAL_VALUES.has(words[at] as string) ? 2 : 1;
  return words.slice(at);
}

const CONFIG_WRITES: ReadonlySet<string> = new Set([
  '--add',
  '--unset',
  '--unset-all',
  '--replace-all',
  '--rename-section',
  '--remove-section',
  '-e',
  '--edit',
  'set',
  'unset',
  'edit',
  'rename-section',
  'remove-section',
]);
const CONFIG_READS: ReadonlySet<string> = new Set([
  '--get',
  '--get-all',
  '--get-regexp',
  '--get-urlmatch',
  '-l',
  '--list',
  'get',
  'list',
  '--get-color',
  '--get-colorbool',
]);
const CONFIG_VALUES: ReadonlySet<string> = new Set([
  '-f',
  '--file',
  '--blob',
  '--type',
  '--default',
  '--comment',
  '--value',
]);
const REMOTE_WRITES: ReadonlySet<string> = new Set([
  'add',
  'rename',
  'remove',
  'rm',
  'set-url',
  'set-head',
  'set-branches',
]);

/** Whether the words after `git config` change anything. */
export function configWrites(rest: readonly string[]): boolean {
  if (rest.some((word) => CONFIG_WRITES.has(word))) return true;
  if (rest.some((word) => CONFIG_READS.has(word))) return false;
  let operands = 0;
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] as string;
    if (CONFIG_VALUES.has(word)) at += 1;
    else if (!word.startsWith('-')) operands += 1;
  }
  return operands >= 2;
}

/** The configuration files that the command writes. */
export function gitConfigTargets(command: ShellCommand): string[] {
  if (programOf(command.argv[0]) !== 'git') return [];
  const [name, ...rest] = gitSubcommand(command.argv.map((field) => field.text));
  const operand = rest.find((word) => !word.startsWith('-'));
  if (name === 'config') {
    if (!configWrites(rest)) return [];
    return rest.includes('--global')
      ? ['~/.gitconfig']
      : rest.includes('--system')
        ? ['/etc/gitconfig']
        : ['.git/config'];
  }
  if (name === 'remote' && operand !== undefined && REMOTE_WRITES.has(operand)) return ['.git/config'];
  if ((name === 'submodule' || name === 'worktree') && operand === 'add') return ['.git/config'];
  return [];
}
