import {
  compileRules,
  createToolRegistry,
  evaluateCall,
  loadShellParser,
  ProtectedPathChecker,
} from '../../shared/permissions/index.ts';

const shell = await loadShellParser();
const tools = createToolRegistry();
const checker = new ProtectedPathChecker();
const { policy } = compileRules(
  [
    { effect: 'deny', pattern: 'Bash(rm:*)', source: 'project' },
    { effect: 'allow', pattern: 'Bash', source: 'project' },
  ],
  { tools },
);
const call = (command: string) => ({
  toolName: 'Bash',
  input: { command },
  mode: 'default',
  cwd: '/workspace/app',
  projectRoot: '/workspace/app',
  home: '/home/agent',
  tools,
  policy,
  protected: checker,
  shell,
});
const which = process.argv[2];
if (which === 'one') {
  const c = call('git status --short');
  const ts: number[] = [];
  for (let i = 0; i < 20000; i++) {
    const s = process.hrtime.bigint();
    evaluateCall(c, { now: 0 });
    ts.push(Number(process.hrtime.bigint() - s) / 1e3);
  }
  ts.sort((a, b) => a - b);
  console.log(ts[10000], ts[19800], ts[19980]);
  const ps: number[] = [];
  for (let i = 0; i < 20000; i++) {
    const s = process.hrtime.bigint();
    shell.parse('git status --short');
    ps.push(Number(process.hrtime.bigint() - s) / 1e3);
  }
  ps.sort((a, b) => a - b);
  console.log('parse', ps[10000], ps[19800], ps[19980]);
} else {
  const text =
    which === 'pipes'
      ? 'a|'.repeat(4950)
      : which === 'braces'
        ? 'echo ' + '{a,b}'.repeat(1800)
        : which === 'if'
          ? 'if true; then '.repeat(700)
          : 'sudo '.repeat(1980) + 'rm x';
  const c = call(text);
  for (let i = 0; i < 5; i++) {
    const s = performance.now();
    evaluateCall(c, { now: 0 });
    const t = performance.now() - s;
    const s2 = performance.now();
    shell.parse(text);
    console.log(t.toFixed(0), 'parse', (performance.now() - s2).toFixed(0));
  }
}
