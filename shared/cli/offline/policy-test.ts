/** Checks a table of calls against a policy file, each with the verdict that its author expects. */
import { dirname, isAbsolute, join } from 'node:path';
import * as z from 'zod';
import type { Policy } from '../../config/compile.ts';
import { duration } from '../../config/schema/common-fields.ts';
import { PolicyFileError } from '../../config/schema/problems.ts';
import { readYaml } from '../../config/yaml-text.ts';
import { mode } from '../../contract/primitives.ts';
import { yamlWords } from '../../domain/issue-messages.ts';
import { section } from '../../domain/section.ts';
import { CliError, EXIT, type Io, readText } from '../support/io.ts';
import { agentOf, openPolicy } from '../support/settings.ts';
import { type ExpectedStage, meets, wordsOfExpected, wordsOfStages } from './approver-text.ts';
import { authorizeOffline } from './authorize-call.ts';

const stage = z.union([
  z.string(),
  section({
    group: z.string().optional(),
    quorum: z.int().min(1).optional(),
    timeout: duration.optional(),
    escalateTo: z.string().optional(),
    channel: z.string().optional().describe('Its name in the policy file, or its id.'),
  }),
]);

const tableSchema = section({
  policy: z.string().optional(),
  agent: z.string().optional(),
  cases: z
    .array(
      section({
        name: z.string().optional(),
        tool: z.string(),
        input: z.unknown(),
        cwd: z.string().optional(),
        agent: z.string().optional(),
        mode: mode.optional(),
        expect: z.enum(['allow', 'ask', 'deny', 'error']),
        rule: z.string().optional().describe('The pattern of the rule that has to decide.'),
        reason: z.string().optional(),
        asks: z.array(stage).optional().describe('Who is asked, stage by stage; of each what matters.'),
      }),
    )
    .min(1),
});

interface CaseResult {
  readonly name: string;
  readonly ok: boolean;
  readonly expected: string;
  readonly got: string;
}

/** @throws CliError if the table or its policy file cannot be read. */
export async function runTable(file: string, policyFile: string | undefined, io: Io) {
  const table = readTable(file, io);
  const beside = table.policy === undefined ? undefined : besideTable(file, table.policy);
  const policy = await openPolicy(policyFile ?? beside, io);
  const agents = Object.keys(policy.settings.agents);
  const results: CaseResult[] = [];
  for (const [index, { name, tool, input, cwd, expect, rule, reason, asks, ...one }] of table.cases.entries()) {
    const agent = agentOf(one.agent ?? table.agent, agents, io);
    const fields = { toolName: tool, input, ...(cwd === undefined ? {} : { cwd }) };
    const authorized = await authorizeOffline({ agent, mode: one.mode, fields }, policy, io.now());
    const expectedAsks = asks?.map((each) => withChannelId(each, policy));
    const words = (verdict: string, by: string | undefined, why: string | undefined, people: string | undefined) =>
      [verdict, by && `by ${by}`, why && `(${why})`, people && `asks ${people}`].filter(Boolean).join(' ');
    // Where no rule decided, the message says which rule would.
    const told = authorized.verdict !== expect && authorized.rule === undefined ? `: ${authorized.message}` : '';
    results.push({
      name: name ?? `case ${index + 1}, ${tool}`,
      ok:
        authorized.verdict === expect &&
        (rule === undefined || authorized.rule?.pattern === rule) &&
        (reason === undefined || authorized.reason === reason || authorized.code === reason) &&
        (expectedAsks === undefined || meets(authorized.asks ?? [], expectedAsks)),
      expected: words(expect, rule, reason, asks && wordsOfExpected(asks)),
      got: `${words(
        authorized.verdict,
        authorized.rule?.pattern,
        authorized.code ?? authorized.reason,
        asks && wordsOfStages(authorized.asks ?? []),
      )}${told}`,
    });
  }
  const passed = results.filter(({ ok }) => ok).length;
  return { results, passed, failed: results.length - passed };
}

const besideTable = (table: string, policy: string): string =>
  isAbsolute(policy) ? policy : join(dirname(table), policy);

/** A table may call a channel by its name, as the policy file does. */
function withChannelId(expected: ExpectedStage, { settings: { channels } }: Policy): ExpectedStage {
  if (typeof expected === 'string' || expected.channel === undefined) return expected;
  const named = Object.hasOwn(channels, expected.channel) ? channels[expected.channel] : undefined;
  return named ? { ...expected, channel: named.id } : expected;
}

function readTable(file: string, io: Io): z.infer<typeof tableSchema> {
  const text = readText(file, 'table', 'name a YAML file with cases', io);
  const { value, positions, problems } = readYaml(text);
  if (problems.length) throw new CliError(new PolicyFileError(file, problems).message, EXIT.usage);
  if (value === null) throw new CliError(`${file}: holds no cases\n${SEE}`, EXIT.usage);
  const parsed = tableSchema.safeParse(value, { error: yamlWords });
  if (parsed.success) return parsed.data;
  const misread = parsed.error.issues.slice(0, 10).map(({ path, message }) => {
    const within = path.filter((part) => typeof part !== 'symbol');
    return { path: within, message, ...positions.value(within) };
  });
  throw new CliError(`${new PolicyFileError(file, misread).message}\n${SEE}`, EXIT.usage);
}

const SEE = 'countersign policy test --help shows a table';
