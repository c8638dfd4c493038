/** Measures the time and requests that each adapter adds to an allowed call. */
import { randomUUID } from 'node:crypto';
import { loadavg } from 'node:os';
import { CountersignClient } from '../../shared/client/index.ts';
import { countersignHooks } from '../../shared/client/integrations/claude-agent-sdk.ts';
import { gatedAdkTool } from '../../shared/client/integrations/google-adk.ts';
import { countersignMiddleware } from '../../shared/client/integrations/langchain.ts';
import { gatedMastraTool } from '../../shared/client/integrations/mastra.ts';
import { gatedServer } from '../../shared/client/integrations/mcp.ts';
import { gatedTool } from '../../shared/client/integrations/openai-agents.ts';
import { strandsMiddleware } from '../../shared/client/integrations/strands.ts';
import { gatedTools } from '../../shared/client/integrations/vercel-ai.ts';
import { createTestGate } from '../../shared/testing/index.ts';
import { note, printTable } from './support/print.ts';
import { median, p95 } from './support/stats.ts';

const CALLS = 300;
const WARM_UP = 30;
const gate = createTestGate({
  policy: `people: { olga: { team: T1, user: U1, name: Olga } }
agents: { coder: { owner: olga } }
tools: { Lookup: { permissions: [Network], effect: Pure } }
guardrails: { tools: { Lookup: { ratePerSecond: 10000, burst: 10000 } } }
rules: { allow: [Lookup] }
`,
});

let requests = 0;
/** Counts the requests that would go to AWS. */
const counted = <Port extends object>(port: Port): Port =>
  new Proxy(port, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) => {
        requests += 1;
        return Reflect.apply(value, target, given) as unknown;
      };
    },
  });
const { queue, reader, redeemer, outcomes, ...options } = gate.clientOptions('coder');
if (!queue || !reader || !redeemer || !outcomes) throw new Error('the gate in memory has all of them');
const client = new CountersignClient({
  ...options,
  queue: counted(queue),
  reader: counted(reader),
  redeemer: counted(redeemer),
  outcomes: counted(outcomes),
});
// As a run of an agent: one guard for all of its calls.
const guard = client.guard({ run: 'bench' });
const signal = new AbortController().signal;

const INPUT = { id: 'o-1' };
const ran: string[] = [];
const work = async (): Promise<string> => {
  ran.push('Lookup');
  return 'found';
};
const interrupt = (): never => {
  throw new Error('a call that a rule allows interrupts nothing');
};
class Message {
  readonly fields: unknown;
  constructor(fields: unknown) {
    this.fields = fields;
  }
}
class Result {
  readonly toolUseId = '';
  readonly status = 'success' as const;
  readonly content: Message[] = [];
}

const bare = client.gate('Lookup', work);
const vercel = gatedTools(guard, { Lookup: { execute: work } });
const openai = gatedTool(guard, { name: 'Lookup', description: '', parameters: {}, execute: work });
const middleware = countersignMiddleware(client, { interrupt, ToolMessage: Message }, {});
const [{ hooks: [claude] = [] } = {}] = countersignHooks(client).PreToolUse;
const strands = strandsMiddleware(guard, { TextBlock: Message, ToolResultBlock: Result });
const adk = gatedAdkTool(guard, { name: 'Lookup', description: '', execute: work });
const mastra = gatedMastraTool(guard, { id: 'Lookup', execute: async (_input: object, _context: object) => work() });
let mcp: (context: object) => Promise<unknown> = work;
gatedServer(
  {
    registerTool: (_name: string, _config: object, handler: typeof mcp) => {
      mcp = handler;
    },
  },
  client,
).registerTool('Lookup', {}, async () => ({ content: [{ type: 'text', text: await work() }] }));

/** One call as the framework makes it, with all that it asks before it runs a tool. */
const WAYS: Readonly<Record<string, () => Promise<unknown>>> = {
  'the client alone': () => bare(INPUT),
  'countersign/openai-agents': async () => {
    const callId = randomUUID();
    await openai.needsApproval(undefined, INPUT, callId);
    return openai.execute(INPUT, undefined, { toolCall: { callId } });
  },
  'countersign/vercel-ai': async () => {
    const toolCallId = randomUUID();
    await vercel.toolApproval({ toolCall: { toolCallId, toolName: 'Lookup', input: INPUT } });
    return (vercel.tools.Lookup.execute as (input: object, of: object) => Promise<string>)(INPUT, { toolCallId });
  },
  'countersign/langchain': () =>
    middleware.wrapToolCall(
      {
        toolCall: { id: randomUUID(), name: 'Lookup', args: INPUT },
        runtime: { configurable: { thread_id: 'bench' } },
      },
      work,
    ),
  // The program runs the tool.
  'countersign/claude-agent-sdk': async () => {
    const id = randomUUID();
    const input = { tool_name: 'Lookup', tool_input: INPUT, tool_use_id: id };
    const common = { hook_event_name: 'PreToolUse', session_id: 'bench', cwd: '/tmp' };
    const answer = await claude?.({ ...common, ...input }, id, { signal });
    return JSON.stringify(answer).includes('"allow"') ? work() : undefined;
  },
  'countersign/strands': async () => {
    const toolUse = { toolUseId: randomUUID(), name: 'Lookup', input: INPUT };
    // biome-ignore lint/correctness/useYield: a tool without events
    const next = async function* () {
      await work();
      return { result: new Result() };
    };
    for await (const _ of strands({ toolUse, cancelSignal: signal, interrupt }, next)) note('an event');
  },
  'countersign/google-adk': () => adk.execute(INPUT, { functionCallId: randomUUID() }),
  'countersign/mastra': () => mastra.execute(INPUT, { agent: { toolCallId: randomUUID() } }),
  'countersign/mcp': () => mcp({ signal }),
};

const took = new Map(Object.keys(WAYS).map((name) => [name, [] as number[]]));
const asked = new Map<string, number>();
const load = loadavg();
// By turns, so that whatever else the machine does is the same for all.
for (let call = -WARM_UP; call < CALLS; call++)
  for (const [name, once] of Object.entries(WAYS)) {
    const [before, tools] = [requests, ran.length];
    const began = performance.now();
    await once();
    const lasted = performance.now() - began;
    if (ran.length !== tools + 1) throw new Error(`${name} did not run the tool once`);
    if (call < 0) continue;
    took.get(name)?.push(lasted);
    asked.set(name, (asked.get(name) ?? 0) + requests - before);
  }
const alone = median(took.get('the client alone') ?? []);
const figure = (value: number) => `${value.toFixed(2)} ms`;
printTable(
  `One call that a rule allows, ${CALLS} of each by turns, before a gate in memory`,
  ['', 'p50', 'p95', 'added (p50)', 'requests'],
  [...took].map(([name, all]) => [
    name,
    figure(median(all)),
    figure(p95(all)),
    figure(median(all) - alone),
    ((asked.get(name) ?? 0) / CALLS).toFixed(1),
  ]),
);
note(`load of the machine before: ${load.map((one) => one.toFixed(1)).join(', ')}`);
gate.stop();
await client[Symbol.asyncDispose]();
