/** Decides the cases of the tool gate (seed 1) through its public face. */
import {
  AgentCancelledError,
  type AgentEvent,
  type AgentMessage,
  runAgent,
} from '../../../shared/approvals/tool-gate/agent-loop.ts';
import { ToolExecutor } from '../../../shared/approvals/tool-gate/executor.ts';
import { ToolRegistry } from '../../../shared/approvals/tool-gate/registry.ts';
import { runsOf } from '../../../shared/approvals/tool-gate/runs.ts';
import { subAgentTool } from '../../../shared/approvals/tool-gate/sub-agent.ts';
import {
  type AgentTool,
  type AgentToolCall,
  type AgentToolResult,
  classOf,
  type GatedExecutor,
} from '../../../shared/approvals/tool-gate/tool.ts';
import { type Fields, isFields, itemsOf, objectsOf } from '../fields.ts';
import { whole } from '../reading.ts';
import { type Interpreted, type Interpreter, judge, type SeedCase } from './judge.ts';
import { mismatches, withSame } from './matching.ts';
import { concurrencyOf, handlerOf, nothingSeen, policyOf, scriptedModel, toolOf } from './tool-gate-world.ts';
import { Uninterpretable } from './uninterpretable.ts';
import { VirtualTime } from './virtual-time.ts';

export const FEATURES: Readonly<Record<string, Interpreter>> = {
  approval,
  tool_class: ({ tool_without_declared_class: undeclared, tool = undeclared, class: own }) => {
    if (own !== undefined && own !== 'ReadOnly' && own !== 'Mutating')
      throw new Uninterpretable(`class ${String(own)}`);
    return { class: classOf({ name: String(tool), ...(own ? { class: own } : {}) }) };
  },
};

export const interpretToolGate = (one: SeedCase): Promise<Interpreted> =>
  judge(one, FEATURES, (expected, got, given) =>
    Object.entries(expected).flatMap(([key, value]) => problemsOf(key, value, got, given)),
  );

/** The keys that are not plain comparisons; the others are. */
function problemsOf(key: string, want: unknown, got: Fields, given: Fields): string[] {
  const problemUnless = (holds: boolean) => (holds ? [] : [`${key}: expected ${JSON.stringify(want)}`]);
  const limit = /^max_(.+_ms)$/.exec(key)?.[1];
  if (limit !== undefined) return problemUnless(typeof got[limit] === 'number' && got[limit] <= Number(want));
  if (key === 'history_contains_tool_result')
    return problemUnless(objectsOf(got['history']).some((one) => isLike(one, want)));
  if (key === 'subagent_tool_result')
    return problemUnless(objectsOf(got['subagent_results']).some((one) => isLike(one, want)));
  if (key === 'tools_never')
    return problemUnless(
      Array.isArray(got['ran']) && ![want].flat().some((tool) => itemsOf(got['ran']).includes(tool)),
    );
  if (key === 'events_in_order') return problemUnless(isSubsequence(want, got['events']));
  const original = whole(given['input'] ?? {});
  const written = withSame(want, got[key], want === 'same' ? original : sameOf(got[key], original));
  return mismatches({ [key]: written }, got);
}

/** The input of the case, wherever an observation has one: `approvals[0].input`. */
const sameOf = (got: unknown, input: unknown): unknown =>
  Array.isArray(got) ? got.map((one) => sameOf(one, input)) : isFields(got) ? { input } : input;

const isLike = (result: Fields, want: unknown): boolean =>
  isFields(want) &&
  (want['is_error'] === undefined || result['is_error'] === want['is_error']) &&
  (want['contains'] === undefined ||
    [want['contains']].flat().every((part) => String(result['content']).includes(String(part))));

function isSubsequence(want: unknown, events: unknown): boolean {
  if (!Array.isArray(want) || !Array.isArray(events)) return false;
  let next = 0;
  for (const event of events) if (event === want[next]) next += 1;
  return next === want.length;
}

async function approval(given: Fields): Promise<Fields> {
  const seen = nothingSeen();
  const time = new VirtualTime();
  const cancel = new AbortController();
  const stage = { seen, time, cancel, cancelDuring: given['cancel_during'] };
  const tools = givenTools(given, stage);
  const executor = new ToolExecutor({
    registry: new ToolRegistry(tools.filter(isRegistered(whole(given['registered']))), () => {}),
    policy: policyOf(given['policy']),
    approval: handlerOf(given['parent_handler'] ?? given['handler'], stage),
    concurrency: concurrencyOf(given['tool_concurrency'], tools),
  });
  if (given['cancelled_before'] === true) cancel.abort();
  if (given['cancel_at_ms'] !== undefined) time.start(() => cancel.abort(), Number(given['cancel_at_ms']));
  const ended = await time.run(runGiven(given, executor, cancel.signal));
  const single = seen.approvals.at(-1);
  return {
    ...ended,
    decision: seen.decisions.at(-1) ?? null,
    approve_calls: seen.approvals.length,
    approvals: seen.approvals,
    class: single?.class,
    approve_input: single?.input,
    executed_input: seen.inputs.at(-1),
    tool_ran: seen.ran.length > 0,
    ran: seen.ran,
    prompts: seen.prompts,
    max_parallel: seen.maxParallel,
    parallel: seen.maxParallel > 1,
    elapsed_ms: time.now,
  };
}

/** Without a list every tool that the case names is registered. */
const isRegistered =
  (listed: unknown) =>
  ({ name }: AgentTool): boolean =>
    !Array.isArray(listed) || listed.includes(name);

/** The tools that the case names. */
function givenTools(given: Fields, stage: Parameters<typeof toolOf>[3]): AgentTool[] {
  const batch = itemsOf(given['batch']).map((entry) => {
    const [name, toolClass, delay] = [entry].flat();
    return toolOf(name, toolClass, delay, stage);
  });
  const turns = [...itemsOf(given['turns']), ...innerTurns(given)].flatMap((turn) =>
    isFields(turn) && 'tool_use' in turn ? [turn['tool_use']].flat() : [],
  );
  const undeclared = given['tool_without_declared_class'];
  if (undeclared !== undefined) return [toolOf(undeclared, undefined, undefined, stage)];
  const single = 'tool' in given ? [toolOf(given['tool'], given['class'], undefined, stage)] : [];
  const spoken = turns.map((name) => toolOf(name, given['class'], undefined, stage));
  const asked = [...single, ...spoken, ...batch];
  return asked.length > 0 ? asked : [toolOf(innerTool(given), given['class'], undefined, stage)];
}

/** The tool that a case without one calls. */
function innerTool({ subagent }: Fields): string {
  if (typeof subagent === 'string') return subagent.split(' ').at(-1) ?? subagent;
  const named = isFields(subagent) ? (subagent['tool'] ?? subagent['tool_use']) : undefined;
  return typeof named === 'string' ? named : 'bash';
}

/** The turns that a case gives its sub-agent, if it gives any. */
function innerTurns({ subagent, turns }: Fields): unknown[] {
  if (Array.isArray(subagent)) return subagent;
  return isFields(subagent) && 'turns' in subagent ? itemsOf(subagent['turns']) : itemsOf(turns);
}

async function runGiven(given: Fields, executor: ToolExecutor, signal: AbortSignal): Promise<Fields> {
  if ('subagent' in given) return runSubAgent(given, executor, signal);
  if ('turns' in given) return runTurns(itemsOf(given['turns']), executor, signal);
  const input = whole(given['input'] ?? {});
  if ('batch' in given) {
    const names = itemsOf(given['batch']).map((entry) => String([entry].flat()[0]).split(' ')[0] ?? '');
    const calls = names.map((name, i): AgentToolCall => ({ id: `c${i + 1}`, name, input }));
    const done = await executor.executeBatch(calls, { signal });
    const nameOf = new Map(calls.map((call) => [call.id, call.name]));
    return {
      ...ofResults(done),
      order: done.map((result) => nameOf.get(result.toolUseId)),
      runs: runsOf(executor, calls).map((run) => run.calls.map((call) => call.name)),
    };
  }
  return runSingle(given, input, executor, signal);
}

/** One call: in a loop that could go on, or, where it is cancelled, alone. */
async function runSingle(given: Fields, input: unknown, executor: ToolExecutor, signal: AbortSignal): Promise<Fields> {
  const name = String(given['tool'] ?? given['tool_without_declared_class'] ?? innerTool(given)).split(' ')[0] ?? '';
  const isCancelled = ['cancelled_before', 'cancel_at_ms', 'cancel_during'].some((key) => key in given);
  if (isCancelled) {
    const done = await executor.executeOne({ id: 'c1', name, input }, { signal });
    return { ...ofResults([done]), is_error: done.isError, content: done.content };
  }
  const ended = await runTurns([{ tool_use: name, id: 'c1', input }, { text: 'went on' }], executor, signal);
  const [done] = objectsOf(ended['results']);
  return {
    ...ended,
    is_error: done?.['is_error'],
    content: done?.['content'],
    loop_continues: ended['final_text'] === 'went on',
  };
}

const plain = (result: AgentToolResult): Fields => ({
  id: result.toolUseId,
  is_error: result.isError,
  content: result.content,
});

function ofResults(done: readonly AgentToolResult[]): Fields {
  const lastTwo = done.slice(-2).map((result) => result.content);
  return {
    results: done.map(plain),
    result_count: done.length,
    is_error: done.map((result) => result.isError),
    content: done.map((result) => result.content),
    last_two_content: lastTwo.every((content) => content === lastTwo[0]) ? lastTwo[0] : lastTwo,
  };
}

async function runTurns(
  turns: readonly unknown[],
  executor: ToolExecutor,
  signal: AbortSignal,
  events: AgentEvent[] = [],
): Promise<Fields> {
  const options = { model: scriptedModel(turns), executor, signal, onEvent: (event: AgentEvent) => events.push(event) };
  try {
    const { text, messages } = await runAgent('begin', options);
    return { agent_result: 'Ok', final_text: text, ...historyOf(messages), ...eventsOf(events) };
  } catch (error) {
    if (!(error instanceof AgentCancelledError)) throw error;
    const { text, messages } = error.partial;
    return { agent_result: 'Cancelled', final_text: text, partial: true, ...historyOf(messages), ...eventsOf(events) };
  }
}

const resultsIn = (messages: readonly AgentMessage[]): AgentToolResult[] =>
  messages.flatMap((message) => (message.role === 'tool' ? message.results : []));

const historyOf = (messages: readonly AgentMessage[]): Fields => {
  const done = resultsIn(messages);
  return { ...ofResults(done), history: done.map(plain), history_len: messages.length };
};

const eventsOf = (events: readonly AgentEvent[]): Fields => ({
  events: events.map((event) => event.type),
  pending: events.find((event) => event.type === 'ToolCallPending') ?? null,
  pending_count: events.filter((event) => event.type === 'ToolCallPending').length,
});

/** A sub-agent that calls one tool, run with its parent's executor as the parent's tool call would run it. */
async function runSubAgent(given: Fields, executor: ToolExecutor, signal: AbortSignal): Promise<Fields> {
  const heard: AgentMessage[][] = [];
  const script = innerTurns(given);
  const turns =
    script.length > 0 ? script : [{ tool_use: String(given['tool'] ?? innerTool(given)) }, { text: 'done' }];
  const tool = subAgentTool({ model: scriptedModel(turns, heard) });
  // A sub-agent that was cancelled tells its model nothing more.
  const done: AgentToolResult[] = [];
  const noting: GatedExecutor = {
    registry: executor.registry,
    executeOne: (call, options) => executor.executeOne(call, options),
    executeBatch: async (calls, options) => {
      const results = await executor.executeBatch(calls, options);
      done.push(...results);
      return results;
    },
  };
  const text = await tool.execute({ prompt: 'begin' }, { executor: noting, signal, depth: 0 });
  return { final_text: text, subagent_results: done.map(plain) };
}
