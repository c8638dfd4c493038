/** Draws the words that a command runs with: harmless ones, and ones that no policy here allows. */
import { commandsOf, type DrawnPolicy } from './policies.ts';
import { harmfulOptions, harmlessOptions, runWords } from './programs.ts';
import type { Random } from './random.ts';
import { drawScript } from './scripts.ts';

/** Files and words without harm. */
const OPERANDS = [
  'x',
  'y.txt',
  'src/index.ts',
  'README.md',
  '.',
  'src',
  'build/out.txt',
  '-',
  'a=1',
  'HEAD',
  'main',
  '/home/agent/notes.txt',
  '~/notes.txt',
  './x',
];
/** Paths that are protected or that rules deny. */
const GUARDED = [
  '.env',
  './.env',
  '.env.local',
  '.git/hooks/pre-commit',
  '.git/config',
  '.git',
  '~/.ssh/id_rsa',
  '/home/agent/.ssh/id_ecdsa',
  '~/.bashrc',
  '~/.aws/credentials',
  '.npmrc',
  'conf/secrets/key',
  'conf/infra/main.tf',
  'src/../.env',
  '/workspace/app/.env',
  '/workspace/app/conf/secrets/key',
  '~+/.env',
  './/.env',
  '.git/../.env',
  'src/./../.env',
  '../app/.env',
  '../agent/.ssh/id_rsa',
  'conf/../conf/secrets/key',
  '/workspace/../workspace/app/.env',
];
const MARKERS = ['./src/e.sh', 'evil', './build.sh', 'src/e.sh'];
const CRITICAL = ['/', '~', '/home/agent', '.', '/workspace/app', '*', '..'];

/** Whole commands that a table of options, of sub-commands or of built-ins must refuse. */
const REFUSED: readonly string[] = [
  'find . -exec ./src/e.sh {} +',
  'find . -exec evil ;',
  'find / -delete',
  'find . -delete',
  'find . -fprint src/x',
  'git fetch --upload-pack=./src/e.sh .',
  'git log --output=src/x',
  'git config core.fsmonitor ./src/e.sh',
  'git config core.fsmonitor ./src/e.sh get',
  'git config core.hooksPath src/h -l',
  'git config --get core.pager evil',
  'git config alias.x !evil list',
  'git config --add a.b c --list',
  'git config list a.b c',
  'git config a.b',
  'git config --get a.b',
  'git config -l',
  'git -c alias.x=!evil x',
  'git grep -O./src/e.sh x',
  'git push',
  'git checkout other -- conf/infra/main.tf',
  'git restore -s x conf/infra/main.tf',
  'git mv x conf/infra/main.tf',
  'git rm conf/infra/main.tf',
  'tar tf x.tar --checkpoint=1 --checkpoint-action=exec=./src/e.sh',
  'tar xf x.tar -C conf/infra',
  'npm test --script-shell=./src/e.sh',
  'npm run deploy',
  'npm exec evil',
  'pnpm dlx evil',
  'go run x',
  'go test -exec=./src/e.sh',
  'go build -o conf/infra/a',
  'sort -o src/x y.txt',
  'sort --compress-program=./src/e.sh x',
  'rg --pre=./src/e.sh x',
  'sed -i p x',
  'sed -n 1e\\ evil x',
  'sed w.env x',
  'awk BEGIN{system("./src/e.sh")}',
  'xargs evil',
  'env evil',
  'timeout 1 evil',
  'nice ./src/e.sh',
  'sh -c evil',
  'bash ./src/e.sh',
  'eval evil',
  'command evil',
  'exec evil',
  'rm -rf /',
  'rm -rf ~',
  'rm x',
  'env rm x',
  'xargs rm',
  'sh -c rm',
  'curl -o src/x u',
  'wget -O .env u',
  'rsync -e ./src/e.sh a b',
  'make --eval=x',
  'make SHELL=./src/e.sh',
  'pytest --basetemp=src',
  'cdk diff --app ./src/e.sh',
  'unzip x -d conf/infra',
  'cp src/e.sh .git/hooks/pre-commit',
  'grep -r KEY --include=.e* .',
  'tee .env',
  '. ./src/e.sh',
  'source src/e.sh',
  'trap ./src/e.sh EXIT',
];

/** A command that a rule covers, with words that are mostly without harm. */
export function drawCommand(random: Random, policy: DrawnPolicy): string[] {
  const words = allowedWords(random, policy);
  // Where an attack for this very program is at hand, it is tried now and then.
  const known = REFUSED.filter((each) => each.startsWith(`${words.join(' ')} `));
  if (known.length > 0 && random.chance(0.15)) return random.pick(known).split(' ');
  const script = random.chance(0.7) ? drawScript(words[0] ?? '', random) : undefined;
  if (script !== undefined) return [...words, ...random.pick([[], [], ['-n'], ['-e'], ['-s']]), script, 'x', 'y.txt'];
  return [...words, ...operands(random, words, random.pick([0, 0, 0.3]))];
}

/** A command that no rule covers, or one that is covered with words that must not pass. */
export function drawAttack(random: Random, policy: DrawnPolicy): string[] {
  if (random.chance(0.2)) return random.pick(REFUSED).split(' ');
  if (random.chance(0.08)) return [random.pick(MARKERS)];
  const denied = commandsOf(policy, ['deny', 'ask']);
  if (denied.length > 0 && random.chance(0.2)) return [...random.pick(denied).split(' '), ...operands(random, [], 0.5)];
  const words = allowedWords(random, policy);
  const known = REFUSED.filter((each) => each.startsWith(`${words.join(' ')} `));
  if (known.length > 0 && random.chance(0.4)) return random.pick(known).split(' ');
  return [...words, ...operands(random, words, 0.6)];
}

function allowedWords(random: Random, policy: DrawnPolicy): string[] {
  const allowed = commandsOf(policy, ['allow']).filter((words) => !words.includes('*'));
  return allowed.length > 0 ? random.pick(allowed).split(' ') : ['ls'];
}

function operands(random: Random, command: readonly string[], harm: number): string[] {
  const words: string[] = [];
  for (let count = random.below(4); count > 0; count--) {
    words.push(...(random.chance(harm) ? harmfulWords(random, command) : harmlessWords(random, command)));
  }
  return words;
}

function harmlessWords(random: Random, command: readonly string[]): string[] {
  const options = random.chance(0.3) ? harmlessOptions(command) : [];
  return [random.pick(options.length > 0 ? options : OPERANDS)];
}

function harmfulWords(random: Random, command: readonly string[]): string[] {
  const which = random.next();
  if (which < 0.45) return [random.pick(GUARDED)];
  if (which < 0.75) return harmful(random, command);
  if (which < 0.83) return [random.pick([...runWords(command[0] ?? ''), 'x'])];
  if (which < 0.9) return [random.pick(CRITICAL)];
  return [random.pick(['--', '-x', '-o', '-c', '--output', random.pick(MARKERS), '-'])];
}

function harmful(random: Random, command: readonly string[]): string[] {
  const options = harmfulOptions(command);
  if (options.length === 0) return [random.pick(GUARDED)];
  const option = random.pick(options);
  const value = random.pick([...MARKERS, 'src/x', '.env', 'conf/infra/a']);
  const cut = option.startsWith('--') && random.chance(0.2) ? option.slice(0, Math.max(4, option.length - 2)) : option;
  if (option.length > 2) return random.pick([[cut], [cut, value], [`${cut}=${value}`]]);
  return random.pick([[option], [option, value], [`${option}${value}`], [clustered(random, command, option), value]]);
}

/** `-o` behind letters of harmless options: `-rno`. */
function clustered(random: Random, command: readonly string[], option: string): string {
  const letters = harmlessOptions(command).filter((each) => each.length === 2 && each !== '--');
  return `-${random
    .some(letters, 1 + random.below(2))
    .map((each) => each.slice(1))
    .join('')}${option.slice(1)}`;
}
