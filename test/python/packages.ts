/** Names the virtual environments of the Python client and its adapters, and runs their suites. */
import { join, resolve } from 'node:path';
import { cacheDirectory } from '../../shared/dev/aws/cache.ts';
import { type PythonPackages, pythonWith } from '../../shared/dev/aws/python.ts';
import { run } from '../../shared/dev/aws/run.ts';
import { PACKAGES as MINISTACK } from '../../shared/dev/aws/start-ministack.ts';

const ROOT = resolve(import.meta.dirname, '../..');
export const CLIENT = join(ROOT, 'shared/client/python');
export const SUITES = import.meta.dirname;

/** The client's own needs, and the checkers of its types and style. */
const LIGHT: PythonPackages = {
  ...MINISTACK,
  name: 'PythonClient',
  requirements: join(import.meta.dirname, 'requirements.txt'),
};

/** The agent frameworks that have an adapter. */
const FRAMEWORKS: PythonPackages = {
  ...LIGHT,
  name: 'PythonFrameworks',
  requirements: join(import.meta.dirname, 'requirements-frameworks.txt'),
  lasts: 'a minute',
};

const python = (packages: PythonPackages): Promise<string> =>
  pythonWith(packages, cacheDirectory(), (line) => console.log(line));

export const lightPython = (): Promise<string> => python(LIGHT);
export const frameworksPython = (): Promise<string> => python(FRAMEWORKS);

/** The variables of a process of the client, besides the gate's own. */
const pythonEnvironment = (more: Readonly<Record<string, string>> = {}): Record<string, string | undefined> => ({
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  PYTHONPATH: CLIENT,
  MYPYPATH: CLIENT,
  MYPY_CACHE_DIR: join(cacheDirectory(), 'mypy'),
  PYTHONPYCACHEPREFIX: join(cacheDirectory(), 'bytecode'),
  PYTHONUNBUFFERED: '1',
  // An empty variable is none for the SDKs of JavaScript, and a profile without a name for boto3.
  ...Object.fromEntries(Object.entries(more).filter(([, value]) => value !== '')),
});

/** Runs a program of Python in the root of the repository, to its end or to the end of its time. */
export const runPython = (
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  timeoutMs = 50_000,
) => run(command, args, { cwd: ROOT, env: pythonEnvironment(env), signal: AbortSignal.timeout(timeoutMs) });
