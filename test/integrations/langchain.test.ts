/** Runs the suite of adapters with LangChain. */
import { fakeModel } from '@langchain/core/testing';
import { Command, interrupt, MemorySaver } from '@langchain/langgraph';
import { AIMessage, createAgent, createMiddleware, ToolMessage, tool } from 'langchain';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { countersignMiddleware } from '../../shared/client/integrations/langchain.ts';
import { agentOf, configOf, episodeOf, langchain, langchainTogether, type State } from './adapters/langchain.ts';
import { describeAdapter, type ModelCall } from './contract.ts';
import { AMOUNT, aborted, LATE, Scene } from './scene.ts';

describeAdapter(langchain);
describeAdapter(langchainTogether);

test.each([false, true])('of calls that a node runs as one task each runs once (together: %s)', async (together) => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  const refund = (amount: number): ModelCall => ({ id: `call_${amount}`, tool: 'Refund', input: { amount } });
  const calls: ModelCall[] = [refund(AMOUNT.approved), refund(scene.refused), refund(30)];
  calls.push({ id: 'call_l', tool: 'Lookup', input: { id: 'o-1' } });
  const agent = agentOf(scene, calls, { together }, 'v1');
  const invoke = async (input: unknown) => (await agent.invoke(input as never, configOf(scene))) as unknown as State;
  const suspended = await invoke({ messages: [{ role: 'user', content: 'go' }] });
  expect([episodeOf(suspended).waiting.length, scene.ran]).toEqual([1, []]);
  scene.answer();
  const [{ id = '' } = {}] = suspended.__interrupt__ ?? [];
  const { waiting, seen } = episodeOf(await invoke(new Command({ resume: { [id]: true } })));
  expect(waiting).toEqual([]);
  expect(seen).toMatchObject({ call_10: 'Refund done', call_30: 'Refund done', call_l: 'Lookup done' });
  expect(seen['call_500']).toContain('Too much');
  expect(scene.ran).toHaveLength(3);
});

test('of calls in a thread that is a list of messages none runs before people are asked about all', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  const args = { amount: AMOUNT.approved };
  const [asked, allowed] = [
    { id: 'call_10', name: 'Refund', args },
    { id: 'call_l', name: 'Lookup', args: { id: 'o-1' } },
  ] as const;
  const interrupt = () => {
    throw new Error('interrupted');
  };
  const { wrapToolCall } = countersignMiddleware(scene.client(), { interrupt, ToolMessage });
  const state = [new AIMessage({ content: '', tool_calls: [asked, allowed] })] as object;
  const request = { toolCall: allowed, state, runtime: { configurable: { thread_id: 'run-1' } } };
  await expect(wrapToolCall(request, () => scene.work('Lookup', {}))).rejects.toThrow('interrupted');
  expect(scene.ran).toEqual([]);
});

test('of a task whose notes cannot be read nothing runs: it would run again with the next resume', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  scene.answer();
  const calls = [AMOUNT.approved, 30].map((amount) => ({ id: `call_${amount}`, name: 'Refund', args: { amount } }));
  const state = { messages: [new AIMessage({ content: '', tool_calls: calls })] };
  let resumed = 1;
  const interrupt = () => {
    if (!resumed--) throw new Error('interrupted');
  };
  const { wrapToolCall } = countersignMiddleware(scene.client(), { interrupt, ToolMessage });
  const runtime = { configurable: { thread_id: 'run-1' } };
  const ends = calls.map((toolCall) => wrapToolCall({ toolCall, state, runtime }, () => scene.work('Refund', {})));
  expect((await Promise.allSettled(ends)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(scene.ran).toEqual([]);
});

test('an agent within a tool under a permit waits for people: the tool could not begin anew', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  scene.answer();
  const inner = agentOf(scene, [{ id: 'call_10', tool: 'Refund', input: { amount: AMOUNT.approved } }], {});
  const helper = tool(
    async () => {
      const config = { configurable: { thread_id: 'run-1-inner' } };
      const ended = await inner.invoke({ messages: [{ role: 'user', content: 'go' }] }, config);
      return episodeOf(ended as unknown as State).seen['call_10'] ?? 'nothing';
    },
    { name: 'Helper', description: 'Helps', schema: z.object({}) },
  );
  const { wrapToolCall } = countersignMiddleware(scene.client(), { interrupt: () => undefined, ToolMessage });
  const toolCall = { id: 'c-1', name: 'Helper', args: {} };
  const request = { toolCall, tool: helper, runtime: { configurable: { thread_id: 'run-1' } } };
  const handler = ({ tool: own }: typeof request) => own.invoke({ ...toolCall, type: 'tool_call' }, {});
  expect(await wrapToolCall(request, handler)).toMatchObject({ content: 'Refund done' });
  expect(scene.ran).toHaveLength(1);
});

test('of a result of several parts the model gets all, and the sentence about changed arguments behind them', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  scene.answer();
  const { wrapToolCall } = countersignMiddleware(scene.client(), { interrupt: () => undefined, ToolMessage });
  const image = { type: 'image_url' as const, image_url: { url: 'data:,' } };
  const handler = () => new ToolMessage({ content: [image], name: 'Refund', tool_call_id: 'c-1' });
  const toolCall = { id: 'c-1', name: 'Refund', args: { amount: 50 } };
  const { content } = await wrapToolCall({ toolCall, runtime: { configurable: { thread_id: 'run-1' } } }, handler);
  expect(content).toEqual([image, { type: 'text', text: expect.stringContaining('ran with {"amount":5}') }]);
});

test('of a command the message of the call gets the sentence about changed arguments', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  scene.answer();
  const { wrapToolCall } = countersignMiddleware(scene.client(), { interrupt: () => undefined, ToolMessage });
  const message = (id: string) => new ToolMessage({ content: 'done', name: 'Refund', tool_call_id: id });
  const handler = () => new Command({ update: { messages: [message('c-0'), message('c-1')] } });
  const toolCall = { id: 'c-1', name: 'Refund', args: { amount: 50 } };
  const answer = await wrapToolCall({ toolCall, runtime: { configurable: { thread_id: 'run-1' } } }, handler);
  const { messages } = (answer as Command).update as { readonly messages: readonly ToolMessage[] };
  expect(messages.map(({ content }) => content)).toEqual([
    'done',
    expect.stringMatching(/^done\n\nThis call ran with \{"amount":5\}/),
  ]);
});

test('a command whose message of the call says that its tool failed is reported as no success', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  const { wrapToolCall } = countersignMiddleware(scene.client(), { interrupt: () => undefined, ToolMessage });
  const failed = new ToolMessage({ content: 'no', name: 'Lookup', tool_call_id: 'c-1', status: 'error' });
  const handler = () => new Command({ update: { messages: [failed] } });
  const toolCall = { id: 'c-1', name: 'Lookup', args: {} };
  const answer = await wrapToolCall({ toolCall, runtime: { configurable: { thread_id: 'run-1' } } }, handler);
  expect((answer as Command).update).toMatchObject({ messages: [{ content: 'no' }] });
  expect(await scene.reportOf('c-1')).toBe('unknown');
});

test('names the setting that is missing where the agent is invoked without a thread', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  const { wrapToolCall } = countersignMiddleware(scene.client(), { interrupt: () => undefined, ToolMessage });
  const toolCall = { id: 'c-1', name: 'Lookup', args: {} };
  const answer = wrapToolCall({ toolCall, runtime: {} }, () => 'ran');
  await expect(answer).rejects.toThrow('configurable.thread_id');
});

test('a call that nobody answers in the time of the settings ends alone, and the model reads so', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  const settings = { timeout: '1m' } as const;
  const parts = { interrupt: () => undefined, ToolMessage };
  const { wrapToolCall } = countersignMiddleware(scene.client(), parts, settings);
  const toolCall = { id: 'c-1', name: 'Refund', args: { amount: AMOUNT.unanswered } };
  const answer = await wrapToolCall({ toolCall, runtime: { configurable: { thread_id: 'run-1' } } }, () => 'ran');
  expect(answer).toMatchObject({ status: 'error', content: expect.stringMatching(/^nobody decided run-1:c-1/) });
  await scene.until(async () => (await scene.endOf('c-1', 'run-1')) === 'cancelled');
});

test('an edit that the schema of the tool refuses ends alone, before its permit is redeemed', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  scene.answer();
  const { wrapToolCall } = countersignMiddleware(scene.client(), { interrupt: () => undefined, ToolMessage });
  const refund = tool(() => 'paid', { name: 'Refund', schema: z.object({ amount: z.number().min(10) }) });
  const toolCall = { id: 'c-1', name: 'Refund', args: { amount: 50 } };
  const request = { toolCall, tool: refund, runtime: { configurable: { thread_id: 'run-1' } } };
  const { content, status } = (await wrapToolCall(request, () => 'ran')) as ToolMessage;
  expect(content).toMatch(/^The tool was not run\..*amount/);
  expect(status).toBe('error');
  await scene.pass();
  expect((await scene.gate.record('coder', 'run-1:c-1')).map(({ type }) => type)).not.toContain('ran');
});

test.each([
  ['zod', z.object({ amount: z.number() }), /amount: .*expected number/],
  ['JSON Schema', { type: 'object', properties: { amount: { type: 'number' } } }, /amount: must be number/],
] as const)(
  'nobody is asked about arguments that a schema of %s refuses, and the model reads why',
  async (_, schema, why) => {
    const scene = new Scene();
    onTestFinished(() => scene.stop());
    const interrupt = () => {
      throw new Error('interrupted');
    };
    const { wrapToolCall } = countersignMiddleware(scene.client(), { interrupt, ToolMessage });
    const refund = tool(() => 'paid', { name: 'Refund', schema: schema as z.ZodObject });
    const toolCall = { id: 'c-1', name: 'Refund', args: { amount: 'ten' } };
    const request = { toolCall, tool: refund, runtime: { configurable: { thread_id: 'run-1' } } };
    const { content, status } = (await wrapToolCall(request, () => 'ran')) as ToolMessage;
    expect(content).toMatch(/^The tool was not run\. Call it again/);
    expect(content).toMatch(why);
    expect([status, scene.asked]).toEqual(['error', []]);
  },
);

test.each([false, true])('nobody is asked about a tool that the model made up (together: %s)', async (together) => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  const calls: ModelCall[] = [{ id: 'c-1', tool: 'Vanish' as ModelCall['tool'], input: {} }];
  const config = configOf(scene);
  const ended = await agentOf(scene, calls, { together }).invoke({ messages: 'go' } as never, config);
  const { waiting, seen } = episodeOf(ended as unknown as State);
  const told = 'Nothing was run: there is no tool of the name Vanish. Call one that you were given.';
  expect([waiting, seen, scene.asked]).toEqual([[], { 'c-1': told }, []]);
});

test.each([
  ['before the gate is behind it', true, 'Late done'],
  ['after the gate', false, /^Nothing was run: there is no tool of the name Late/],
])('a tool that only a middleware supplies: of one %s', async (_, isBefore, told) => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  const late = tool((input: unknown) => scene.work('Late', input), { name: 'Late', schema: z.object({}) });
  const supplies = createMiddleware({
    name: 'Supplies',
    wrapModelCall: (request, handler) => handler({ ...request, tools: [...(request.tools ?? []), late] }),
    wrapToolCall: (request, handler) => handler({ ...request, tool: late }),
  });
  const gated = createMiddleware(countersignMiddleware(scene.client(), { interrupt: () => undefined, ToolMessage }));
  const model = fakeModel();
  model.respondWithTools([{ id: 'c-1', name: 'Late', args: {} }]).respond(new AIMessage('done'));
  const middleware = isBefore ? [supplies, gated] : [gated, supplies];
  const agent = createAgent({ model, tools: [], checkpointer: new MemorySaver(), middleware });
  scene.answer();
  const ended = await agent.invoke({ messages: 'go' } as never, configOf(scene));
  expect(episodeOf(ended as unknown as State).seen['c-1']).toEqual(
    told instanceof RegExp ? expect.stringMatching(told) : told,
  );
  expect(scene.ran).toHaveLength(isBefore ? 1 : 0);
});

test('a schema that throws has the model read what it reads without the gate', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  const broken = () => {
    throw new Error('down');
  };
  const lookup = tool(() => 'found', { name: 'Lookup', schema: z.object({}).refine(broken) });
  const model = fakeModel();
  model.respondWithTools([{ id: 'c-1', name: 'Lookup', args: {} }]).respond(new AIMessage('done'));
  const middleware = [createMiddleware(countersignMiddleware(scene.client(), { interrupt, ToolMessage }))];
  const agent = createAgent({ model, tools: [lookup], checkpointer: new MemorySaver(), middleware });
  const { messages } = await agent.invoke({ messages: 'go' } as never, configOf(scene));
  expect(messages.map(({ text }) => text).join()).toMatch(/did not match expected schema.*done$/s);
});

test('a tool is told when the time of the guardrails is over', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  const { wrapToolCall } = countersignMiddleware(scene.client(), { interrupt: () => undefined, ToolMessage });
  const told = Promise.withResolvers<unknown>();
  const slow = tool(async (_, { signal }) => told.resolve(await aborted(signal)), {
    ...{ name: 'Slow', schema: z.object({}) },
  });
  const toolCall = { id: 'c-1', name: 'Slow', args: {} };
  const request = { toolCall, tool: slow, runtime: { configurable: { thread_id: 'run-1' } } };
  const handler = ({ tool: own }: typeof request) => own.invoke({ ...toolCall, type: 'tool_call' }, {});
  const { content } = (await wrapToolCall(request, handler)) as ToolMessage;
  expect(content).toMatch(LATE);
  expect(await told.promise).toMatchObject({ code: 'Timeout' });
});
