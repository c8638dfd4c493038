/** Generates policies, calls, commands and re-spellings. */
import fc from 'fast-check';
import type { Mode, RuleEffect, RuleSource, SessionFacts } from '../../../../shared/permissions/model/types.ts';

/** `COUNTERSIGN_RUNS=100000` makes the properties look longer. */
export const runs = (usual: number): number => Number(process.env['COUNTERSIGN_RUNS'] ?? usual);

const SOURCES: readonly RuleSource[] = ['default', 'local', 'project', 'user', 'managed', 'cli', 'session'];
export const MODES: readonly Mode[] = ['default', 'plan', 'acceptEdits', 'bypass', 'dontAsk', 'auto', 'bubble'];
const PATTERNS = [
  '*',
  'Read',
  'Write',
  'Edit',
  'Bash',
  'Bash(*)',
  'Bash(foo:*)',
  'Bash(foo a)',
  'Bash(bar:*)',
  'Bash(f*)',
  'Read(src/**)',
  'Edit(src/**)',
  'Read(secrets/**)',
  'Write(/src/*.ts)',
  'WebFetch',
  'WebFetch(domain:a.example)',
  'WebFetch(domain:*.example)',
  'mcp__*',
  'mcp__db__*',
  'mcp__db__query',
  'NewTool',
  'M*',
] as const;

export interface TestRule {
  readonly effect: RuleEffect;
  readonly pattern: (typeof PATTERNS)[number];
  readonly source: RuleSource;
}

export const rule: fc.Arbitrary<TestRule> = fc.record({
  effect: fc.constantFrom<RuleEffect>('deny', 'ask', 'allow'),
  pattern: fc.constantFrom(...PATTERNS),
  source: fc.constantFrom(...SOURCES),
});

export interface TestCall {
  readonly toolName: string;
  readonly input: Readonly<Record<string, string>>;
}

const file = fc.constantFrom('src/a.ts', 'lib/src/b.ts', 'secrets/k.txt', 'notes.md', '/etc/hosts', '.env');
export const call: fc.Arbitrary<TestCall> = fc.oneof(
  fc.record({ toolName: fc.constantFrom('Read', 'Write'), input: fc.record({ file_path: file }) }),
  fc.record({
    toolName: fc.constant('Bash'),
    input: fc.record({ command: fc.constantFrom('foo', 'foo a', 'foo b c', 'bar x', 'baz', 'baz .env') }),
  }),
  fc.record({
    toolName: fc.constant('WebFetch'),
    input: fc.record({ url: fc.constantFrom('https://a.example/x', 'https://b.example/') }),
  }),
  fc.record({
    toolName: fc.constantFrom('mcp__db__query', 'mcp__other__x', 'NewTool'),
    input: fc.constant({ q: '1' }),
  }),
);

export const facts: fc.Arbitrary<SessionFacts> = fc.record({
  now: fc.constant(0),
  grant: fc.option(fc.record({ scope: fc.constantFrom('session' as const, 'session-all-tools' as const) }), {
    nil: undefined,
  }),
  refusal: fc.option(fc.constant({ reason: 'no' }), { nil: undefined, freq: 6 }),
  denials: fc.option(
    fc.record({
      consecutive: fc.integer({ min: 0, max: 4 }),
      total: fc.integer({ min: 0, max: 21 }),
      deniedBefore: fc.boolean(),
    }),
    { nil: undefined },
  ),
  classifier: fc.oneof(
    fc.constant({ state: 'none' as const }),
    fc.constant({ state: 'failed' as const, why: 'x' }),
    fc.record({
      state: fc.constant('answered' as const),
      result: fc.record({
        shouldBlock: fc.boolean(),
        reason: fc.constant('why'),
        confidence: fc.constantFrom(0, 0.5, 0.79, 0.8, 1),
      }),
    }),
  ),
  parent: fc.oneof(
    fc.constant({ state: 'none' as const }),
    fc.constant({ state: 'cycle' as const }),
    fc.record({
      state: fc.constant('answered' as const),
      verdict: fc.constantFrom('allow' as const, 'deny' as const, 'ask' as const, 'error' as const),
    }),
  ),
  hook: fc.option(
    fc.record({
      decision: fc.constantFrom('allow' as const, 'deny' as const, 'pass' as const, 'failed' as const),
      reason: fc.constant('hook'),
    }),
    { nil: undefined, freq: 4 },
  ),
});

export const setting = fc.record({
  mode: fc.constantFrom(...MODES),
  bypass: fc.record({ enabled: fc.boolean(), honoursRules: fc.boolean() }),
  managedRulesOnly: fc.boolean(),
  workspaceTrusted: fc.boolean(),
  unattended: fc.boolean(),
});

const plainWord = fc.constantFrom(
  'a',
  'b.txt',
  'src/x',
  '-l',
  '--all',
  'x=1',
  'HEAD~1',
  '*.ts',
  '"q q"',
  "'s s'",
  '"$x"',
  '$y',
  '\\$z',
  '"a b"c',
  "$'t'",
);

/** Commands of a small grammar, with every construct that may hold commands. */
export const shellCommand: fc.Arbitrary<string> = fc.letrec<{ simple: string; part: string; list: string }>((tie) => ({
  simple: fc
    .tuple(
      fc.constantFrom('foo', 'bar', 'ls', 'git status', 'echo', 'A=1 foo', '"foo"', 'ba\\r'),
      fc.array(fc.oneof(plainWord, tie('part')), { maxLength: 3 }),
    )
    .map(([name, words]) => [name, ...words].join(' ')),
  part: fc.oneof(
    { depthSize: 'small' },
    plainWord,
    tie('list').map((list) => `$(${list})`),
    tie('list').map((list) => `"$(${list})"`),
    tie('list').map((list) => `<(${list})`),
    fc.constantFrom('>out', '2>&1', '</dev/null', '>>log', '2>/dev/null', '<<<"$x"'),
  ),
  list: fc.oneof(
    { depthSize: 'small' },
    tie('simple'),
    fc
      .tuple(tie('simple'), fc.constantFrom(' && ', ' || ', '; ', ' | ', ' & ', '\n', ' |& '), tie('list'))
      .map(([a, by, b]) => `${a}${by}${b}`),
    tie('list').map((list) => `( ${list} )`),
    tie('list').map((list) => `{ ${list}; }`),
    fc.tuple(tie('simple'), tie('list')).map(([test, body]) => `if ${test}; then ${body}; fi`),
    tie('list').map((list) => `for i in 1 2; do ${list}; done`),
    fc.tuple(tie('simple'), tie('list')).map(([test, body]) => `while ${test}; do ${body}; done`),
    tie('list').map((list) => `case x in a) ${list};; esac`),
    tie('list').map((list) => `f() { ${list}; }`),
    tie('simple').map((simple) => `cat <<E\nhi $(${simple})\nE`),
    tie('simple').map((simple) => `cat <<'E'\nhi $(${simple})\nE`),
    tie('simple').map((simple) => `! ${simple}`),
    tie('simple').map((simple) => `${simple} # comment; bar\n`),
  ),
})).list;

/** Texts that run both commands, by separators, substitutions and compounds. */
export const joining = fc.constantFrom<(a: string, b: string) => string>(
  (a, b) => `${a}; ${b}`,
  (a, b) => `${a} && ${b}`,
  (a, b) => `${b} || ${a}`,
  (a, b) => `${a} | ${b}`,
  (a, b) => `${a} & ${b}`,
  (a, b) => `${a}\n${b}`,
  (a, b) => `${a} $(${b})`,
  (a, b) => `${a} "$(${b})"`,
  (a, b) => `${a} "\`${b}\`"`,
  (a, b) => `${a} <(${b})`,
  (a, b) => `if ${a}; then ${b}; fi`,
  (a, b) => `for v in 1; do ${b}; ${a}; done`,
  (a, b) => `( ${a}; ${b} )`,
  (a, b) => `f() { ${b}; }; ${a}; f`,
  (_a, b) => `cat <<E\n$(${b})\nE`,
);

/** Re-spellings of a command of two words; each still runs the first. */
export const respell: fc.Arbitrary<(program: string, argument: string) => string> = fc.constantFrom<
  (program: string, argument: string) => string
>(
  (p, a) => `'${p}' ${a}`,
  (p, a) => `"${p}" ${a}`,
  (p, a) => `\\${p} ${a}`,
  (p, a) => `${p[0]}''${p.slice(1)} ${a}`,
  (p, a) => `${p[0]}\\${p.slice(1)} ${a}`,
  (p, a) => `$'${p}' ${a}`,
  (p, a) => `  ${p} \t ${a}  `,
  (p, a) => `/bin/${p} ${a}`,
  (p, a) => `../../${p} ${a}`,
  (p, a) => `command ${p} ${a}`,
  (p, a) => `env X=1 ${p} ${a}`,
  (p, a) => `sudo -u root ${p} ${a}`,
  (p, a) => `timeout 5 ${p} ${a}`,
  (p, a) => `nohup nice -n 3 ${p} ${a}`,
  (p, a) => `sh -c '${p} ${a}'`,
  (p, a) => `eval "${p} ${a}"`,
  (p, a) => `echo ${a} | xargs ${p}`,
  (p, a) => `find . -exec ${p} ${a} {} +`,
  (p, a) => `X=1 ${p} ${a}`,
  (p, a) => `>/dev/null ${p} ${a}`,
  (p, a) => `x=${p}; $x ${a}`,
  (p, a) => `{ ${p} ${a}; }`,
  (p, a) => `(${p} ${a})`,
  (p, a) => `echo $(${p} ${a})`,
  (p, a) => `echo \`${p} ${a}\``,
  (p, a) => `if true; then ${p} ${a}; fi`,
  (p, a) => `true && ${p} ${a}`,
  (p, a) => `true\n${p} ${a}`,
  (p, a) => `trap '${p} ${a}' EXIT`,
  (p, a) => `cat <<E\n$(${p} ${a})\nE`,
  (p, a) => `${p}\\\n ${a}`,
  (p, a) => `${String.fromCodePoint((p.codePointAt(0) as number) + 0xfee0)}${p.slice(1)} ${a}`,
  (p, a) => `bash <<'E'\n${p} ${a}\nE`,
);
