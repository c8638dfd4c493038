/** Runs tools behind the gate in the `ToolNode` of a graph of LangGraph, which takes no middleware. */
import { AIMessage } from '@langchain/core/messages';
import { Command, END, interrupt, MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { ToolMessage, tool } from 'langchain';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { gatedGraphTools } from '../../shared/client/integrations/langchain.ts';
import { configOf, episodeOf, type State } from './adapters/langchain.ts';
import type { ModelCall } from './contract.ts';
import { AMOUNT, Scene } from './scene.ts';

const PARTS = { interrupt, ToolMessage };

/** A graph whose `ToolNode` runs the calls of a turn as one task. */
function graphOf(scene: Scene) {
  const described = (name: string, schema: z.ZodObject) =>
    tool((input: unknown) => scene.work(name, input), { name, description: name, schema });
  const tools = gatedGraphTools(
    scene.client(),
    [
      described('Refund', z.object({ amount: z.number() })),
      described('Lookup', z.object({ id: z.string() })),
      described('Wipe', z.object({})),
      described('extract-text', z.object({})),
    ],
    PARTS,
  );
  return nodeOf(scene, tools);
}

function nodeOf(scene: Scene, tools: ConstructorParameters<typeof ToolNode>[0]) {
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('tools', new ToolNode(tools))
    .addEdge(START, 'tools')
    .addEdge('tools', END)
    .compile({ checkpointer: new MemorySaver() });
  return async (input: unknown) => (await graph.invoke(input as never, configOf(scene))) as unknown as State;
}

const resumeOf = ({ __interrupt__: interrupts = [] }: State) =>
  new Command({ resume: Object.fromEntries(interrupts.map(({ id = '' }) => [id, true])) });

const turnOf = (calls: readonly ModelCall[]) => ({
  messages: [
    new AIMessage({
      content: '',
      tool_calls: calls.map(({ id, tool: name, input }) => ({ id, name, args: { ...input } })),
    }),
  ],
});

test('of the calls of a turn each runs once, as people decided, and none before they are asked about all', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  const refund = (amount: number): ModelCall => ({ id: `call_${amount}`, tool: 'Refund', input: { amount } });
  const calls: ModelCall[] = [refund(AMOUNT.approved), refund(scene.refused), refund(AMOUNT.edited)];
  calls.push({ id: 'call_l', tool: 'Lookup', input: { id: 'o-1' } }, { id: 'call_w', tool: 'Wipe', input: {} });
  const invoke = graphOf(scene);
  const suspended = await invoke(turnOf(calls));
  expect([episodeOf(suspended).waiting.length, scene.ran]).toEqual([1, []]);
  scene.answer();
  const { waiting, seen } = episodeOf(await invoke(resumeOf(suspended)));
  expect(waiting).toEqual([]);
  expect(seen).toMatchObject({ call_10: 'Refund done', call_l: 'Lookup done' });
  expect(seen['call_500']).toContain('Too much');
  expect(seen['call_50']).toContain('ran with {"amount":5}');
  expect(seen['call_w']).toMatch(/^Denied/);
  expect(scene.ran.map(({ input }) => JSON.stringify(input)).sort()).toEqual([
    '{"amount":10}',
    '{"amount":5}',
    '{"id":"o-1"}',
  ]);
});

test('a schema that refuses arguments once people were asked does not have the model read that nobody was', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  let isOver = false;
  const schema = z.object({ amount: z.number() }).refine(() => !isOver, 'the sale is over');
  const refund = tool((input: unknown) => scene.work('Refund', input), { name: 'Refund', schema });
  const invoke = nodeOf(scene, gatedGraphTools(scene.client(), [refund], PARTS));
  const suspended = await invoke(turnOf([{ id: 'c-1', tool: 'Refund', input: { amount: AMOUNT.approved } }]));
  await scene.until(() => scene.asked.length === 1);
  isOver = true;
  const { seen } = episodeOf(await invoke(resumeOf(suspended)));
  expect(seen['c-1']).toContain('the sale is over');
  expect([seen['c-1']?.includes('nobody'), scene.ran]).toEqual([false, []]);
});

test('nobody is asked about a call of a tool behind no gate that stands in the same node', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  scene.answer();
  const toolOf = (name: string) =>
    tool((input: unknown) => scene.work(name, input), { name, schema: z.record(z.string(), z.unknown()) });
  const gated = (name: string) => gatedGraphTools(client, [toolOf(name)], PARTS);
  const client = scene.client();
  const invoke = nodeOf(scene, [...gated('Refund'), ...gated('Helper'), toolOf('Drop')]);
  const helper: ModelCall = { id: 'c-h', tool: 'Helper' as never, input: {} };
  const drop: ModelCall = { id: 'c-d', tool: 'Drop' as never, input: {} };
  expect(episodeOf(await invoke(turnOf([helper, drop])))).toMatchObject({
    waiting: [],
    seen: { 'c-h': 'Helper done', 'c-d': 'Drop done' },
  });
  expect(await scene.endOf('c-d', scene.run).catch(() => undefined)).toBeUndefined();
  // Tools of another list of the same client begin anew with those of this one.
  const before = scene.ran.length;
  const again = [
    { ...helper, id: 'c-h2' },
    { id: 'c-r', tool: 'Refund' as const, input: { amount: AMOUNT.approved } },
  ];
  const suspended = await invoke(turnOf(again));
  expect([episodeOf(suspended).waiting, scene.ran.length]).toEqual([['c-r'], before]);
  expect(episodeOf(await invoke(resumeOf(suspended))).seen).toMatchObject({
    'c-h2': 'Helper done',
    'c-r': 'Refund done',
  });
});

test('a tool whose name an agent of LangChain would take for a structured response is asked about with its turn', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  const extract: ModelCall = { id: 'call_e', tool: 'extract-text' as never, input: {} };
  await graphOf(scene)(turnOf([{ id: 'call_l', tool: 'Lookup', input: { id: 'o-1' } }, extract]));
  expect([scene.ran, scene.asked]).toEqual([[], [undefined]]);
});

test('nobody is asked about arguments that the schema of the tool refuses', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  const { waiting, seen } = episodeOf(
    await graphOf(scene)(turnOf([{ id: 'c-1', tool: 'Refund', input: { amount: 'ten' } }])),
  );
  expect([waiting, scene.asked]).toEqual([[], []]);
  expect(seen['c-1']).toMatch(/^The tool was not run\. Call it again/);
});

test('a call that names no conversation, or has no id, runs nothing', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  const lookup = tool((input: unknown) => scene.work('Lookup', input), {
    name: 'Lookup',
    schema: z.object({ id: z.string() }),
  });
  const [gated] = gatedGraphTools(scene.client(), [lookup], PARTS);
  const call = { id: 'c-1', name: 'Lookup', args: { id: 'o-1' }, type: 'tool_call' as const };
  await expect(gated?.invoke(call)).rejects.toThrow('configurable.thread_id');
  await expect(gated?.invoke({ id: 'o-1' }, { configurable: { thread_id: 'run-1' } })).rejects.toThrow();
  expect(scene.ran).toEqual([]);
  await expect(lookup.invoke(call)).resolves.toMatchObject({ content: 'Lookup done' });
});
