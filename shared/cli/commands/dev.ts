/** `countersign dev`: a gate on this machine, for an agent and a policy file that are being written. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { CliError, EXIT, type Io } from '../support/io.ts';
import { portOf } from '../support/port.ts';
import { DEFAULT_POLICY } from '../support/settings.ts';
import { plain } from '../support/terminal.ts';
import { type DeployedRun, runDeployed } from './dev-deployed.ts';
import { clock, introduction, orPortInUse, reloader } from './dev-text.ts';

interface DevOptions {
  readonly policy?: string;
  readonly app?: string;
  readonly memory?: true;
  readonly port: string;
}

/** The same address each time, unless it is in use. */
const PAGE_PORT = '7475';
const ENV_FOLDER = '.countersign-dev';

export function addDev(program: Command, io: Io): void {
  program
    .command('dev')
    .summary('run a gate on this machine, to try a policy file, an agent or a CDK app')
    .description(
      'Deploys the default stack for the policy file to a local AWS endpoint, with a local Slack in the browser where you answer as any ' +
        'person of the file. With --app the gate of your CDK app is deployed instead; with --memory the gate runs in this process. A changed ' +
        'policy file takes effect by itself. Needs neither AWS, nor Slack, nor Docker. Ctrl-C ends it, and nothing of it is left.',
    )
    .option('--policy <file>', `default: COUNTERSIGN_POLICY, else ${DEFAULT_POLICY}`)
    .option('--app <command>', 'runs your CDK app, as in cdk.json: its gate is deployed instead of the default stack')
    .option('--memory', 'keep the gate in the memory of this process: needs no Python and no CDK')
    .option('--port <number>', 'of the page where people answer; 0 takes any that is free', PAGE_PORT)
    .addHelpText(
      'after',
      `
Each agent, operator and auditor has a file of environment variables in
${ENV_FOLDER}/ while this runs. In another terminal:
  source ${ENV_FOLDER}/my-agent.env && node agent.mjs
  source ${ENV_FOLDER}/operators/oncall.env && countersign status
CountersignClient.fromEnvironment() and the Python client need nothing else.
AWS's own tools accept the files, and each as a profile:
  source ${ENV_FOLDER}/my-agent.env
  aws sts get-caller-identity --profile operators/oncall

The endpoint needs Python 3.10 or newer with venv, and Node 24. MiniStack is
installed once into a cache, and so is the CDK where your project has none.
An app of your own needs aws-cdk beside aws-cdk-lib in your project:
  countersign dev --app 'npx tsx infra/app.ts'

With --memory the page is there in a second. Agents alone have files; the gate
reaches no hook and no model, which counts as a failure of theirs, runs no
targets, and answers no command of operators and auditors.`,
    )
    .action(async (options: DevOptions) => {
      const port = portOf(options.port);
      const file = options.policy ?? io.env['COUNTERSIGN_POLICY'] ?? DEFAULT_POLICY;
      const { readDocument } = await import('../support/policy-file.ts');
      const document = readDocument(file, io);
      if (!Object.keys(document.policy.agents).length)
        throw new CliError(`${file} declares no agent: add one under agents, with its owner`, EXIT.error);
      const envFolder = resolve(io.cwd, ENV_FOLDER);
      const { app, memory } = options;
      if (app !== undefined && memory)
        throw new CliError('--memory: is given beside --app, which needs an endpoint', EXIT.usage);
      const read = () => readDocument(file, io);
      const run = { file, document, read, port, envFolder, io };
      return memory ? runInMemory(run) : runDeployed({ ...run, app });
    });
}

async function runInMemory({ file, document, read, port, envFolder, io }: Omit<DeployedRun, 'app'>): Promise<void> {
  const { leftOut, startDevGate, watchOneFile } = await import('../../dev/index.ts');
  const tell = (line: string) => io.out(`${clock(io.now())}  ${plain(line)}\n`);
  const gate = await startDevGate({ document, port, envFolder, tell }).catch(orPortInUse(port));
  const reload = reloader(document, read, gate, { file, io, tell });
  const unwatch = watchOneFile(resolve(io.cwd, file), reload);
  try {
    const files = gate.agents().map((name) => `${ENV_FOLDER}/${name}.env`);
    const whom = 'Make a shell one of its agents, and start your program there:';
    io.out(introduction({ by: `${plain(file)}, in memory`, page: gate.page, whom, files }, io));
    for (const part of leftOut(document.policy)) tell(`not asked and not run by a gate in memory: ${part}`);
    await (io.untilStopped?.() ?? new Promise<never>(() => undefined));
  } finally {
    unwatch();
    await gate.stop();
  }
}
