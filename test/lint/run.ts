/** Runs Biome and the checks of this folder: `npm run lint`. */
import { execFileSync, spawnSync } from 'node:child_process';
import { lstatSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ENTRIES } from '../../cdk/package/entries.ts';
import { MUTANTS } from '../simulation/mutants/mutants.ts';
import { badComments } from './comments.ts';
import { unusedTypes } from './exported-types.ts';
import { firstLineProblem } from './first-line.ts';
import { importProblems } from './layers.ts';
import { lengthProblems } from './length.ts';
import { logProblems, needlessReasons } from './log-lines.ts';
import { LONG_FILES } from './long-files.ts';
import { mutantProblems, undeclaredNames } from './mutants.ts';
import { machinePathsOf, pathsOutside } from './outside.ts';
import { unsafeLookUps } from './records.ts';

const ROOT = join(import.meta.dirname, '../..');

const git = (...args: string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' });

/** A second working tree of a repository names the first one's `.git`. */
const machinePaths = machinePathsOf([
  ROOT,
  dirname(git('rev-parse', '--path-format=absolute', '--git-common-dir').trim()),
]);

/** Files of the index and new ones that git does not ignore. A link is not followed, and a deleted file is gone. */
const files = git('ls-files', '-z', '--cached', '--others', '--exclude-standard')
  .split('\0')
  .filter((file) => file !== '' && lstatSync(join(ROOT, file), { throwIfNoEntry: false })?.isFile());

const biome = spawnSync(join(ROOT, 'node_modules', '.bin', 'biome'), ['check', '--error-on-warnings', '.'], {
  cwd: ROOT,
  stdio: ['ignore', 'inherit', 'inherit'],
});

const outside = files.flatMap((file) => pathsOutside(file, readFileSync(join(ROOT, file), 'utf8'), machinePaths));
for (const { file, line, path } of outside) console.error(`${file}:${line}: ${path} lies outside of the repository`);
console.log(`${files.length} files looked at for paths outside of the repository, ${outside.length} found`);

const lookUps = files
  .filter((file) => /^(?:shared|functions)\/.*\.ts$/.test(file))
  .flatMap((file) => unsafeLookUps(file, readFileSync(join(ROOT, file), 'utf8')));
for (const { file, line, text } of lookUps)
  console.error(`${file}:${line}: ${text} finds what every object inherits; use ownValue (shared/domain/own.ts)`);
const code = files.filter((file) => /^(?:shared|functions|cdk|test\/local\/slack)\/.*\.ts$/.test(file));
const imports = importProblems(new Map(code.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')])));
for (const problem of imports) console.error(problem);
console.log(`${code.length} files looked at for imports against the layers, ${imports.length} found`);

const written = new Map(
  files
    .filter((file) => /\.(?:ts|js|mjs|py)$/.test(file))
    .map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]),
);
const functions = new Map([...written].filter(([file]) => /^functions\/.*\.ts$/.test(file)));
const logs = [...[...functions].flatMap(([file, text]) => logProblems(file, text)), ...needlessReasons(functions)];
for (const problem of logs) console.error(problem);
console.log(`${functions.size} files looked at for lines of logs without ids, ${logs.length} found`);
const unused = unusedTypes(written, Object.values(ENTRIES));
for (const problem of unused) console.error(problem);
const lengths = lengthProblems(written, LONG_FILES);
for (const problem of lengths) console.error(problem);
const firstLines = [...written].flatMap(([file, text]) => {
  const problem = firstLineProblem(text);
  return problem === undefined ? [] : [`${file}:1: ${problem}`];
});
for (const problem of firstLines) console.error(problem);
const comments = [...written]
  .filter(([file]) => !file.endsWith('.py'))
  .flatMap(([file, text]) => badComments(file, text));
for (const { file, line, why } of comments) console.error(`${file}:${line}: ${why}`);
const found = lengths.length + firstLines.length + comments.length;
console.log(`${written.size} files looked at for length, first line and comments, ${found} found`);
const misplaced = mutantProblems(MUTANTS, written);
const mutants = misplaced.length ? misplaced : undeclaredNames(MUTANTS, written);
for (const problem of mutants) console.error(problem);
console.log(`${MUTANTS.length} mutants put into their sources, ${mutants.length} do not fit there`);
process.exitCode = [outside, lookUps, imports, logs, unused, lengths, firstLines, comments, mutants].every(
  ({ length }) => length === 0,
)
  ? (biome.status ?? 1)
  : 1;
