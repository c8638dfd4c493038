/** Writes the hook into a program's own settings: `countersign install claude-code`, or `codex`. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { refuseSwitches, type Scope, withHook } from '../install/claude-settings.ts';
import { refuseConfig, withCodexHook } from '../install/codex-hooks.ts';
import { differenceOf } from '../install/difference.ts';
import { textOf, write } from '../install/settings-text.ts';
import type { Io } from '../support/io.ts';
import { plain } from '../support/terminal.ts';

interface Options {
  readonly dryRun?: boolean;
  readonly file?: string;
  readonly program?: string;
}

interface ClaudeOptions extends Options {
  readonly managed?: boolean;
}

/** A settings file as it is and as it will be. `next` tells the person when the program reads it. */
interface Change {
  readonly file: string;
  readonly before: string | undefined;
  readonly after: string;
  readonly next: string;
}

const PROJECT_FILE = '.claude/settings.json';
/** Claude Code reads the managed settings there. */
const MANAGED_FILES: Partial<Record<NodeJS.Platform, string>> = {
  darwin: '/Library/Application Support/ClaudeCode/managed-settings.json',
  win32: 'C:\\Program Files\\ClaudeCode\\managed-settings.json',
};
const MANAGED_FILE = '/etc/claude-code/managed-settings.json';

const PROJECT_PROGRAM = 'node_modules/.bin/countersign';
/** A hook starts in the folder of the session, which may be below the project's. */
const PROGRAMS: Readonly<Record<Scope, string>> = {
  project: `"$CLAUDE_PROJECT_DIR"/${PROJECT_PROGRAM}`,
  managed: 'countersign',
};

export function addInstall(program: Command, io: Io): void {
  const install = program
    .command('install')
    .summary('install the hook into Claude Code or Codex')
    .description('Puts a program behind the gate by its own settings.')
    .helpCommand(false);
  install
    .command('claude-code')
    .summary('add the hook to the settings of Claude Code')
    .description(
      `Writes a PreToolUse hook for every tool, its time-out, onFailure and the oldest version that knows it into ${PROJECT_FILE}, switches hooks on there, and shows the difference first. Everything else in the file stays as it is; a second run changes nothing.`,
    )
    .option('--managed', 'the managed settings of this machine, which no project can change')
    .option('--file <file>', 'another settings file')
    .option('--program <command>', 'how the shell starts countersign (default: of the project; from PATH if managed)')
    .option('--dry-run', 'show the difference, and write nothing')
    .action((options: ClaudeOptions) => installClaudeCode(options, io));
  install
    .command('codex')
    .summary('add the hook to the hooks file of Codex')
    .description(
      'Writes a PreToolUse hook for every tool, and its time-out, into hooks.json in the folder of Codex (CODEX_HOME, or .codex in your home), and shows the difference first. Everything else in the file stays as it is; a second run changes nothing. Codex runs the hook once you have trusted it there.',
    )
    .option('--file <file>', 'another hooks file')
    .option('--program <command>', 'how the shell starts countersign (default: from PATH)')
    .option('--dry-run', 'show the difference, and write nothing')
    .action((options: Options) => installCodex(options, io));
}

function installClaudeCode({ managed = false, dryRun, ...options }: ClaudeOptions, io: Io): void {
  const scope = managed ? 'managed' : 'project';
  const machine = io.managedSettings ?? MANAGED_FILES[process.platform] ?? MANAGED_FILE;
  const file = resolve(io.cwd, options.file ?? (managed ? machine : PROJECT_FILE));
  if (!managed)
    for (const [whose, other] of [
      ['local', join(dirname(file), 'settings.local.json')],
      ['managed', machine],
    ] as const)
      refuseSwitches(textOf(other) ?? '', whose, other);
  const before = textOf(file);
  const after = withHook(before ?? '', `${options.program ?? PROGRAMS[scope]} hook`, scope, file);
  put({ file, before, after, next: 'Claude Code reads it when a session starts' }, dryRun, io);
  if (managed || options.program !== undefined || existsSync(resolve(io.cwd, PROJECT_PROGRAM))) return;
  io.err(
    `countersign: there is no ${PROJECT_PROGRAM} here: the hook cannot start, and blocks every call, until you install the package in this project ` +
      'or name the command with --program\n',
  );
}

function installCodex({ dryRun, program = 'countersign', ...options }: Options, io: Io): void {
  const home = io.env['CODEX_HOME'] || join(homedir(), '.codex');
  const file = resolve(io.cwd, options.file ?? join(home, 'hooks.json'));
  const config = join(dirname(file), 'config.toml');
  refuseConfig(textOf(config) ?? '', config);
  const before = textOf(file);
  const after = withCodexHook(before ?? '', program, file);
  const next = 'Codex skips the hook until you trust it: start codex, and enter /hooks';
  put({ file, before, after, next }, dryRun, io);
}

function put({ file, before, after, next }: Change, dryRun: boolean | undefined, io: Io): void {
  if (after === before) {
    io.out(`${plain(file)} has the hook already\n`);
    return;
  }
  io.out(`${plain(file)}${before === undefined ? ' (new)' : ''}\n`);
  for (const line of differenceOf(before ?? '', after)) io.out(`${plain(line)}\n`);
  if (dryRun) return;
  write(file, after);
  io.out(`written; ${next}\n`);
}
