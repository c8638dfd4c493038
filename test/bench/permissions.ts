/**
 * Measures how long `evaluateCall` takes for a verdict, at 10 to 10,000 rules.
 *
 * Calls are plain ones, shell calls, and a long hostile command. Figures are printed, not asserted.
 */
import type { CallContext } from '../../shared/permissions/call/call-context.ts';
import { ProtectedPathChecker, type RuleInput } from '../../shared/permissions/index.ts';
import { createToolRegistry } from '../../shared/permissions/model/tools.ts';
import { compileRules } from '../../shared/permissions/rules/compile.ts';
import { loadShellParser } from '../../shared/permissions/shell/parser.ts';
import type { ShellParser } from '../../shared/permissions/shell/syntax/shell-parser.ts';
import { evaluateCall } from '../../shared/permissions/stages/evaluate.ts';
import { against, note, printTable } from './support/print.ts';
import { micros, timesOf } from './support/timing.ts';

const SIZES = [10, 100, 1000, 10_000] as const;
const tools = createToolRegistry();
const checker = new ProtectedPathChecker();

/** Rules of every kind, in the proportions of a usual policy; two of them speak of the calls below. */
function rulesOf(count: number): RuleInput[] {
  const rules: RuleInput[] = [
    { effect: 'allow', pattern: 'Bash(git status:*)', source: 'project' },
    { effect: 'allow', pattern: 'Edit(src/**)', source: 'project' },
  ];
  const sources = ['project', 'user', 'managed', 'local'] as const;
  for (let index = 0; rules.length < count; index++) {
    const source = sources[index % sources.length] as RuleInput['source'];
    const patterns = [
      `Bash(tool${index} run:*)`,
      `Read(docs/area${index}/**)`,
      `Edit(packages/part${index}/src/*.ts)`,
      `mcp__server${index}__call`,
      `WebFetch(domain:host${index}.example.com)`,
    ];
    const effects = ['deny', 'allow', 'ask'] as const;
    rules.push({
      effect: effects[index % 3] as RuleInput['effect'],
      pattern: patterns[index % patterns.length] as string,
      source,
    });
  }
  return rules;
}

interface Sample {
  readonly name: string;
  readonly toolName: string;
  readonly input: unknown;
}

const CALLS: readonly Sample[] = [
  {
    name: 'Edit, allowed by path',
    toolName: 'Edit',
    input: { file_path: 'src/a/b.ts', old_string: 'a', new_string: 'b' },
  },
  { name: 'Read, no rule', toolName: 'Read', input: { file_path: 'lib/x.ts' } },
  { name: 'MCP, no rule', toolName: 'mcp__db__query', input: { sql: 'select 1' } },
  { name: 'WebFetch, no rule', toolName: 'WebFetch', input: { url: 'https://docs.example.org/page' } },
  { name: 'Bash, one command', toolName: 'Bash', input: { command: 'git status --short' } },
  {
    name: 'Bash, a pipeline',
    toolName: 'Bash',
    input: { command: 'git status && cat src/a.ts | grep -n "foo" | head -5' },
  },
  ...shellSamples({
    'a parameter': 'cat "$x" | grep foo',
    'a loop': 'for f in a.ts b.ts c.ts; do cat "$f"; git status; done',
    cd: 'cd src && npm test',
    'git with options': 'git -C packages/a --no-pager log --oneline -n 20 --author=me -- src/a.ts',
    'a bare parameter': 'ls $x/src',
    'a delete with a parameter': 'rm -r $x build/*',
    'a glob': 'ls *.ts',
    'several globs': 'ls src/*.ts test/**/*.test.ts',
    'find -exec': 'find src -name "*.ts" -exec grep -l foo {} \\;',
    xargs: 'git ls-files | xargs grep -n foo',
    '60 words': `git add ${numbered(58, (at) => `src/part${at}/file${at}.ts`)}`,
  }),
];

function shellSamples(commands: Readonly<Record<string, string>>): Sample[] {
  return Object.entries(commands).map(([name, command]) => ({
    name: `Bash, ${name}`,
    toolName: 'Bash',
    input: { command },
  }));
}

function numbered(count: number, word: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => word(at)).join(' ');
}

function callOf(sample: Sample, policy: CallContext['policy'], shell: ShellParser): CallContext {
  return {
    toolName: sample.toolName,
    input: sample.input,
    mode: 'default',
    cwd: '/workspace/app',
    projectRoot: '/workspace/app',
    home: '/home/agent',
    tools,
    policy,
    protected: checker,
    shell,
  };
}

function hostile(): Record<string, string> {
  const fill = (piece: string, length = 9900) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
  return {
    'true && true && …': fill('true && '),
    'nested substitutions': `echo ${'$('.repeat(3000)}ls${')'.repeat(3000)}`,
    'nested quotes': fill('"$(echo "'),
    'many stars': `echo ${fill('a')}`,
    'unbalanced brackets': fill('((('),
    braces: `echo ${fill('{a,b}', 9000)}`,
    'here-documents': fill('cat <<A\nx\nA\n'),
    wrappers: `${fill('sudo ')}rm x`,
    'if if if': fill('if true; then '),
    pipes: fill('a|'),
    words: fill('x.y/.e* '),
    'a long arithmetic expansion': `echo $((${fill('1+', 9800)}1))`,
    '2,000 globs': numbered(2000, (at) => `${at.toString(36)}*`),
    'globs of several segments': `ls ${numbered(600, (at) => `a${at}/*/b*/c?`)}`,
    'a deep glob': `ls ${fill('*/')}`,
    'any folders': `ls ${fill('**/')}x`,
    'classes in globs': `ls ${fill('[a]* ', 1490)}`,
    'cd a;': fill('cd a;'),
    'deep substitutions': `${'echo $('.repeat(190)}ls${')'.repeat(190)}`,
    'words with a parameter': `cat ${fill('$x ')}`,
    'commands with a parameter': fill('git $x;'),
    options: `git log ${fill('--abc ')}`,
    'short options': `npx ${fill('-q ')}`,
    'actions of find': `find . ${fill('-exec a {} \\; ')}`,
    'xargs xargs': `${fill('xargs ')}rm`,
    'env env': `${fill('env ')}a`,
    'npx npx': `npx ${fill('npx ')}`,
    'su -c': `${fill('su -c ')}a`,
    'command -c': `${fill('command -c ')}a`,
    'git -c': `git ${fill('-c a=b ')}status`,
    'docker compose': `docker compose ${fill('compose ')}`,
    assignments: fill('a=b;'),
    redirections: `cat ${fill('>a ')}`,
    'case in case': `${'case a in b) '.repeat(190)}ls${';; esac'.repeat(190)}`,
  };
}

/** Aims: p50 at 1,000 rules, without and with a shell command to analyse; p99 as a multiple of it; a hostile command. */
const AIM = { plain: 10, shell: 60, p99: 5, growth: 2, hostileMs: 50 } as const;

async function main(): Promise<void> {
  const cold = performance.now();
  const shell = await loadShellParser();
  note(
    `the parser is loaded in ${(performance.now() - cold).toFixed(0)} ms, with the first shell command of a process and not before`,
  );
  const rows: string[][] = [];
  const p50s = new Map<string, Map<number, number>>();
  for (const size of SIZES) {
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    const started = performance.now();
    const { policy } = compileRules(rulesOf(size), { tools });
    const took = performance.now() - started;
    globalThis.gc?.();
    const kept = (process.memoryUsage().heapUsed - before) / 1024;
    note(
      `${size} rules: compiled in ${took.toFixed(0)} ms, ${kept.toFixed(0)} KB${globalThis.gc ? '' : ' (with what is garbage: run node --expose-gc)'}`,
    );
    for (const sample of CALLS) {
      const call = callOf(sample, policy, shell);
      const { p50, p99, cpu } = await timesOf(() => evaluateCall(call, { now: 0 }));
      const of = p50s.get(sample.name) ?? new Map<number, number>();
      p50s.set(sample.name, of.set(size, p50));
      const aim = sample.toolName === 'Bash' ? AIM.shell : AIM.plain;
      const judged =
        size === 1000 ? `${against(p50, aim)} (${aim} µs), ${against(p99, AIM.p99 * p50)} (p99 ≤ 5 ×)` : '';
      rows.push([sample.name, String(size), micros(p50), micros(p99), micros(cpu), judged]);
    }
  }
  printTable('One verdict (µs)', ['call', 'rules', 'p50', 'p99', 'processor', 'aim'], rows);
  for (const [name, of] of p50s) {
    const growth = (of.get(10_000) ?? 0) / (of.get(100) ?? 1);
    note(`${name}: × ${growth.toFixed(2)} from 100 to 10,000 rules, ${against(growth, AIM.growth)} (< 2)`);
  }
  const stars: RuleInput = { effect: 'deny', pattern: `Bash(echo ${'*a'.repeat(30)}b)`, source: 'project' };
  const { policy } = compileRules(
    [
      ...rulesOf(1000),
      stars,
      { effect: 'deny', pattern: 'Bash(rm:*)', source: 'project' },
      { effect: 'allow', pattern: 'Bash', source: 'project' },
    ],
    { tools },
  );
  const hard: string[][] = [];
  for (const [name, command] of Object.entries(hostile())) {
    const call = callOf({ name, toolName: 'Bash', input: { command } }, policy, shell);
    const { p50, cpu } = await timesOf(() => evaluateCall(call, { now: 0 }));
    const outcome = evaluateCall(call, { now: 0 });
    const verdict = outcome.kind === 'decided' ? outcome.verdict.verdict : outcome.kind;
    hard.push([name, (p50 / 1000).toFixed(1), (cpu / 1000).toFixed(1), verdict, against(cpu / 1000, AIM.hostileMs)]);
  }
  printTable(
    'Hostile commands of 10 KB against 1,000 rules (ms)',
    ['command', 'p50', 'processor', 'verdict', 'aim 50 ms'],
    hard,
  );
}

await main();
