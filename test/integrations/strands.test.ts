/** Checks tools of a Strands agent behind the gate, with a scripted model and snapshots. */
import { readFileSync } from 'node:fs';
import {
  Agent,
  ExecuteToolStage,
  type Message,
  Model,
  type ModelStreamEvent,
  type Snapshot,
  TextBlock,
  ToolResultBlock,
  tool,
} from '@strands-agents/sdk';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { strandsMiddleware } from '../../shared/client/integrations/strands.ts';
import { describeAdapter, type Episode, type ModelCall } from './contract.ts';
import { AMOUNT, aborted, LATE, Scene, type World } from './scene.ts';

/** Makes its calls in the first turn, and ends with the next. */
class ScriptedModel extends Model {
  #turns: (readonly ModelCall[])[];
  constructor(...turns: (readonly ModelCall[])[]) {
    super();
    this.#turns = turns;
  }
  override updateConfig(): void {}
  override getConfig() {
    return { modelId: 'scripted' };
  }
  override async *stream(): AsyncGenerator<ModelStreamEvent> {
    const calls = this.#turns.shift() ?? [];
    yield { type: 'modelMessageStartEvent', role: 'assistant' };
    for (const { id: toolUseId, tool: name, input } of calls) {
      yield { type: 'modelContentBlockStartEvent', start: { type: 'toolUseStart', name, toolUseId } };
      yield {
        type: 'modelContentBlockDeltaEvent',
        delta: { type: 'toolUseInputDelta', input: JSON.stringify(input) },
      };
      yield { type: 'modelContentBlockStopEvent' };
    }
    if (!calls.length) {
      yield { type: 'modelContentBlockStartEvent' };
      yield { type: 'modelContentBlockDeltaEvent', delta: { type: 'textDelta', text: 'done' } };
      yield { type: 'modelContentBlockStopEvent' };
    }
    yield { type: 'modelMessageStopEvent', stopReason: calls.length ? 'toolUse' : 'endTurn' };
  }
}

function agentOf(scene: World, calls: readonly ModelCall[]): Agent {
  const schemas = {
    Refund: z.object({ amount: z.number() }),
    Lookup: z.object({ id: z.string() }),
    Wipe: z.object({}),
  };
  const tools = (['Refund', 'Lookup', 'Wipe'] as const).map((name) =>
    tool({
      name,
      description: name,
      inputSchema: schemas[name] as z.ZodObject,
      callback: (input) => scene.work(name, input),
    }),
  );
  const model = calls.length ? new ScriptedModel(calls) : new ScriptedModel();
  const agent = new Agent({ model, tools, printer: false });
  agent.addMiddleware(ExecuteToolStage, strandsMiddleware(scene.guard(), { TextBlock, ToolResultBlock }));
  return agent;
}

function seenIn(messages: readonly Message[]): Record<string, string> {
  const results = messages.flatMap(({ content }) => content).filter((block) => block.type === 'toolResultBlock');
  return Object.fromEntries(
    results.map(({ toolUseId, content }) => [
      toolUseId,
      content.map((part) => ('text' in part ? part.text : '')).join('\n'),
    ]),
  );
}

async function episodeOf(agent: Agent, input: unknown, signal?: AbortSignal): Promise<Episode> {
  const { interrupts = [] } = await agent.invoke(input as string, signal ? { cancelSignal: signal } : {});
  return {
    waiting: interrupts.map(({ name }) => name),
    state: JSON.stringify({
      snapshot: agent.takeSnapshot({ preset: 'session' }),
      ids: interrupts.map(({ id }) => id),
    }),
    seen: seenIn(agent.messages),
  };
}

describeAdapter({
  name: 'strands',
  suspends: true,
  namesOne: true,
  refusal: (message) => message,
  start: (scene, calls, { signal } = {}) => episodeOf(agentOf(scene, calls), 'go', signal),
  async resume(scene, state, _calls, { signal } = {}) {
    const { snapshot, ids } = JSON.parse(state) as { readonly snapshot: Snapshot; readonly ids: readonly string[] };
    const agent = agentOf(scene, []);
    agent.loadSnapshot(snapshot);
    const answers = ids.map((interruptId) => ({ interruptResponse: { interruptId, response: true } }));
    return episodeOf(agent, answers, signal);
  },
});

/** An agent with one tool, which its model calls once. */
function agentWith(scene: World, name: string, callback: Parameters<typeof tool>[0]['callback']): Agent {
  const own = tool({ name, description: name, inputSchema: z.object({}), callback: callback as never });
  const model = new ScriptedModel([{ id: 'c-1', tool: name as ModelCall['tool'], input: {} }]);
  const agent = new Agent({ model, tools: [own], printer: false });
  agent.addMiddleware(ExecuteToolStage, strandsMiddleware(scene.guard(), { TextBlock, ToolResultBlock }));
  return agent;
}

test('a tool is told when the time of the guardrails is over', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  const told = Promise.withResolvers<unknown>();
  const agent = agentWith(scene, 'Slow', async (_: unknown, context?: { readonly cancelSignal: AbortSignal }) => {
    told.resolve(await aborted(context?.cancelSignal));
    return 'late';
  });
  await agent.invoke('go');
  expect(seenIn(agent.messages)['c-1']).toMatch(LATE);
  expect(await told.promise).toMatchObject({ code: 'Timeout' });
});

test('nobody is asked about a tool that the model made up', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  const vanish = { id: 'c-1', tool: 'Vanish' as ModelCall['tool'], input: {} };
  const agent = agentOf(scene, [vanish, { id: 'c-2', tool: 'Lookup', input: { id: 'o-1' } }]);
  expect((await agent.invoke('go')).stopReason).toBe('endTurn');
  expect(seenIn(agent.messages)).toEqual({
    'c-1': 'Nothing was run: there is no tool of the name Vanish. Call one that you were given.',
    'c-2': 'Lookup done',
  });
  expect(scene.asked).toEqual([]);
});

test('the progress of a tool is told while it runs', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  const heard = Promise.withResolvers<void>();
  const agent = agentWith(scene, 'Lookup', async function* () {
    yield 'half';
    await heard.promise;
    return 'whole';
  } as never);
  for await (const event of agent.stream('go')) if (event.type === 'toolStreamUpdateEvent') heard.resolve();
  expect(seenIn(agent.messages)['c-1']).toBe('whole');
});

test('an edit that the schema of the tool refuses ends alone, before its permit is redeemed', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  scene.answer();
  const inputSchema = z.object({ amount: z.number().min(10) });
  const refund = tool({
    name: 'Refund',
    description: 'Refunds',
    inputSchema,
    callback: () => scene.work('Refund', {}),
  });
  const model = new ScriptedModel([{ id: 'call_50', tool: 'Refund', input: { amount: AMOUNT.edited } }]);
  const agent = new Agent({ model, tools: [refund], printer: false });
  agent.addMiddleware(ExecuteToolStage, strandsMiddleware(scene.guard(), { TextBlock, ToolResultBlock }));
  const { interrupts = [] } = await agent.invoke('go');
  await agent.invoke(interrupts.map(({ id }) => ({ interruptResponse: { interruptId: id, response: true } })) as never);
  expect(seenIn(agent.messages)['call_50']).toMatch(/^The tool was not run\..*amount/);
  expect([scene.ran, await scene.reportOf('call_50')]).toEqual([[], undefined]);
});

/** An agent whose model makes one call of `Refund`, which reads its arguments by the schema. */
function refunding(scene: World, inputSchema: z.ZodType, input: ModelCall['input']): Agent {
  const refund = tool({
    name: 'Refund',
    description: 'Refunds',
    inputSchema: inputSchema as z.ZodObject,
    callback: (given) => scene.work('Refund', given),
  });
  const model = new ScriptedModel([{ id: 'call_50', tool: 'Refund', input }]);
  const agent = new Agent({ model, tools: [refund], printer: false });
  agent.addMiddleware(ExecuteToolStage, strandsMiddleware(scene.guard(), { TextBlock, ToolResultBlock }));
  return agent;
}

test('nobody is asked about arguments that the schema of the tool refuses, and the model reads why', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  const agent = refunding(scene, z.object({ amount: z.number() }), { amount: 'fifty' });
  expect((await agent.invoke('go')).stopReason).toBe('endTurn');
  expect(seenIn(agent.messages)['call_50']).toMatch(/^The tool was not run\. Call it again .*amount/);
  expect([scene.asked, scene.ran]).toEqual([[], []]);
});

test('a tool that takes no arguments is asked about whatever the model gives it', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  const agent = refunding(scene, z.void(), {});
  expect((await agent.invoke('go')).stopReason).toBe('interrupt');
});

test('an edit may leave out what the schema of the tool has a default for', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  scene.answer();
  const schema = z.object({ amount: z.number(), note: z.string().default('none') });
  const agent = refunding(scene, schema, { amount: AMOUNT.edited });
  const { interrupts = [] } = await agent.invoke('go');
  await agent.invoke(interrupts.map(({ id }) => ({ interruptResponse: { interruptId: id, response: true } })) as never);
  expect(scene.ran).toEqual([{ tool: 'Refund', input: { amount: 5, note: 'none' } }]);
});

/** An agent that is a tool of another one: its model calls `Refund`, and the outer one calls `Slow`, which is the inner agent. */
function nested(scene: World, amount: number): readonly [Agent, Agent] {
  const refund = tool({
    name: 'Refund',
    description: 'Refunds',
    inputSchema: z.object({ amount: z.number() }),
    callback: (input) => scene.work('Refund', input),
  });
  const gated = (model: Model, tools: ConstructorParameters<typeof Agent>[0]) => {
    const agent = new Agent({ model, printer: false, ...tools });
    agent.addMiddleware(ExecuteToolStage, strandsMiddleware(scene.guard(), { TextBlock, ToolResultBlock }));
    return agent;
  };
  const inner = gated(new ScriptedModel([{ id: 'call_in', tool: 'Refund', input: { amount } }]), {
    ...{ name: 'Helper', description: 'Helps', tools: [refund] },
  });
  const asked = { id: 'call_out', tool: 'Helper' as ModelCall['tool'], input: { input: 'refund it' } };
  return [gated(new ScriptedModel([asked]), { tools: [inner] }), inner];
}

test('an agent that is a tool waits for people: its interrupt would be lost', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  scene.answer();
  const [agent, inner] = nested(scene, AMOUNT.approved);
  const { stopReason } = await agent.invoke('go');
  expect(stopReason).toBe('endTurn');
  expect(seenIn(agent.messages)['call_out']).toContain('done');
  expect(seenIn(inner.messages)['call_in']).toBe('Refund done');
  expect(scene.ran).toEqual([{ tool: 'Refund', input: { amount: 10 } }]);
});

test('an agent that is a tool withdraws its question when the time of the outer call is over', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  const [agent] = nested(scene, AMOUNT.unanswered);
  await agent.invoke('go');
  expect(seenIn(agent.messages)['call_out']).toMatch(LATE);
  await scene.until(async () => (await scene.endOf('call_in', scene.run)) === 'cancelled');
  expect(scene.ran).toEqual([]);
});

test('the Anthropic SDK that a Strands agent may use is one that this package accepts', () => {
  const peersOf = (file: string): Record<string, string> =>
    JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')).peerDependencies;
  const name = '@anthropic-ai/sdk';
  const least = /^\^0\.(\d+)\./.exec(peersOf('node_modules/@strands-agents/sdk/package.json')[name] ?? '')?.[1];
  const accepted = /^>=0\.(\d+)\.\d+ <2$/.exec(peersOf('../../package.json')[name] ?? '')?.[1];
  expect(Number(accepted)).toBeLessThanOrEqual(Number(least));
});
