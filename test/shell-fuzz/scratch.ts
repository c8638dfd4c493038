/** Makes the scratch folder of texts: stub programs, a project, a home; and tells what changed there. */
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The paths that texts and policies name; a run puts the scratch folder's in their stead. */
export const PROJECT = '/workspace/app';
/** The folder around the project. */
const OUTSIDE = '/workspace';
export const HOME = '/home/agent';

/** The account that runs the texts if the tests run as root: it may write nothing but the scratch folder. */
export const NOBODY = 65_534;
export const isRoot = process.getuid?.() === 0;

/** The content of a file that a text may read: one word for each file, so that wherever it turns up it names the file. */
const token = (path: string) => `content-of-${path.replaceAll('/', '-').replaceAll('.', '_')}`;

const GIT_CONFIG = '[core]\n\trepositoryformatversion = 0\n';

const WITH_TOKEN = [
  `${PROJECT}/.env`,
  `${PROJECT}/.env.local`,
  `${PROJECT}/.npmrc`,
  `${PROJECT}/.vscode/settings.json`,
  `${PROJECT}/.git/hooks/pre-commit`,
  `${PROJECT}/conf/secrets/key`,
  `${PROJECT}/conf/infra/main.tf`,
  `${HOME}/.ssh/id_rsa`,
  `${HOME}/.ssh/id_ecdsa`,
  `${HOME}/.bashrc`,
  `${HOME}/.aws/credentials`,
];

const PLAIN: Readonly<Record<string, string>> = {
  [`${PROJECT}/README.md`]: 'readme\n',
  [`${PROJECT}/x`]: 'x\n',
  [`${PROJECT}/y.txt`]: 'y\n',
  [`${PROJECT}/x.tar`]: 'tar\n',
  [`${PROJECT}/package.json`]: '{}\n',
  [`${PROJECT}/src/index.ts`]: 'index\n',
  // Data that a text may read to make words of; a path that data names is out of sight of every reading.
  [`${PROJECT}/src/flag`]: '-exec\n',
  [`${PROJECT}/src/name`]: 'x\n',
  [`${PROJECT}/src/program`]: './src/e.sh\n',
  [`${PROJECT}/build/out.txt`]: 'out\n',
  [`${PROJECT}/.git/HEAD`]: 'ref: refs/heads/main\n',
  [`${PROJECT}/.git/config`]: GIT_CONFIG,
  [`${PROJECT}/.git/objects/readme`]: '',
  [`${PROJECT}/.git/refs/readme`]: '',
  [`${HOME}/notes.txt`]: 'notes\n',
};

const FILES: ReadonlyMap<string, string> = new Map([
  ...WITH_TOKEN.map((path): [string, string] => [path, `${token(path)}\n`]),
  ...Object.entries(PLAIN),
]);

/** Scripts of the project that no rule allows. */
const MARKERS = [`${PROJECT}/src/e.sh`, `${PROJECT}/build.sh`];

export interface Scratch {
  /** The folder that stands for `/`. */
  readonly root: string;
  readonly log: string;
  readonly tools: string;
  /** Where the output of a run goes: not beside the files that are compared. */
  readonly outputs: string;
  /** Puts the scratch folder's own paths into a text, or back. */
  real(text: string): string;
  named(text: string): string;
  /** The files that appeared, changed or went since the last call, by the names that texts use; the folder is whole again afterwards. */
  changes(): readonly string[];
  remove(): void;
}

export function makeScratch(programs: readonly string[], stub: (log: string, tools: string) => string): Scratch {
  const root = mkdtempSync(join(tmpdir(), 'shell-fuzz-'));
  const [log, tools, work] = [join(root, 'log'), join(root, 'tools'), join(root, 'w')];
  const real = (path: string) =>
    path.replaceAll(PROJECT, join(work, 'app')).replaceAll(HOME, join(work, 'agent')).replaceAll(OUTSIDE, work);
  const named = (path: string) =>
    path
      .replaceAll(join(work, 'app'), PROJECT)
      .replaceAll(join(work, 'agent'), HOME)
      .replaceAll(`${tools}/`, '')
      .replaceAll(work, OUTSIDE);
  mkdirSync(tools);
  const script = stub(log, tools);
  const first = join(tools, programs[0] ?? 'evil');
  writeFileSync(first, script, { mode: 0o755 });
  for (const program of programs.slice(1)) linkSync(first, join(tools, program));
  const write = (path: string, text: string, mode = 0o644) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode });
    own(path);
  };
  for (const [path, text] of FILES) write(real(path), text);
  for (const path of MARKERS) write(real(path), script, 0o755);
  write(log, '');
  const outputs = join(root, 'out');
  mkdirSync(outputs);
  for (const path of [root, work, outputs, ...foldersBelow(work)]) own(path);
  let before = snapshot(work);

  const changes = (): readonly string[] => {
    const after = snapshot(work);
    const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
      (path) => before.get(path) !== after.get(path),
    );
    if (changed.length === 0) return [];
    for (const path of changed) {
      const text = FILES.get(named(path));
      rmSync(path, { recursive: true, force: true });
      if (MARKERS.includes(named(path))) write(path, script, 0o755);
      else if (text !== undefined) write(path, text);
    }
    before = snapshot(work);
    return changed.map(named);
  };
  return {
    root,
    log,
    tools,
    outputs,
    real,
    named,
    changes,
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** The text with the paths of the scratch folder: `/usr/bin/rm` is the stub there. */
export function realText(scratch: Scratch, text: string): string {
  return scratch.real(text).replaceAll('/usr/bin/', `${scratch.tools}/`).replaceAll('/bin/', `${scratch.tools}/`);
}

/** The files whose content stands in a text. */
export function contentsIn(text: string): readonly string[] {
  return text.includes('content-of-') ? WITH_TOKEN.filter((path) => text.includes(token(path))) : [];
}

function own(path: string): void {
  if (isRoot) chownSync(path, NOBODY, NOBODY);
  else if (lstatSync(path).isDirectory()) chmodSync(path, 0o755);
}

function foldersBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
}

function snapshot(folder: string): Map<string, string> {
  const seen = new Map<string, string>();
  const look = (path: string) => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const below = join(path, entry.name);
      if (entry.isDirectory()) look(below);
      else {
        const { ino, size, mtimeMs, mode } = lstatSync(below);
        seen.set(below, `${ino} ${size} ${mtimeMs} ${mode}`);
      }
    }
  };
  look(folder);
  return seen;
}

/** Takes the lines that the stubs wrote since the last call. */
export function takeLog(scratch: Scratch): string {
  const text = readFileSync(scratch.log, 'utf8');
  if (text !== '') writeFileSync(scratch.log, '');
  return text;
}
