/** Checks tools of a Mastra agent behind the gate, with a scripted model. */
import { Agent } from '@mastra/core/agent';
import { MastraLanguageModelV2Mock } from '@mastra/core/test-utils/llm-mock';
import { createTool } from '@mastra/core/tools';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { gatedMastraTool } from '../../../shared/client/integrations/mastra.ts';
import { describeAdapter, type ModelCall } from '../contract.ts';
import { AMOUNT, aborted, LATE, Scene, type World } from '../scene.ts';

interface ToolResult {
  readonly type: string;
  readonly toolCallId: string;
  readonly output: { readonly value: unknown };
}

/** Makes its calls in the first turn, ends with the next, and keeps the results that it sees. */
function scripted(calls: readonly ModelCall[], seen: Record<string, string>) {
  let turn = 0;
  return new MastraLanguageModelV2Mock({
    doGenerate: async ({
      prompt,
    }: {
      readonly prompt: readonly { readonly role: string; readonly content: unknown }[];
    }) => {
      for (const { content } of prompt.filter(({ role }) => role === 'tool'))
        for (const { toolCallId, output } of content as ToolResult[])
          seen[toolCallId] = typeof output.value === 'string' ? output.value : JSON.stringify(output.value);
      const isFirst = turn++ === 0;
      const made = calls.map(({ id: toolCallId, tool: toolName, input }) => ({
        ...{ type: 'tool-call', toolCallId, toolName, input: JSON.stringify(input) },
      }));
      return {
        content: isFirst ? made : [{ type: 'text', text: 'done' }],
        finishReason: isFirst ? 'tool-calls' : 'stop',
        usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
        warnings: [],
      };
    },
  } as never);
}

function agentOf(scene: World, calls: readonly ModelCall[], seen: Record<string, string>): Agent {
  const guard = scene.guard();
  const schemas = {
    Refund: z.object({ amount: z.number() }),
    Lookup: z.object({ id: z.string() }),
    Wipe: z.object({}),
  };
  const tools = (['Refund', 'Lookup', 'Wipe'] as const).map((name) => [
    name,
    gatedMastraTool(
      guard,
      createTool({
        id: name,
        description: name,
        inputSchema: schemas[name] as z.ZodObject,
        execute: async (input: unknown) => scene.work(name, input),
      }),
    ),
  ]);
  const model = scripted(calls, seen) as never;
  return new Agent({ id: 'coder', name: 'coder', instructions: 'go', model, tools: Object.fromEntries(tools) });
}

describeAdapter({
  name: 'mastra',
  suspends: false,
  refusal: (message) => message,
  async start(scene, calls, { signal } = {}) {
    const seen: Record<string, string> = {};
    await agentOf(scene, calls, seen).generate('go', { ...(signal ? { abortSignal: signal } : {}) });
    return { waiting: [], state: '', seen };
  },
});

test('one tool that two conversations use asks people once a call, each in the name of its own conversation', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  const inputSchema = z.object({ amount: z.number() });
  const execute = async (input: unknown) => scene.work('Refund', input);
  const tool = createTool({ id: 'Refund', description: 'Refunds', inputSchema: inputSchema as z.ZodObject, execute });
  const [first, second] = ['run-1', 'run-2'].map((run) => gatedMastraTool(scene.guard(run), tool));
  scene.answer();
  const context = { agent: { toolCallId: 'c-1' } } as never;
  expect(await second?.execute?.({ amount: 10 }, context)).toBe('Refund done');
  expect(await first?.execute?.({ amount: 10 }, context)).toBe('Refund done');
  expect(scene.asked).toEqual([10, 10]);
  expect([await scene.endOf('c-1', 'run-1'), await scene.endOf('c-1', 'run-2')]).toEqual(['approved', 'approved']);
});

test('a tool that prepares its outputs for the model is given no refusal, and no sentence about changed arguments', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  scene.answer();
  const tool = createTool({
    id: 'Refund',
    description: 'Refunds',
    inputSchema: z.object({ amount: z.number() }) as z.ZodObject,
    outputSchema: z.object({ paid: z.number() }),
    execute: async (input: unknown) => ({ paid: (input as { readonly amount: number }).amount }),
    toModelOutput: ({ paid }) => ({ type: 'text', value: `paid ${paid.toFixed(2)}` }),
  });
  const gated = gatedMastraTool(scene.guard(), tool);
  const shown = async (amount: number) =>
    gated.toModelOutput?.(
      (await gated.execute?.({ amount }, { agent: { toolCallId: `c-${amount}` } } as never)) as never,
    );
  expect(await shown(10)).toEqual({ type: 'text', value: 'paid 10.00' });
  expect(await shown(50)).toEqual({
    type: 'content',
    value: [
      { type: 'text', text: 'paid 5.00' },
      { type: 'text', text: expect.stringContaining('ran with {"amount":5}') },
    ],
  });
  expect(await shown(scene.refused)).toEqual({ type: 'text', value: expect.stringContaining('Too much') });
  expect(tool.toModelOutput?.({ paid: 1 })).toEqual({ type: 'text', value: 'paid 1.00' });
});

test('a tool that gives a text is given it back without the sentence', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  scene.answer();
  const tool = createTool({
    id: 'Refund',
    description: 'Refunds',
    inputSchema: z.object({ amount: z.number() }) as z.ZodObject,
    execute: async (input: unknown) => `AA${(input as { readonly amount: number }).amount}=`,
    toModelOutput: (output) => ({ type: 'text', value: `<${output}>` }),
  });
  const gated = gatedMastraTool(scene.guard(), tool);
  const output = await gated.execute?.({ amount: AMOUNT.edited }, { agent: { toolCallId: 'c-1' } } as never);
  expect(await gated.toModelOutput?.(output as never)).toEqual({
    type: 'content',
    value: [
      { type: 'text', text: '<AA5=>' },
      { type: 'text', text: expect.stringContaining('ran with {"amount":5}') },
    ],
  });
});

test('a tool is told when the time of the guardrails is over', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  const told = Promise.withResolvers<unknown>();
  const execute = async (_: unknown, context: { readonly abortSignal?: AbortSignal }) =>
    told.resolve(await aborted(context.abortSignal));
  const tool = createTool({ id: 'Slow', description: 'Slow', inputSchema: z.object({}) as z.ZodObject, execute });
  const gated = gatedMastraTool(scene.guard(), tool);
  const { signal } = new AbortController();
  const context = { agent: { toolCallId: 'c-1' }, abortSignal: signal };
  expect(await gated.execute?.({}, context as never)).toMatch(LATE);
  expect(await told.promise).toMatchObject({ code: 'Timeout' });
  expect(context.abortSignal).toBe(signal);
});

test('a tool whose output its schema refuses is reported as no success', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  const tool = createTool({
    id: 'Lookup',
    description: 'Looks up',
    inputSchema: z.object({ id: z.string() }) as z.ZodObject,
    outputSchema: z.object({ found: z.number() }),
    execute: async () => ({ found: 'none' }) as never,
  });
  const context = { agent: { toolCallId: 'c-1' } } as never;
  expect(await gatedMastraTool(scene.guard(), tool).execute?.({ id: 'a' }, context)).toMatchObject({ error: true });
  expect(await scene.reportOf('c-1')).toBe('unknown');
});
