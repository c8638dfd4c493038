/** `countersign dev`: a gate on this machine, for an agent and a policy file that are being written. */
import { relative, resolve } from 'node:path';
import type { Command } from 'commander';
import type { PolicyDocument } from '../../config/document.ts';
import { bold, CliError, EXIT, type Io } from '../support/io.ts';
import { DEFAULT_POLICY } from '../support/settings.ts';
import { plain } from '../support/terminal.ts';

interface DevOptions {
  readonly policy?: string;
  readonly port: string;
}

/** The same address each time, unless it is in use. */
const PAGE_PORT = '7475';
const ENV_FOLDER = '.countersign-dev';

export function addDev(program: Command, io: Io): void {
  program
    .command('dev')
    .summary('a gate on this machine, to try a policy file and an agent')
    .description(
      'Runs the gate in memory, with a local Slack in the browser where you answer as any person of the policy file, and an ' +
        'endpoint on loopback that agents reach with their usual client. The policy file is read again when it changes. ' +
        'Needs neither AWS, nor Slack, nor Docker. Ctrl-C ends it, and nothing of it is left.',
    )
    .option('--policy <file>', `default: COUNTERSIGN_POLICY, else ${DEFAULT_POLICY}`)
    .option('--memory', 'keep the gate in the memory of this process: the default')
    .option('--port <number>', 'of the page where people answer; 0 takes any that is free', PAGE_PORT)
    .addHelpText(
      'after',
      `
Each agent of the policy file has a file of environment variables in
${ENV_FOLDER}/ while this runs. In another terminal:
  source ${ENV_FOLDER}/my-agent.env && node agent.mjs
CountersignClient.fromEnvironment() and the Python client need nothing else.

In memory the gate reaches no hook and no model, which counts as a failure of
theirs; it runs no targets, and answers no command of operators and auditors.
This terminal shows what was decided.`,
    )
    .action(async (options: DevOptions) => {
      const port = portOf(options.port);
      const file = options.policy ?? io.env['COUNTERSIGN_POLICY'] ?? DEFAULT_POLICY;
      const { readDocument } = await import('../support/policy-file.ts');
      const document = readDocument(file, io);
      if (!Object.keys(document.policy.agents).length)
        throw new CliError(`${file} declares no agent: add one under agents, with its owner`, EXIT.error);
      const { leftOut, startDevGate, watchOneFile } = await import('../../dev/index.ts');
      const tell = (line: string) => io.out(`${clock(io.now())}  ${plain(line)}\n`);
      const envFolder = resolve(io.cwd, ENV_FOLDER);
      const gate = await startDevGate({ document, port, envFolder, tell }).catch((error: unknown) => {
        throw isInUse(error)
          ? new CliError(`--port: port ${port} is in use; end what listens there, or give another: --port 0 takes any`)
          : error;
      });
      const reload = reloader(document, () => readDocument(file, io), gate, { file, io, tell });
      const unwatch = watchOneFile(resolve(io.cwd, file), reload);
      try {
        io.out(introduction(file, relative(io.cwd, envFolder), gate, io));
        for (const part of leftOut(document.policy)) tell(`not asked and not run by a gate in memory: ${part}`);
        await (io.untilStopped?.() ?? new Promise<never>(() => undefined));
      } finally {
        unwatch();
        await gate.stop();
      }
    });
}

/** The parts of a gate that the words need. */
interface ShownGate {
  readonly page: string;
  agents(): readonly string[];
}

function introduction(file: string, folder: string, { page, agents }: ShownGate, io: Io): string {
  const lines = agents().map((name) => `  source ${folder}/${name}.env`);
  return `${bold('The gate runs', io)} by ${plain(file)}, in memory.

Answer as any person of the policy file at
  ${page}
  ${page}/side-by-side   several people in one window

Make a shell one of its agents, and start your program there:
${lines.join('\n')}

Ctrl-C ends it. Proposals and decisions:
`;
}

/** Reads the policy file again. A file with a mistake is told, and the gate goes on by the file of before. */
export function reloader(
  first: PolicyDocument,
  read: () => PolicyDocument,
  gate: { agents(): readonly string[]; usePolicy(document: PolicyDocument): void },
  { file, io, tell }: { readonly file: string; readonly io: Pick<Io, 'err'>; readonly tell: (line: string) => void },
): () => void {
  let version = first.policyVersion;
  return () => {
    try {
      const document = read();
      if (document.policyVersion === version) return;
      gate.usePolicy(document);
      version = document.policyVersion;
      tell(`${file} was read again; agents: ${gate.agents().join(', ')}`);
    } catch (error) {
      const lines = (error instanceof Error ? error.message : String(error)).split('\n');
      for (const line of lines) io.err(`countersign: ${plain(line)}\n`);
      io.err('countersign: the gate goes on by the policy file of before\n');
    }
  };
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new CliError(`--port ${plain(text)} is no port: give a number from 0 to 65535`, EXIT.usage);
}

const isInUse = (error: unknown): boolean => (error as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE';

/** The local time of day. */
const clock = (now: number): string => new Date(now).toTimeString().slice(0, 8);
