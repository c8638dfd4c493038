/** The texts that deny and ask rules compare a command as: with its base name, without global options, folded. */
import type { ShellCommand } from '../shell/command.ts';
import { programOf } from '../shell/derive.ts';
import { gitSubcommand } from '../shell/git-config.ts';

/** Global options that may stand between a program and its sub-command, with a value in the next word. */
const GLOBAL_VALUES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    'docker',
    new Set([
      '-H',
      '--host',
      '-c',
      '--context',
      '--config',
      '-l',
      '--log-level',
      '--tlscacert',
      '--tlscert',
      '--tlskey',
    ]),
  ],
  ['podman', new Set(['--url', '--connection', '-c', '--log-level', '--root', '--runroot'])],
  [
    'kubectl',
    new Set([
      '-n',
      '--namespace',
      '--context',
      '--cluster',
      '--user',
      '--kubeconfig',
      '-s',
      '--server',
      '--token',
      '--as',
      '-v',
    ]),
  ],
  ['helm', new Set(['-n', '--namespace', '--kube-context', '--kubeconfig'])],
  ['npm', new Set(['--prefix', '-C', '-w', '--workspace', '--loglevel', '--registry'])],
  ['pnpm', new Set(['-C', '--dir', '-F', '--filter'])],
  ['yarn', new Set(['--cwd'])],
  ['cargo', new Set(['-Z', '--config', '-C', '--color'])],
  ['terraform', new Set<string>()],
  ['gh', new Set(['-R', '--repo'])],
  ['aws', new Set(['--profile', '--region', '--endpoint-url', '--output', '--query'])],
  ['gcloud', new Set(['--project', '--account', '--configuration'])],
  ['systemctl', new Set(['-H', '--host', '-M', '--machine'])],
]);

function withoutGlobals(words: readonly string[], values: ReadonlySet<string>): readonly string[] {
  let at = 1;
  while (at < words.length && (words[at] as string).startsWith('-')) at += values.has(words[at] as string) ? 2 : 1;
  return [words[0] as string, ...words.slice(at)];
}

function hasUpperCase(text: string): boolean {
  return text !== text.toLowerCase();
}

/** Every spelling in which a deny or ask rule may name the command. */
export function deniedSpellings(command: ShellCommand): string[] {
  const program = programOf(command.argv[0]);
  if (program === undefined) return [command.joined];
  // The usual case: the command word as it is, and no option right behind it.
  if (command.argv[0]?.text === program && command.argv[1]?.text.startsWith('-') !== true && !hasUpperCase(program))
    return [command.joined];
  const words = [program, ...command.argv.slice(1).map((field) => field.text)];
  const named = words.join(' ');
  const texts = [command.joined];
  if (named !== command.joined) texts.push(named);
  if (words[1]?.startsWith('-') === true) {
    if (program === 'git') texts.push(['git', ...gitSubcommand(words)].join(' '));
    const values = GLOBAL_VALUES.get(program);
    if (values !== undefined) texts.push(withoutGlobals(words, values).join(' '));
  }
  const lower = program.toLowerCase();
  if (lower !== program) texts.push([lower, ...words.slice(1)].join(' '));
  return texts;
}
