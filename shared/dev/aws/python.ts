// Finds a Python and installs an endpoint's packages into a virtual environment of its own.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { cachedDirectory, isCached } from './cache.ts';
import { EndpointUnavailable } from './errors.ts';
import { type RunOptions, run } from './run.ts';

const SYSTEM = '/usr/bin';

type Env = Record<string, string | undefined>;

/** Packages to install, and the Pythons that they run on. */
export interface PythonPackages {
  /** As people call it, for messages. */
  readonly name: string;
  readonly requirements: string;
  /** A Python expression over `v`, which is `sys.version_info`. */
  readonly accepts: string;
  /** The same in words. */
  readonly versions: string;
  readonly commands: readonly string[];
  /** The one command that installs such a Python here. */
  readonly missing: string;
  /** Where it does not come as packages built already, how long people wait. */
  readonly lasts: string;
}

interface Python {
  command: string;
  version: string;
}

/**
 * The interpreter of the virtual environment that holds the packages; installs them the first time.
 * @throws EndpointUnavailable without a Python that fits, or if none of them installs the packages
 */
export async function pythonWith(
  packages: PythonPackages,
  cache: string,
  progress: (line: string) => void,
  env: Env = process.env,
  signal?: AbortSignal,
): Promise<string> {
  const digest = createHash('sha256').update(readFileSync(packages.requirements)).digest('hex').slice(0, 12);
  const nameFor = ({ version }: Python) => `${packages.name.toLowerCase()}-py${version}-${digest}`;
  const fitting: Python[] = [];
  for await (const python of fittingPythons(packages, env)) {
    const name = nameFor(python);
    if (isCached(cache, name)) return interpreterIn(join(cache, name));
    // One version counts once, under whichever of its names.
    if (!fitting.some(({ version }) => version === python.version)) fitting.push(python);
  }
  let failure: unknown;
  for (const python of fitting) {
    const name = nameFor(python);
    try {
      const directory = await cachedDirectory(cache, name, async (partial) => {
        progress(`installing ${packages.name} into ${join(cache, name)} (once, ${packages.lasts})`);
        await install(packages, python, partial, join(cache, 'install.log'), { env, ...(signal ? { signal } : {}) });
      });
      return interpreterIn(directory);
    } catch (error) {
      signal?.throwIfAborted();
      // A package may be missing for one Python alone, as for one that is newer than it.
      if (python !== fitting.at(-1)) progress(`${(error as Error).message}; trying another Python`);
      failure = error;
    }
  }
  throw failure;
}

const interpreterIn = (directory: string): string => join(directory, 'bin', 'python');

/** @throws EndpointUnavailable if there is none, or one that cannot make virtual environments. */
export async function findPython(packages: PythonPackages, env: Env): Promise<Python> {
  const first = await fittingPythons(packages, env).next();
  // Without one it has thrown.
  return first.value as Python;
}

/** The best one first. Throws where it ends without any. */
async function* fittingPythons({ accepts, versions, commands, missing }: PythonPackages, env: Env) {
  const probe = `import sys; v = sys.version_info; print(${accepts}, sys.version.split()[0]); import ensurepip, venv`;
  let withoutVenv = false;
  let hasFound = false;
  for (const command of env['COUNTERSIGN_PYTHON'] ? [env['COUNTERSIGN_PYTHON']] : await candidates(commands, env)) {
    const found = await run(command, ['-c', probe], { env }).catch(() => undefined);
    const [, version] = /^True (\S+)/m.exec(found?.output ?? '') ?? [];
    if (version && found?.code === 0) {
      hasFound = true;
      yield { command, version } satisfies Python;
    }
    withoutVenv ||= version !== undefined;
  }
  if (hasFound) return;
  throw new EndpointUnavailable(
    withoutVenv
      ? "Python's venv module is not installed: apt-get install python3-venv"
      : `Python ${versions} is not installed: ${missing}`,
  );
}

/**
 * The distribution's own, those on the path, and those that pyenv keeps beside it. A distribution builds Python with the compiler's profile;
 * pyenv does not unless it is told to, and the same requests take half as long again.
 */
async function candidates(commands: readonly string[], env: Env): Promise<string[]> {
  // On macOS the system's opens a window where no developer tools are installed.
  const isOnPath = process.platform === 'linux' && env['PATH']?.split(delimiter).includes(SYSTEM);
  const pyenvVersions = join(env['PYENV_ROOT'] ?? join(env['HOME'] ?? '', '.pyenv'), 'versions');
  const versions = await readdir(pyenvVersions).catch(() => []);
  return [
    ...(isOnPath ? commands.map((command) => join(SYSTEM, command)) : []),
    ...commands,
    ...versions
      .toSorted()
      .reverse()
      .map((version) => join(pyenvVersions, version, 'bin', 'python')),
  ];
}

async function install(packages: PythonPackages, python: Python, directory: string, log: string, options: RunOptions) {
  const { name, requirements } = packages;
  // Bytecode is written when it is first used (PYTHONPYCACHEPREFIX), which is a fraction of what is installed.
  const steps: [string, string[]][] = [
    [python.command, ['-m', 'venv', directory]],
    [
      join(directory, 'bin', 'python'),
      ['-m', 'pip', 'install', '--no-compile', '--disable-pip-version-check', '--no-input', '-r', requirements],
    ],
  ];
  let output = '';
  for (const [command, args] of steps) {
    const step = await run(command, args, options);
    output += `$ ${command} ${args.join(' ')}\n${step.output}\n`;
    await writeFile(log, output);
    if (step.code !== 0) {
      const reason = step.output.split('\n').findLast((line) => /error/i.test(line)) ?? step.output.slice(-300);
      throw new EndpointUnavailable(
        `${name} could not be installed (${reason.trim()}; all of it in ${log}). It needs a package index: pip download -r ${requirements}. COUNTERSIGN_PYTHON takes another Python than ${python.command}`,
      );
    }
  }
}
