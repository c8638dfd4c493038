/** Checks that a deny rule sees the command within every program of the catalogue that can run one. */
import { expect, test } from 'vitest';
import { PROGRAMS } from '../../../../../shared/permissions/programs/catalogue/index.ts';
import type { CommandRecord } from '../../../../../shared/permissions/programs/record/record.ts';
import { commandVerdict } from '../../support.ts';

/** Programs that run no shell command shown by their words, with the reason; `a|b c|d` is four of them. */
const RUN_NONE: readonly (readonly [string, readonly string[]])[] = [
  [
    'it changes what later commands find, and runs none',
    ['set|unalias|enable|shopt|setopt|unsetopt|export|declare|local|readonly|typeset|unset|function|let|select'],
  ],
  ['the word is a file, whose text is not in the command', ['source|.']],
  [
    'its code is of another language',
    [
      'python|pypy|node|nodejs|deno|bun|ruby|perl|php|lua|osascript|luajit|Rscript|groovy|scala|irb|racket|runghc|swift',
      'kotlin|raku|ocaml|R|ghc|ghci|dc|gnuplot|tclsh|wish|java|jshell|expect|julia|elixir|iex|erl|clojure|tsx|ts-node',
      'timeit|guile|jrunscript|sbcl|octave|ipython|emacs|emacsclient|kak|wscript|cscript|mshta|clj|erb|m4|matlab|clisp|ecl|maxima',
      'terraform|tofu console',
    ],
  ],
  ['its words are code of perl, or patterns', ['rename|prename|file-rename|perl-rename|mmv|zmv|vidir']],
  [
    'an editor takes its commands from the keyboard',
    [
      'nano|pico|micro|hx|joe|code|cursor|subl|mc|nnn|visudo|vipw|helix|mcedit|zed',
      'kubectl|oc|k3s-kubectl edit',
      'brew edit|create|extract',
      'apt|apt-get|aptitude|dnf|yum|zypper|apk|pacman edit-sources',
    ],
  ],
  [
    'it opens or loads the file, the library or the address that it is given',
    [
      'rundll32|regsvr32|open|xdg-open|run-mailcap|sensible-browser|sensible-editor|sensible-pager',
      'mvn|mvnw exec:java',
      'rustup toolchain link',
    ],
  ],
  [
    'it sends, encrypts or decodes what it is given',
    ['mail|mailx|s-nail|sendmail|msmtp|ssmtp|swaks|mutt|neomutt|gpg|gpg2|certutil|dbus-send|busctl|gdbus|qdbus'],
  ],
  [
    'it changes settings, sources or credentials',
    [
      'poetry|pipenv|hatch|pdm|rye|pixi config|self|plugin|source',
      'conda|mamba|micromamba|composer config',
      'pip|pip3 config|cache|debug',
      'uv pip config|cache|debug',
      'uv self|cache',
      'bundle|bundler config|plugin',
      'gem sources',
      'aws configure|sso',
      'npm|pnpm|yarn config|c',
      'gh auth token',
      'gcloud components|init',
      'gcloud alpha|beta|preview components|init',
      'docker|podman|nerdctl config|secret|swarm',
    ],
  ],
  [
    'it fetches or builds packages, and their own code runs',
    [
      'pip|pip3 download|wheel',
      'uv pip download|wheel',
      'deno install|uninstall|jupyter|upgrade|serve|compile',
      'corepack use|install|up|prepare',
      'docker|podman|nerdctl plugin',
      'kubectl|oc|k3s-kubectl plugin|krew',
    ],
  ],
  [
    'its commands stand in files of its own',
    [
      'ansible-playbook|ansible-galaxy|packer|vault-agent|crontab-ui|ansible-inventory|ansible-console|ansible-pull|puppet',
      'chef|chef-client|chef-apply|knife|run-parts|anacron|incrontab|runsv|svscan|s6-svscan|cookiecutter|copier|cruft',
    ],
  ],
  ['it opens a way into the network', ['ngrok|cloudflared|wg-quick|openvpn', 'kubectl|oc|k3s-kubectl proxy']],
];

const spelledOut = (listed: string): readonly string[] =>
  listed
    .split(' ')
    .map((part) => part.split('|'))
    .reduce((heads, tails) => heads.flatMap((head) => tails.map((tail) => `${head} ${tail}`)));

interface Described {
  readonly path: string;
  readonly record: CommandRecord;
}

const describedIn = (path: string, record: CommandRecord): readonly Described[] => [
  { path, record },
  ...[...(record.subcommands?.of ?? [])].flatMap(([name, inner]) => describedIn(`${path} ${name}`, inner)),
];

const ALL = PROGRAMS.flatMap((record) => record.names.flatMap((name) => describedIn(name, record)));

const isNeverWhole = ({ record }: Described): boolean =>
  record.grant === 'never' ||
  record.runner?.allow === 'named' ||
  record.runner?.allow === 'never' ||
  [record.execs, record.commandOptions, record.interpreter, record.evaluates, record.stdin].some(
    (each) => each !== undefined,
  );

/** Ways to run `rm x` that the record itself tells. */
function spellingsOf({ path, record }: Described): readonly string[] {
  const { runner, execs, commandOptions, interpreter, evaluates, stdin } = record;
  const operands = runner?.anywhere === true ? '' : ' a'.repeat(runner?.operands ?? 0);
  return [
    ...(runner === undefined ? [] : [`${path}${operands} rm x`]),
    ...[...(runner?.code ?? [])].map((option) => `${path}${operands} ${option} 'rm x'`),
    ...[...(commandOptions ?? [])].map((option) => (option === '+' ? `${path} '+!rm x'` : `${path} ${option} 'rm x'`)),
    ...[...(execs ?? [])].map((option) => `${path} . ${option} rm x \\;`),
    ...(interpreter?.shell === true ? [`${path} -c 'rm x'`, `echo rm x | ${path}`] : []),
    ...(evaluates === true ? [`${path} 'rm x'`] : []),
    ...(stdin === undefined
      ? []
      : [`echo rm x | ${path}${typeof stdin === 'object' ? ` ${[...stdin][0] ?? ''}` : ''}`]),
  ];
}

const verdictOf = (command: string): string => commandVerdict(command, [['deny', 'Bash(rm:*)']], { mode: 'bypass' });

const isSeen = (each: Described): boolean => {
  const spellings = spellingsOf(each);
  return spellings.length > 0 && spellings.every((command) => verdictOf(command) === 'deny');
};

const HELD = ALL.filter(isNeverWhole);
const LISTED = RUN_NONE.flatMap(([, listed]) => listed.flatMap(spelledOut));

test('a deny rule sees the command in what no allow covers whole', () => {
  expect(HELD.length).toBeGreaterThan(700);
  const listed = new Set(LISTED);
  const unseen = HELD.filter((each) => !listed.has(each.path) && !isSeen(each));
  expect(unseen.map(({ path, ...each }) => [path, spellingsOf({ path, ...each })])).toEqual([]);
});

test('every listed name still needs its place', () => {
  const needed = new Set(HELD.filter((each) => !isSeen(each)).map(({ path }) => path));
  expect(LISTED.filter((path) => !needed.has(path))).toEqual([]);
  expect(new Set(LISTED).size).toBe(LISTED.length);
});
