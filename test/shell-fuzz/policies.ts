/**
 * Draws policies as people write them: rules, denials of commands and of paths, and a mode.
 *
 * Rules are prefix rules, exact rules and wildcards.
 */
import type { Mode } from '../../shared/permissions/model/types.ts';
import type { Rule } from '../unit/permissions/support.ts';
import { PROGRAM_NAMES } from './programs.ts';
import type { Random } from './random.ts';

export interface DrawnPolicy {
  readonly rules: readonly Rule[];
  readonly mode: Mode;
  /** The folder that the call states; absent: the project. */
  readonly cwd?: string | undefined;
  /** Whether a command that a rule allows runs as the gate prints it. */
  readonly canonical?: boolean | undefined;
}

/** Words of prefix rules that a careful team writes. */
const EVERYDAY =
  'cat|cp|mv|ls|find|sed|sed -n|awk|mawk|sort|tar|rg|grep|git|git log|git status|git diff|git config|git fetch|git grep|npm test|npm run|npm|pnpm|yarn|pytest|go|go test|go build|cargo test|make|sed|awk|jq|yq|curl|wget|rsync|man|less|vim|head|tail|wc|diff|expand|uniq|tee|touch|mkdir|rm|unzip|zip|xxd|openssl|kubectl|docker|docker build|ssh|tsc|eslint|echo|printf|true|false|:|test|[|[ -f|[[|cd|read|set|env|xargs|timeout|date|file|tree|shuf|dd|chmod|ln|du|python3|node|npx|npx jest|uv run pytest|cdk diff|tmux|nice|split|sleep|pwd|which'.split(
    '|',
  );

/** Programs of the statements that set variables and folders, which other texts need. */
const HELPERS = ['echo', 'printf', 'true', ':', 'cd', 'read', 'set', 'test', '[', 'export', 'declare'];

const EXACT = ['npm test', 'true', 'git status', 'make build', 'ls -l', 'echo a', 'sh -c "npm test"', './build.sh'];
const WILDCARDS = ['npm run *', 'git log *', 'cat src/*', 'git * main', '* --version', 'ls*', 'find . -name *'];
const DENIED_COMMANDS = [
  'rm:*',
  'npm run deploy:*',
  'git push:*',
  'curl:*',
  'dd:*',
  'chmod:*',
  'git config:*',
  'rm -rf:*',
];
const DENIED_PATHS = [
  'Read(secrets/**)',
  'Edit(infra/**)',
  'Edit(secrets/**)',
  'Read(infra/main.tf)',
  'Read(**/*.tfstate)',
];
const ALLOWED_PATHS = ['Read', 'Edit(src/**)', 'Edit(build/**)', 'Edit', 'Write(src/**)', 'Read(src/**)'];

const MODES: readonly Mode[] = ['default', 'default', 'default', 'default', 'default', 'acceptEdits', 'bypass', 'auto'];

const FOLDERS = [
  '/workspace/app/src',
  '/workspace/app/build',
  '/workspace/app/.git',
  '/home/agent',
  '/home/agent/.ssh',
  '/workspace',
];

export function drawPolicy(random: Random): DrawnPolicy {
  const allowed = random.some(EVERYDAY, 4 + random.below(10)).map((words) => `Bash(${words}:*)`);
  allowed.push(...random.some(PROGRAM_NAMES, 2).map((name) => `Bash(${name}:*)`));
  if (random.chance(0.7)) allowed.push(...random.some(HELPERS, 2 + random.below(5)).map((name) => `Bash(${name}:*)`));
  if (random.chance(0.3)) allowed.push(...random.some(EXACT, 2).map((words) => `Bash(${words})`));
  if (random.chance(0.2)) allowed.push(...random.some(WILDCARDS, 2).map((words) => `Bash(${words})`));
  if (random.chance(0.08)) allowed.push('Bash');
  if (random.chance(0.7)) allowed.push(...random.some(ALLOWED_PATHS, 1 + random.below(2)));
  const denied = random.chance(0.7)
    ? random.some(DENIED_COMMANDS, 1 + random.below(3)).map((each) => `Bash(${each})`)
    : [];
  if (random.chance(0.7)) denied.push(...random.some(DENIED_PATHS, 1 + random.below(2)));
  const rules: Rule[] = allowed.map((pattern) => ['allow', pattern]);
  for (const pattern of denied) rules.push([random.chance(0.75) ? 'deny' : 'ask', pattern]);
  const mode = random.pick(MODES);
  const canonical = random.chance(0.25);
  return {
    rules,
    mode,
    ...(random.chance(0.15) ? { cwd: random.pick(FOLDERS) } : {}),
    ...(canonical ? { canonical } : {}),
  };
}

/** The words of the commands that a policy's rules with this effect name: `Bash(npm run:*)` is `npm run`. */
export function commandsOf(policy: DrawnPolicy, effects: readonly string[]): readonly string[] {
  return policy.rules.flatMap(([effect, pattern]) => {
    if (!effects.includes(effect) || !pattern.startsWith('Bash(')) return [];
    const text = pattern.slice('Bash('.length, -1);
    return [text.endsWith(':*') ? text.slice(0, -2) : text];
  });
}
