// Finds a Python and installs MiniStack into a virtual environment of its own.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cachedDirectory } from './cache.ts';
import { EndpointUnavailable } from './errors.ts';
import { run } from './run.ts';

export const MINISTACK = join(import.meta.dirname, 'ministack');
const REQUIREMENTS = join(MINISTACK, 'requirements.txt');
const CANDIDATES = ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10', 'python'];
const PROBE = 'import sys; print(sys.version_info >= (3, 10), sys.version.split()[0]); import ensurepip, venv';
const INSTALL_PYTHON = process.platform === 'darwin' ? 'brew install python' : 'apt-get install python3 python3-venv';

interface Python {
  command: string;
  version: string;
}

/** @throws EndpointUnavailable if there is none, or one that cannot make virtual environments. */
export async function findPython(env: Record<string, string | undefined> = process.env): Promise<Python> {
  let withoutVenv = false;
  for (const command of env.COUNTERSIGN_PYTHON ? [env.COUNTERSIGN_PYTHON] : CANDIDATES) {
    const probe = await run(command, ['-c', PROBE], { env }).catch(() => undefined);
    const [, version] = /^True (\S+)/m.exec(probe?.output ?? '') ?? [];
    if (version && probe?.code === 0) return { command, version };
    withoutVenv ||= version !== undefined;
  }
  throw new EndpointUnavailable(
    withoutVenv
      ? "Python's venv module is not installed: apt-get install python3-venv"
      : `Python 3.10 or newer is not installed: ${INSTALL_PYTHON}`,
  );
}

/** The Python of the virtual environment that holds MiniStack; installs it the first time (seconds, needs a network). */
export async function ministackPython(
  cache: string,
  progress: (line: string) => void,
  env: Record<string, string | undefined> = process.env,
): Promise<string> {
  const python = await findPython(env);
  const digest = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 12);
  const name = `ministack-py${python.version}-${digest}`;
  const directory = await cachedDirectory(cache, name, async (partial) => {
    progress(`installing MiniStack into ${join(cache, name)} (once)`);
    await install(python, partial, join(cache, 'install.log'), env);
  });
  return join(directory, 'bin', 'python');
}

async function install(python: Python, directory: string, log: string, env: Record<string, string | undefined>) {
  // Bytecode is written when it is first used (PYTHONPYCACHEPREFIX), which is a fraction of what is installed.
  const steps: [string, string[]][] = [
    [python.command, ['-m', 'venv', directory]],
    [
      join(directory, 'bin', 'python'),
      ['-m', 'pip', 'install', '--no-compile', '--disable-pip-version-check', '--no-input', '-r', REQUIREMENTS],
    ],
  ];
  let output = '';
  for (const [command, args] of steps) {
    const step = await run(command, args, { env });
    output += `$ ${command} ${args.join(' ')}\n${step.output}\n`;
    await writeFile(log, output);
    if (step.code !== 0) {
      const reason = step.output.split('\n').findLast((line) => /error/i.test(line)) ?? step.output.slice(-300);
      throw new EndpointUnavailable(
        `MiniStack could not be installed (${reason.trim()}; all of it in ${log}). It needs a package index: pip download -r ${REQUIREMENTS}`,
      );
    }
  }
}
