/** `countersign dev`: a gate on this machine, for an agent and a policy file that are being written. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { CliError, EXIT, type Io } from '../support/io.ts';
import { DEFAULT_POLICY } from '../support/settings.ts';
import { plain } from '../support/terminal.ts';
import { runApp } from './dev-app.ts';
import { clock, introduction, orPortInUse, reloader } from './dev-words.ts';

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
    .summary('a gate on this machine, to try a policy file, an agent and a CDK app')
    .description(
      'Runs the gate in memory, with a local Slack in the browser where you answer as any person of the policy file, and an ' +
        'endpoint on loopback that agents reach with their usual client. With --app it deploys the gate of your CDK app to a ' +
        'local AWS endpoint instead. The policy file is read again when it changes. ' +
        'Needs neither AWS, nor Slack, nor Docker. Ctrl-C ends it, and nothing of it is left.',
    )
    .option('--policy <file>', `default: COUNTERSIGN_POLICY, else ${DEFAULT_POLICY}`)
    .option('--app <command>', 'runs your CDK app, as in cdk.json: its gate is deployed to an AWS endpoint here')
    .option('--memory', 'keep the gate in the memory of this process: the default without --app')
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
This terminal shows what was decided.

With --app operators/<name>.env and auditors/auditor.env are there as well, and
AWS's own tools accept all of them:
  countersign dev --app 'npx tsx infra/app.ts'
It needs Python 3.10 or newer with venv, Node 24, and aws-cdk beside aws-cdk-lib
in your project. The endpoint, MiniStack, is installed once into a cache.`,
    )
    .action(async (options: DevOptions) => {
      const port = portOf(options.port);
      const file = options.policy ?? io.env['COUNTERSIGN_POLICY'] ?? DEFAULT_POLICY;
      const { readDocument } = await import('../support/policy-file.ts');
      const document = readDocument(file, io);
      if (!Object.keys(document.policy.agents).length)
        throw new CliError(`${file} declares no agent: add one under agents, with its owner`, EXIT.error);
      const { leftOut, startDevGate, watchOneFile } = await import('../../dev/index.ts');
      const envFolder = resolve(io.cwd, ENV_FOLDER);
      if (options.app !== undefined) {
        if (options.memory) throw new CliError('--memory: is given beside --app, which needs an endpoint', EXIT.usage);
        const { app } = options;
        return runApp({ app, file, document, read: () => readDocument(file, io), port, envFolder, io });
      }
      const tell = (line: string) => io.out(`${clock(io.now())}  ${plain(line)}\n`);
      const gate = await startDevGate({ document, port, envFolder, tell }).catch(orPortInUse(port));
      const reload = reloader(document, () => readDocument(file, io), gate, { file, io, tell });
      const unwatch = watchOneFile(resolve(io.cwd, file), reload);
      try {
        const files = gate.agents().map((name) => `${ENV_FOLDER}/${name}.env`);
        io.out(introduction(`${plain(file)}, in memory`, files, gate.page, io));
        for (const part of leftOut(document.policy)) tell(`not asked and not run by a gate in memory: ${part}`);
        await (io.untilStopped?.() ?? new Promise<never>(() => undefined));
      } finally {
        unwatch();
        await gate.stop();
      }
    });
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new CliError(`--port ${plain(text)} is no port: give a number from 0 to 65535`, EXIT.usage);
}
