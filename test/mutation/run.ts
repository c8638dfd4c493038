/**
 * `npm run mutation [-- file …]`: changes one thing at a time in a copy of the sources, runs the tests that speak of it, and lists what no
 * test noticed. By script: it changes few things, needs no instrumentation, and takes a file at a time. Not part of `npm test`: it takes long.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** Which tests are to notice a change, by the file that is changed. */
const TARGETS: Readonly<Record<string, readonly string[]>> = {
  'shared/pipeline/hook-facts.ts': ['test/unit/pipeline/hooks.test.ts'],
  'shared/pipeline/ask-hook.ts': ['test/unit/pipeline/hooks.test.ts'],
  'shared/pipeline/operate-session.ts': [
    'test/unit/pipeline/operate-rules.test.ts',
    'test/unit/pipeline/operate-sessions.test.ts',
  ],
  'shared/pipeline/judge.ts': ['test/unit/pipeline'],
  'shared/pipeline/decide-calls.ts': ['test/unit/pipeline'],
  'shared/pipeline/settle.ts': ['test/unit/pipeline'],
  'shared/permissions/stages/rules.ts': ['test/unit/permissions', 'test/conformance/permissions.test.ts'],
  'shared/permissions/stages/mode-dispatch.ts': [
    'test/unit/permissions',
    'test/unit/pipeline/auto.test.ts',
    'test/conformance/permissions.test.ts',
  ],
  'shared/permissions/evaluate.ts': [
    'test/unit/permissions',
    'test/unit/pipeline',
    'test/conformance/permissions.test.ts',
  ],
};

/** Each occurrence of the left is replaced by the right, one at a time. */
const MUTATIONS: readonly (readonly [string, string])[] = [
  [' === ', ' !== '],
  [' !== ', ' === '],
  [' && ', ' || '],
  [' || ', ' && '],
  [' < ', ' <= '],
  [' > ', ' >= '],
  [" 'deny'", " 'allow'"],
  [" 'ask'", " 'allow'"],
  ['return true', 'return false'],
  ['return false', 'return true'],
  ['(!', '('],
];

interface Mutant {
  readonly file: string;
  readonly line: number;
  readonly change: string;
  readonly text: string;
}

function mutantsOf(file: string): Mutant[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return MUTATIONS.flatMap(([from, to]) => {
    const made: Mutant[] = [];
    for (let at = text.indexOf(from); at >= 0; at = text.indexOf(from, at + 1)) {
      const start = text.lastIndexOf('\n', at) + 1;
      const shown = text.slice(start, text.indexOf('\n', at)).trim();
      // Types and comments decide nothing.
      if (/^(\/\*|\*|\/\/|import |export type|type |readonly )/.test(shown)) continue;
      const line = text.slice(0, at).split('\n').length;
      const changed = text.slice(0, at) + to + text.slice(at + from.length);
      made.push({ file, line, change: `${from.trim()} → ${to.trim()}: ${shown}`, text: changed });
    }
    return made;
  });
}

const copy = mkdtempSync(join(tmpdir(), 'countersign-mutation-'));
let killed = 0;
const survived: Mutant[] = [];
try {
  for (const name of [
    'shared',
    'test',
    'functions',
    'cdk',
    'package.json',
    'tsconfig.json',
    'vitest.config.ts',
    'countersign.yaml',
  ])
    cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  const wanted = process.argv.slice(2);
  for (const [file, tests] of Object.entries(TARGETS)) {
    if (wanted.length && !wanted.includes(file)) continue;
    const original = readFileSync(join(ROOT, file), 'utf8');
    for (const mutant of mutantsOf(file)) {
      writeFileSync(join(copy, file), mutant.text);
      const args = ['run', '--project', 'unit', '--project', 'conformance', '--bail', '1', ...tests];
      const ran = spawnSync(join(ROOT, 'node_modules/.bin/vitest'), args, {
        cwd: copy,
        stdio: 'ignore',
        timeout: 300_000,
      });
      if (ran.status === 0) {
        survived.push(mutant);
        console.log(`survived  ${mutant.file}:${mutant.line}  ${mutant.change}`);
      } else killed += 1;
    }
    writeFileSync(join(copy, file), original);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
console.log(`\n${killed} killed, ${survived.length} survived`);
process.exitCode = survived.length ? 1 : 0;
