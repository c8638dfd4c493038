/**
 * Runs `countersign guardrails`: every setting for calls of a tool by an agent, with its layer.
 *
 * Offline.
 */
import type { Command } from 'commander';
import type { Policy } from '../../config/compile.ts';
import { orNearest } from '../../domain/text/nearest.ts';
import { bold, CliError, EXIT, type Io } from '../support/io.ts';
import { agentOf, openPolicy } from '../support/settings.ts';
import { jsonLine, plain, table } from '../support/terminal.ts';

interface Options {
  readonly tool?: string;
  readonly agent?: string;
  readonly env?: string;
  readonly origin?: string;
  readonly policy?: string;
  readonly json?: boolean;
}

export function addGuardrails(program: Command, io: Io, exit: (code: number) => void): void {
  program
    .command('guardrails')
    .summary('show the limits of a call, and which layer set each')
    .description(
      'Shows time-out, retries, breaker, rate, concurrency and budgets of a tool for an agent, each with the layer of the policy file that set it.',
    )
    .option('--tool <name>', 'the tool, as the agent names it')
    .option('--agent <name>', 'who calls it (default: COUNTERSIGN_AGENT, else the only agent of the policy file)')
    .option('--env <name>', 'another environment than the one that this deployment is')
    .option('--origin <origin>', "local or mcp::<server> (default: as the tool's name says)")
    .option('--policy <file>', 'the policy file (default: COUNTERSIGN_POLICY, else countersign.yaml)')
    .option('--json', 'print JSON')
    .action(async (options: Options) => {
      const policy = await openPolicy(options.policy, io);
      const agent = agentOf(options.agent, Object.keys(policy.settings.agents), io);
      const [{ originOf }, { origin: originWord }, { resolveGuardrails }, { explainGuardrails }] = await Promise.all([
        import('../../config/readers/tool-origin.ts'),
        import('../../guardrails/settings/config.ts'),
        import('../../guardrails/settings/resolve.ts'),
        import('../../guardrails/settings/explain.ts'),
      ]);
      const tool = toolNamed(options.tool, policy);
      const environment = environmentNamed(options.env, policy);
      const origin = options.origin ?? originOf(tool);
      if (!originWord.safeParse(origin).success) {
        throw new CliError(`there is no origin ${origin}: it is local or mcp::<server>`, EXIT.usage);
      }
      const call = { toolName: tool, origin, agentId: agent, environment, now: io.now() };
      const resolved = resolveGuardrails(policy.guardrails, call);
      const settings = explainGuardrails(resolved);
      const { listed } = resolved;
      if (options.json) io.out(jsonLine({ tool, agent, environment, origin, listed, settings }));
      else {
        io.out(`${plain(tool)} of ${plain(origin)}, called by ${plain(agent)} in ${plain(environment)}\n\n`);
        const rows = settings.map(({ setting, value, from }) => [setting, String(value), unitOf(setting), from]);
        const headings = ['SETTING', 'VALUE', 'UNIT', 'SET BY'];
        io.out(table(headings, rows, io.columns, (text, _column, row) => (row < 0 ? bold(text, io) : text)));
        if (!listed) io.out('\nNot run: a tool of an MCP server has to be listed first (R3-090).\n');
      }
      exit(EXIT.ok);
    });
}

/** Units of settings whose name does not end in one. */
const UNITS: Readonly<Record<string, string>> = {
  burst: 'calls',
  costPerCall: 'cost, as in budgets',
  failureThreshold: 'failures in a row',
  halfOpenProbes: 'calls',
  maxConcurrent: 'calls at a time',
  maxQueue: 'calls',
  maxRetries: 'tries after the first',
  minimumCalls: 'calls',
  ratePerSecond: 'calls a second',
  windowCalls: 'calls',
};

function unitOf(setting: string): string {
  const name = setting.replace(/^provider\./, '');
  return name.endsWith('Ms') ? 'ms' : Object.hasOwn(UNITS, name) ? (UNITS[name] ?? '') : '';
}

function toolNamed(name: string | undefined, { tools }: Policy): string {
  if (name === undefined) throw new CliError('give --tool, as in --tool Bash', EXIT.usage);
  if (tools.has(name)) return name;
  const known = tools.list().map((entry) => entry.name);
  throw new CliError(
    `the policy file lists no tool ${name}; it lists ${known.join(', ')}${orNearest(name, known)}`,
    EXIT.usage,
  );
}

function environmentNamed(name: string | undefined, { guardrails }: Policy): string {
  const environment = name ?? guardrails.environment;
  if (Object.hasOwn(guardrails.environments, environment)) return environment;
  const known = Object.keys(guardrails.environments);
  const problem = `the policy file declares no environment ${environment}; it declares ${known.join(', ')}`;
  throw new CliError(`${problem}${orNearest(environment, known)}`, EXIT.usage);
}
