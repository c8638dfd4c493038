/** Writes a file of environment variables for each actor, with AWS profiles, and removes all of it. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Variables by name; a variable without a value is unset, for an empty `AWS_PROFILE` breaks AWS's own tools. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The text of a file for `source`; Node reads it with `--env-file`, too. */
export function envFileText(variables: Variables): string {
  const lines = Object.entries(variables).map(([name, value]) =>
    value === undefined || value === '' ? `unset ${name}` : `export ${name}='${value.replaceAll("'", "'\\''")}'`,
  );
  return `${lines.join('\n')}\n`;
}

/** The folder of env files of one run. */
export interface EnvFolder {
  readonly path: string;
  /**
   * Writes the files of these names, which may name folders below, and removes every other. Each name is a profile of AWS's own tools as well, which
   * every env file lets them find.
   */
  write(files: Readonly<Record<string, Variables>>): void;
  remove(): void;
}

const PID_FILE = 'pid';
const PROFILES = 'aws';

/**
 * Makes the folder, readable to its owner alone. The folder of a run that was killed is taken over.
 *
 * @throws Error if another run has the folder, or if the folder is not one of a run
 */
export function makeEnvFolder(path: string, isRunning: (pid: number) => boolean = isAlive): EnvFolder {
  const make = () => {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    writeFileSync(join(path, PID_FILE), `${process.pid}\n`);
    // The keys in it open nothing but this run; they are of no use to a repository either.
    writeFileSync(join(path, '.gitignore'), '*\n');
  };
  if (existsSync(path)) {
    const pid = pidIn(path);
    if (pid === undefined) throw new Error(`${path} is no folder of countersign dev: move it away`);
    if (isRunning(pid))
      throw new Error(`countersign dev runs here already (process ${pid}): end it, or remove ${path}`);
    rmSync(path, { recursive: true });
  }
  make();
  let names: readonly string[] = [];
  return {
    path,
    write(files) {
      for (const name of names) if (!Object.hasOwn(files, name)) rmSync(join(path, `${name}.env`), { force: true });
      names = Object.keys(files);
      const put = (file: string, text: string) => {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        writeFileSync(file, text, { mode: 0o600 });
      };
      const [config, credentials] = [join(path, PROFILES, 'config'), join(path, PROFILES, 'credentials')];
      put(config, profilesText(files, 'profile ', CONFIG));
      put(credentials, profilesText(files, '', CREDENTIALS));
      // Profiles of this machine's own files are out of reach there: no request to the gate of a trial is signed with real keys.
      const found = { AWS_CONFIG_FILE: config, AWS_SHARED_CREDENTIALS_FILE: credentials };
      for (const [name, variables] of Object.entries(files))
        put(join(path, `${name}.env`), envFileText({ ...variables, ...found }));
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** Settings of a profile, by the variable that holds the same. */
const CONFIG = { region: 'AWS_REGION', endpoint_url: 'AWS_ENDPOINT_URL', ca_bundle: 'AWS_CA_BUNDLE' } as const;
const CREDENTIALS = {
  aws_access_key_id: 'AWS_ACCESS_KEY_ID',
  aws_secret_access_key: 'AWS_SECRET_ACCESS_KEY',
  aws_session_token: 'AWS_SESSION_TOKEN',
} as const;

/** Profiles in the form of AWS's `config`, where their names have a prefix, or of its `credentials`. */
function profilesText(
  files: Readonly<Record<string, Variables>>,
  prefix: string,
  settings: Readonly<Record<string, string>>,
): string {
  const profiles = Object.entries(files).map(([name, variables]) => {
    const lines = Object.entries(settings).flatMap(([key, variable]) =>
      variables[variable] ? [`${key} = ${variables[variable]}`] : [],
    );
    return [`[${prefix}${name}]`, ...lines, ''].join('\n');
  });
  return profiles.join('\n');
}

function pidIn(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(path, PID_FILE), 'utf8'));
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process of another user runs.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
