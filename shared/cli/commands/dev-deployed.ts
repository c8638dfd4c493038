/** `countersign dev`: the default stack, or the gate of a CDK app, on a local AWS endpoint. */
import { relative, resolve } from 'node:path';
import type { PolicyDocument } from '../../config/document.ts';
import { CliError, type Io } from '../support/io.ts';
import { plain } from '../support/terminal.ts';
import { clock, introduction, orPortInUse } from './dev-text.ts';

export interface DeployedRun {
  /** The command that runs an app of one's own; undefined for the default stack. */
  readonly app: string | undefined;
  /** The policy file, as it was named. */
  readonly file: string;
  readonly document: PolicyDocument;
  /** Reads the policy file again. @throws CliError with one line per problem */
  readonly read: () => PolicyDocument;
  readonly port: number;
  readonly envFolder: string;
  readonly io: Io;
}

const WHOM = "Make a shell an agent, an operator or an auditor; AWS's own tools work there, too:";

/** Until it is stopped. */
export async function runDeployed({ app, file, document, read, port, envFolder, io }: DeployedRun): Promise<void> {
  const { EndpointError, EndpointUnavailable, isOpen, leftOut, reachedOutside, startDeployedGate, watchOneFile } =
    await import('../../dev/index.ts');
  const stopping = new AbortController();
  const stopped = (io.untilStopped?.() ?? new Promise<never>(() => undefined)).then(() => stopping.abort());
  const tell = (line: string) => io.out(`${clock(io.now())}  ${plain(line)}\n`);
  const { signal } = stopping;
  const gate = await startDeployedGate({
    document,
    policyFile: resolve(io.cwd, file),
    app,
    cwd: io.cwd,
    env: io.env,
    port,
    envFolder,
    tell,
    signal,
  })
    .catch((error: unknown) => {
      if (signal.aborted) return undefined;
      if (!(error instanceof EndpointError)) throw error;
      const way = '; or run the gate without an endpoint: countersign dev --memory';
      throw new CliError(`${error.message}${error instanceof EndpointUnavailable ? way : ''}`);
    })
    .catch(orPortInUse(port));
  if (!gate) return;
  const folder = relative(io.cwd, envFolder);
  const changes = oneAtATime(changer(document.policyVersion, read, gate, { file, folder, io, tell, signal }));
  const unwatch = watchOneFile(resolve(io.cwd, file), changes);
  try {
    const shown = { by: `${plain(file)}, deployed to ${gate.endpoint}`, page: gate.page, whom: WHOM };
    io.out(introduction({ ...shown, files: gate.files().map((name) => `${folder}/${name}`) }, io));
    if (gate.policyVersion !== document.policyVersion)
      tell(`the app deploys another policy than ${file}: name the file that it reads with --policy`);
    if (gate.leftOut.length) tell(`left out, because the endpoint has none of the kind: ${gate.leftOut.join(', ')}`);
    for (const part of leftOut(document.policy, isOpen))
      tell(`fails until what it needs is made at the endpoint: ${part}`);
    for (const part of reachedOutside(document.policy))
      tell(`is really called once allowed, for it wants no secret: ${part}`);
    // The file may have changed since it was read.
    changes();
    await stopped;
  } finally {
    unwatch();
    await gate.stop();
  }
}

interface ChangedGate {
  files(): readonly string[];
  redeploy(document: PolicyDocument): Promise<void>;
}

interface Telling {
  readonly file: string;
  /** The folder of the env files. */
  readonly folder: string;
  readonly io: Pick<Io, 'err'>;
  readonly tell: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Deploys a changed policy file. One with a mistake is told, and the gate goes on by the file of before. */
export function changer(
  first: string,
  read: () => PolicyDocument,
  gate: ChangedGate,
  { file, folder, io, tell, signal }: Telling,
): () => Promise<void> {
  let version = first;
  return async () => {
    try {
      const document = read();
      if (document.policyVersion === version) return;
      tell(`${file} has changed: deploying it`);
      const before = gate.files();
      await gate.redeploy(document);
      version = document.policyVersion;
      tell(`${file} is deployed`);
      for (const each of gate.files()) if (!before.includes(each)) tell(`new: source ${folder}/${each}`);
    } catch (error) {
      if (signal.aborted) return;
      const lines = (error instanceof Error ? error.message : String(error)).split('\n');
      for (const line of lines) io.err(`countersign: ${plain(line)}\n`);
      io.err('countersign: the gate goes on by the policy file of before\n');
    }
  };
}

/** Changes during a deployment are one more deployment after it. */
function oneAtATime(work: () => Promise<void>): () => void {
  let state: 'idle' | 'busy' | 'again' = 'idle';
  const run = async (): Promise<void> => {
    do {
      state = 'busy';
      await work();
    } while ((state as string) === 'again');
    state = 'idle';
  };
  return () => {
    if (state === 'idle') void run();
    else state = 'again';
  };
}
