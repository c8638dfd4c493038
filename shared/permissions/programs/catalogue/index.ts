/** Lists every program that the gate knows, by name: the one home of their facts. */
import type { ProgramRecord } from '../record/record.ts';
import { BUILD } from './build.ts';
import { BUILTINS } from './builtins.ts';
import { CLOUD } from './cloud.ts';
import { CODE_TOOLS } from './code-tools.ts';
import { COMPILERS } from './compilers.ts';
import { CONTAINERS } from './containers.ts';
import { DOCUMENTS } from './documents.ts';
import { EDITORS } from './editors.ts';
import { FILES } from './files.ts';
import { FORGES } from './forges.ts';
import { GIT } from './git.ts';
import { INFRASTRUCTURE } from './infrastructure.ts';
import { LANGUAGES } from './languages.ts';
import { MEDIA } from './media.ts';
import { NETWORK } from './network.ts';
import { PACKAGES } from './packages.ts';
import { PYTHON_TOOLS } from './python-tools.ts';
import { SEARCH } from './search.ts';
import { SECRETS } from './secrets.ts';
import { INTERPRETERS, SHELLS } from './shells.ts';
import { STORES } from './stores.ts';
import { SYSTEM_PACKAGES } from './system-packages.ts';
import { WRAPPERS } from './wrappers.ts';

export const PROGRAMS: readonly ProgramRecord[] = [
  BUILTINS,
  SHELLS,
  INTERPRETERS,
  WRAPPERS,
  FILES,
  SEARCH,
  GIT,
  FORGES,
  NETWORK,
  PACKAGES,
  SYSTEM_PACKAGES,
  BUILD,
  COMPILERS,
  LANGUAGES,
  PYTHON_TOOLS,
  CODE_TOOLS,
  CONTAINERS,
  INFRASTRUCTURE,
  CLOUD,
  STORES,
  SECRETS,
  MEDIA,
  DOCUMENTS,
  EDITORS,
].flat();

const BY_NAME: ReadonlyMap<string, ProgramRecord> = new Map(
  PROGRAMS.flatMap((record) => record.names.map((name) => [name, record] as const)),
);

/** The record of exactly this name: a built-in has neither a path nor a version. */
export const recordNamed = (name: string): ProgramRecord | undefined => BY_NAME.get(name);

/** Letters behind a version that name another build: `python3.13t`, `python3-dbg`. */
const BUILD_ENDS = ['-dbg', 't', 'd'] as const;

const MAY_END_VERSION = /[\d.-][tdbg]*$/;

/** `python3.12` is `python`. */
export function withoutVersion(name: string): string {
  if (!MAY_END_VERSION.test(name)) return name;
  const build = BUILD_ENDS.find((each) => name.endsWith(each) && isDigit(name.at(-each.length - 1)));
  let end = name.length - (build?.length ?? 0);
  while (end > 0 && '0123456789.-'.includes(name[end - 1] as string)) end--;
  return name.slice(0, end);
}

const isDigit = (char: string | undefined): boolean => char !== undefined && char >= '0' && char <= '9';

/** The record of a program by its base name, with or without a version. Undefined for a program that nobody has described. */
export function recordOf(name: string): ProgramRecord | undefined {
  const found = BY_NAME.get(name) ?? recordWithoutVersion(name);
  if (found !== undefined) return found;
  // Some disks find `sh` as `SH`, too. Where they do not, a program of that name is better taken for a shell than for any other.
  const lower = name.toLowerCase();
  const other = lower === name ? undefined : recordOf(lower);
  return other !== undefined && mayRunMore(other) ? other : undefined;
}

function recordWithoutVersion(name: string): ProgramRecord | undefined {
  const usual = withoutVersion(name);
  return usual === name ? undefined : BY_NAME.get(usual);
}

/** Whether the program runs code or other programs, or deletes files. */
const mayRunMore = ({ interpreter, runner, evaluates, execs, deletes, grant }: ProgramRecord): boolean =>
  interpreter !== undefined ||
  runner !== undefined ||
  evaluates === true ||
  execs !== undefined ||
  deletes === true ||
  grant === 'never';

const LOCAL: ReadonlySet<ProgramRecord> = new Set([BUILTINS, FILES, SEARCH, GIT].flat());

/** Whether the program looks at this machine only: nothing that it reads comes from a network or a service. */
export const isLocal = (record: ProgramRecord): boolean => LOCAL.has(record);
