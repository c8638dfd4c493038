/** Packs the package from a copy of this tree, and installs it into an empty project. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundleFunctions } from '../../../cdk/bundle.ts';
import { FRAMES_FOLDER } from '../../../cdk/package/frames-archive.ts';

const exec = promisify(execFile);
export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** An option of Node: a process that parses one shell command would end no sooner than its lexer is compiled anew, a second later. */
export const UNOPTIMISED = '--liftoff-only';
/** The compiler in one thread: others are at work beside it, and each checker checks for itself what files have in common. */
export const TSC = [join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), '--singleThreaded'] as const;
/** A file for each bundle, which the build puts there anew with it. */
const BUNDLES = join('.cache', 'bundles');

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Where the package is installed, and what was packed. */
export interface Installed {
  readonly folder: string;
  readonly tarball: string;
  /** Bytes. */
  readonly packed: number;
  readonly unpacked: number;
  /** Seconds that packing (with the build) and installing took. */
  readonly seconds: { readonly pack: number; readonly install: number };
  readonly files: readonly string[];
  /** Functions that were bundled once more for the package, though bundles of the same sources were there. */
  readonly bundledAgain: readonly string[];
}

/** Nothing of the npm run that started this test, and this Node first on the path. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|NODE_OPTIONS|VITEST|NODE_ENV|COUNTERSIGN_)/.test(name),
  );
  const path = [dirname(process.execPath), process.env['PATH']].join(delimiter);
  // `test/cdk` validates the template.
  return { ...Object.fromEntries(kept), PATH: path, NO_COLOR: '1', CDK_VALIDATION: 'false' };
}

/** Runs a program in a folder; a failure is in what it returns. */
export async function run(cwd: string, command: string, argv: readonly string[]): Promise<Ran> {
  try {
    const { stdout, stderr } = await exec(command, [...argv], { cwd, env: environment(), maxBuffer: 64 << 20 });
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: number; stdout?: string; stderr?: string };
    return { code: typeof code === 'number' ? code : 1, out: stdout, err: stderr || String(error) };
  }
}

async function must(cwd: string, command: string, ...argv: readonly string[]): Promise<string> {
  const ran = await run(cwd, command, argv);
  if (ran.code !== 0) throw new Error(`${command} ${argv.join(' ')}: ${ran.err}\n${ran.out}`);
  return ran.out;
}

async function timed<Value>(work: () => Promise<Value>): Promise<[Value, number]> {
  const began = performance.now();
  const value = await work();
  return [value, (performance.now() - began) / 1000];
}

/** A copy, so that building does not pull `dist/` away under whoever runs it here. */
async function copyOfTree(to: string): Promise<string> {
  mkdirSync(to);
  const listed = await must(ROOT, 'git', 'ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate');
  for (const file of listed.split('\n').filter(Boolean)) {
    try {
      cpSync(join(ROOT, file), join(to, file));
    } catch (error) {
      // Deleted, and not yet committed.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  symlinkSync(join(ROOT, 'node_modules'), join(to, 'node_modules'), 'dir');
  // Bundles of exactly these sources need not be made again, which the build finds.
  await bundleFunctions(ROOT);
  for (const folder of [join('dist', 'functions'), join('dist', FRAMES_FOLDER), BUNDLES])
    cpSync(join(ROOT, folder), join(to, folder), { recursive: true });
  return to;
}

/** The bundles that the tree remembers, by the inodes of their files. */
const bundlesIn = (tree: string): ReadonlyMap<string, number> =>
  new Map(readdirSync(join(tree, BUNDLES)).map((name) => [name, statSync(join(tree, BUNDLES, name)).ino]));

/** Packs (which builds), and installs the tarball. */
export async function installedProject(): Promise<{ readonly installed: Installed; readonly remove: () => void }> {
  const base = mkdtempSync(join(tmpdir(), 'countersign-package-'));
  const folder = join(base, 'project');
  mkdirSync(folder);
  const tree = await copyOfTree(join(base, 'tree'));
  const bundled = bundlesIn(tree);
  const [printed, pack] = await timed(() =>
    must(tree, 'npm', 'pack', '--json', '--silent', '--pack-destination', base),
  );
  const [packed] = JSON.parse(printed.slice(printed.indexOf('[\n'))) as [
    { filename: string; size: number; unpackedSize: number; files: { path: string }[] },
  ];
  const tarball = join(base, packed.filename);
  writeFileSync(join(folder, 'package.json'), '{"name":"consumer","private":true,"type":"module"}\n');
  const [, install] = await timed(() =>
    must(folder, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', tarball),
  );
  // Peers that a consumer brings; linked, because they are large and already here.
  for (const peer of ['aws-cdk', 'aws-cdk-lib', 'constructs', '@types']) {
    const link = join(folder, 'node_modules', peer);
    rmSync(link, { recursive: true, force: true });
    symlinkSync(join(ROOT, 'node_modules', peer), link, 'dir');
  }
  const files = packed.files.map(({ path }) => path);
  const bundledAgain = [...bundlesIn(tree)]
    .filter(([name, inode]) => bundled.get(name) !== inode)
    .map(([name]) => name);
  return {
    installed: {
      folder,
      tarball,
      packed: packed.size,
      unpacked: packed.unpackedSize,
      seconds: { pack, install },
      files,
      bundledAgain,
    },
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}
