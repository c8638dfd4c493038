/** Verdict times of `evaluateCall` at 10 to 10,000 rules, for plain and shell calls, and for a long hostile command. Figures are printed, not asserted. */
import {
  compileRules,
  createToolRegistry,
  evaluateCall,
  loadShellParser,
  ProtectedPathChecker,
  type RuleInput,
  type ShellParser,
} from '../../shared/permissions/index.ts';
import type { CallContext } from '../../shared/permissions/types.ts';

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
];

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

function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] as number;
}

function measure(run: () => void, runs: number): { p50: number; p99: number } {
  for (let index = 0; index < runs; index++) run();
  const times: number[] = [];
  for (let index = 0; index < runs; index++) {
    const started = process.hrtime.bigint();
    run();
    times.push(Number(process.hrtime.bigint() - started) / 1000);
  }
  times.sort((a, b) => a - b);
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
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
  };
}

async function main(): Promise<void> {
  const cold = performance.now();
  const shell = await loadShellParser();
  console.log(`parser loaded in ${(performance.now() - cold).toFixed(1)} ms`);
  for (const size of SIZES) {
    const before = process.memoryUsage().heapUsed;
    const started = performance.now();
    const { policy } = compileRules(rulesOf(size), { tools });
    console.log(
      `\n${size} rules: compiled in ${(performance.now() - started).toFixed(1)} ms, ${((process.memoryUsage().heapUsed - before) / 1024).toFixed(0)} KB`,
    );
    for (const sample of CALLS) {
      const call = callOf(sample, policy, shell);
      const { p50, p99 } = measure(() => evaluateCall(call, { now: 0 }), 4000);
      console.log(
        `  ${sample.name.padEnd(24)} p50 ${p50.toFixed(1).padStart(7)} µs   p99 ${p99.toFixed(1).padStart(7)} µs`,
      );
    }
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
  console.log('\nhostile commands of 10 KB against 1,000 rules');
  for (const [name, command] of Object.entries(hostile())) {
    const call = callOf({ name, toolName: 'Bash', input: { command } }, policy, shell);
    const { p50, p99 } = measure(() => evaluateCall(call, { now: 0 }), 5);
    const outcome = evaluateCall(call, { now: 0 });
    console.log(
      `  ${name.padEnd(24)} p50 ${(p50 / 1000).toFixed(1).padStart(7)} ms   p99 ${(p99 / 1000).toFixed(1).padStart(7)} ms   ${outcome.kind === 'decided' ? outcome.verdict.verdict : outcome.kind}`,
    );
  }
}

await main();
