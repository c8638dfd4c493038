/** Makes one choice in the terminal, by a policy file's tree over files of space and snapshot. */
import type * as z from 'zod';
import { StreamTerminal } from '../../approvals/askers/terminal.ts';
import { DeadlineApprovalChannel } from '../../approvals/channels/deadline.ts';
import { StdinApprovalChannel } from '../../approvals/channels/stdin.ts';
import { actionSpace, agentSnapshot } from '../../contract/action-space.ts';
import { fieldOf, jsonWords } from '../../domain/issue-messages.ts';
import { readIJson } from '../../domain/raw-json.ts';
import { orNearest } from '../../domain/text/nearest.ts';
import { faultOfSpace } from '../../policies/action-space.ts';
import type { StageRecord } from '../../policies/agent-policy.ts';
import { buildPolicy } from '../../policies/build.ts';
import { outcomeOfChoice } from '../../policies/outcome.ts';
import { seededRandom } from '../../policies/random.ts';
import { CliError, EXIT, type Io, readText } from '../support/io.ts';
import { jsonProblem } from '../support/json-problem.ts';
import { openPolicy } from '../support/settings.ts';
import { jsonLine, plain } from '../support/terminal.ts';
import { modelOf } from './choose-model.ts';

export interface ChooseOptions {
  readonly policy: string;
  readonly space: string;
  readonly snapshot: string;
  readonly policyFile?: string;
  readonly seed?: string;
  readonly json?: boolean;
}

export async function choose(options: ChooseOptions, io: Io): Promise<number> {
  const { settings } = await openPolicy(options.policyFile, io);
  const { policies } = settings;
  const tree = Object.hasOwn(policies, options.policy) ? policies[options.policy] : undefined;
  if (!tree) {
    const declared = Object.keys(policies).join(', ') || 'none';
    const hint = orNearest(options.policy, Object.keys(policies));
    throw new CliError(
      `the policy file declares no policy ${options.policy}; it declares ${declared}${hint}`,
      EXIT.usage,
    );
  }
  const space = readJson(options.space, 'action space', actionSpace, io);
  const snapshot = readJson(options.snapshot, 'snapshot', agentSnapshot, io);
  const unsound = faultOfSpace(space);
  if (unsound) throw new CliError(`${options.space}: ${unsound.message}`, EXIT.error);
  // Questions go where they do not mix with JSON. Standard input is opened by the first of them.
  const terminal = new StreamTerminal(io.stdin(), { write: options.json ? io.err : io.out });
  const { seed } = options;
  const policy = buildPolicy(tree, {
    // The terminal waits as long as it takes; the policy says how long that may be.
    channel: (_, { timeout }) => new DeadlineApprovalChannel(new StdinApprovalChannel(terminal), timeout),
    client: (_, { client }) => modelOf(client, settings.models, io),
    random: (place) => (seed === undefined ? Math.random : seededRandom(seed, place)),
  });
  const stages: StageRecord[] = [];
  const action = await policy.choose(space, snapshot, { observe: (record) => stages.push(record) });
  const outcome = outcomeOfChoice({ action, stages });
  if (options.json) io.out(jsonLine({ policy: options.policy, action, outcome, stages }));
  else {
    io.out(action ? `chosen  ${plain(action.flow_id)} as ${plain(action.persona_id)}\n` : `none    (${outcome})\n`);
    for (const stage of stages) io.out(`  ${lineOf(stage)}\n`);
  }
  return action ? EXIT.ok : EXIT.deny;
}

function lineOf({ place, outcome, flowId, by, detail, usage }: StageRecord): string {
  const more = [
    flowId,
    by && `by ${by}`,
    usage && `${usage.calls} calls, ${usage.inputTokens} + ${usage.outputTokens} tokens`,
    detail,
  ];
  return plain([`${place}: ${outcome}`, ...more.filter(Boolean)].join(', '));
}

/** @throws CliError that names the file, the field and the problem. */
function readJson<Schema extends z.ZodType>(file: string, what: string, schema: Schema, io: Io): z.infer<Schema> {
  const text = readText(file, what, 'it holds JSON', io);
  const read = readIJson(text);
  if (!read.ok) throw new CliError(`${file}: ${jsonProblem(text, read.fault, `the ${what}`)}`, EXIT.error);
  const parsed = schema.safeParse(read.value, { error: jsonWords });
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.slice(0, 10).map(({ path, message }) => {
    const field = fieldOf(path);
    return `${file}: ${field ? `${field}: ` : ''}${message}`;
  });
  throw new CliError(lines.join('\n'), EXIT.error);
}
