/** Runs the suite of adapters with the Vercel AI SDK. */
import { tool, type UIMessage, validateUIMessages } from 'ai';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { gatedTools } from '../../shared/client/integrations/vercel-ai.ts';
import { vercelAi, vercelAiStreamed } from './adapters/vercel-ai.ts';
import { describeAdapter } from './contract.ts';
import { AMOUNT, aborted, LATE, Scene } from './scene.ts';

describeAdapter(vercelAi);
describeAdapter(vercelAiStreamed);

test('a tool that gives outputs one after another runs to its end under the permit, and gives its last one', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  const { tools } = gatedTools(scene.guard(), {
    Lookup: {
      async *execute(input: object, _options: unknown) {
        yield 'looking';
        yield scene.work('Lookup', input);
      },
    },
  });
  const output = await tools.Lookup.execute({ id: 'a' }, { toolCallId: 'c-1' });
  expect(output).toBe('Lookup done');
  expect(scene.ran).toEqual([{ tool: 'Lookup', input: { id: 'a' } }]);
});

test('a tool that prepares its outputs for the model is given no refusal, and no sentence about changed arguments', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  scene.answer();
  const { tools } = gatedTools(scene.guard(), {
    Refund: tool({
      inputSchema: z.object({ amount: z.number() }),
      execute: ({ amount }) => ({ paid: amount }),
      toModelOutput: ({ output }) => ({ type: 'text', value: `paid ${output.paid.toFixed(2)}` }),
    }),
  });
  const { execute, toModelOutput } = tools.Refund;
  const shown = async (amount: number) => {
    const options = { toolCallId: `c-${amount}`, messages: [], context: {} };
    // A chat stores the output, and prepares it again for the next turn.
    const output = JSON.parse(JSON.stringify(await execute?.({ amount }, options as never)));
    return toModelOutput?.({ toolCallId: options.toolCallId, input: { amount }, output });
  };
  expect(await shown(AMOUNT.approved)).toEqual({ type: 'text', value: 'paid 10.00' });
  expect(await shown(AMOUNT.edited)).toEqual({
    type: 'content',
    value: [
      { type: 'text', text: 'paid 5.00' },
      { type: 'text', text: expect.stringContaining('ran with {"amount":5}') },
    ],
  });
  expect(await shown(scene.refused)).toEqual({ type: 'text', value: expect.stringContaining('Too much') });
});

test('what is assigned to a tool once it stands behind the gate does not run past it', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  const given: Record<'Lookup' | 'Wipe', { execute?: (input: object, options: unknown) => unknown }> = {
    Lookup: {},
    Wipe: { execute: () => 'wiped' },
  };
  const { tools } = gatedTools(scene.guard(), given);
  for (const [name, tool] of Object.entries(given)) tool.execute = () => scene.work(name, {});
  expect(tools.Lookup.execute).toBeUndefined();
  expect(await tools.Wipe.execute?.({}, { toolCallId: 'c-1' })).toContain('Denied');
  expect(scene.ran).toEqual([]);
});

test('an edit that the schema of the tool refuses ends alone, and the model reads why', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  scene.answer();
  const inputSchema = z.object({ amount: z.number().min(10) });
  const { tools } = gatedTools(scene.guard(), { Refund: tool({ inputSchema, execute: () => 'paid' }) });
  const options = { toolCallId: 'c-1', messages: [], context: {} };
  const output = await tools.Refund.execute?.({ amount: AMOUNT.edited }, options as never);
  expect(output).toMatch(/^The tool was not run\..*amount/);
});

test('a tool that gives a text is given it back without the sentence', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  scene.answer();
  const { tools } = gatedTools(scene.guard(), {
    Refund: tool({
      inputSchema: z.object({ amount: z.number() }),
      execute: async ({ amount }) => `AA${amount}=`,
      toModelOutput: ({ output }) => ({ type: 'text', value: `<${output}>` }),
    }),
  });
  const options = { toolCallId: 'c-1', messages: [], context: {} };
  const input = { amount: AMOUNT.edited };
  const output = (await tools.Refund.execute?.(input, options as never)) as never;
  expect(await tools.Refund.toModelOutput?.({ toolCallId: 'c-1', input, output })).toEqual({
    type: 'content',
    value: [
      { type: 'text', text: '<AA5=>' },
      { type: 'text', text: expect.stringContaining('ran with {"amount":5}') },
    ],
  });
});

const OPTIONS = { toolCallId: 'c-1', messages: [], context: {} };

test('arguments that the schema of the tool converts run as people saw them, and no others in their place', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  scene.answer();
  const inputSchema = z.object({ amount: z.number().transform((amount) => amount * 100) });
  const execute = (input: object) => scene.work('Refund', input);
  const { tools } = gatedTools(scene.guard(), { Refund: tool({ inputSchema, execute }) });
  // The SDK hands on arguments that the schema has read.
  const { approved, edited } = AMOUNT;
  expect(await tools.Refund.execute?.({ amount: approved }, OPTIONS as never)).toBe('Refund done');
  const output = await tools.Refund.execute?.({ amount: edited }, { ...OPTIONS, toolCallId: 'c-2' } as never);
  expect(output).toMatch(/^The tool was not run\..*converts arguments/);
  expect(scene.ran).toEqual([{ tool: 'Refund', input: { amount: approved } }]);
});

test('an edit that the schema refuses leaves its permit unused, and no outcome on record', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  scene.answer();
  const inputSchema = z.object({ amount: z.number().min(10) });
  const { tools } = gatedTools(scene.guard(), { Refund: tool({ inputSchema, execute: () => 'paid' }) });
  await tools.Refund.execute?.({ amount: AMOUNT.edited }, OPTIONS as never);
  await scene.pass();
  expect((await scene.gate.record('coder', 'run-1:c-1')).map(({ type }) => type)).not.toContain('ran');
});

test('a chat that checks its stored outputs by their schema takes a refusal and the sentence about an edit', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  scene.answer();
  const { tools } = gatedTools(scene.guard(), {
    Refund: tool({
      inputSchema: z.object({ amount: z.number() }),
      outputSchema: z.object({ paid: z.number() }),
      execute: ({ amount }) => ({ paid: amount }),
    }),
  });
  const stored = async (amount: number, toolCallId: string): Promise<UIMessage> => {
    const input = { amount };
    const output = await tools.Refund.execute?.(input, { ...OPTIONS, toolCallId } as never);
    const part = { type: 'tool-Refund', toolCallId, state: 'output-available', input, output } as const;
    return JSON.parse(JSON.stringify({ id: toolCallId, role: 'assistant', parts: [part] }));
  };
  const [approved, edited, refused] = await Promise.all([
    stored(AMOUNT.approved, 'c-1'),
    stored(AMOUNT.edited, 'c-2'),
    stored(scene.refused, 'c-3'),
  ]);
  const messages = [approved, edited, refused];
  await expect(validateUIMessages({ messages, tools: tools as never })).resolves.toHaveLength(3);
  const forged = JSON.parse(JSON.stringify(approved).replace('{"paid":10}', '{"paid":"all"}'));
  await expect(validateUIMessages({ messages: [forged], tools: tools as never })).rejects.toThrow('paid');
  const { parts } = refused;
  const { output } = parts[0] as unknown as { readonly output: never };
  const shown = await tools.Refund.toModelOutput?.({ toolCallId: 'c-3', input: { amount: 0 }, output });
  expect(shown).toEqual({ type: 'text', value: expect.stringContaining('Too much') });
});

test('a result of MCP that says its tool failed is reported as no success', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  const result = { content: [{ type: 'text', text: 'no' }], isError: true };
  const { tools } = gatedTools(scene.guard(), { Lookup: { execute: async (_: object, _options: object) => result } });
  expect(await tools.Lookup.execute({ id: 'a' }, { toolCallId: 'c-1' })).toEqual(result);
  expect(await scene.reportOf('c-1')).toBe('unknown');
});

test('a tool that stands beside the gate is asked about where it says so itself', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  const { tools, toolApproval } = gatedTools(scene.guard(), {
    Lookup: tool({ inputSchema: z.object({}), needsApproval: true, execute: () => 'found' }),
    Shown: { needsApproval: true },
  });
  const inputSchema = z.object({ amount: z.number() });
  const contextSchema = z.object({ most: z.number().default(5) });
  const Drop = tool({ inputSchema, needsApproval: true, execute: () => 'dropped' });
  const Pay = tool({
    ...{ inputSchema, contextSchema, execute: () => 'paid' },
    needsApproval: ({ amount }, { context }) => amount > context.most,
  });
  const all = { ...tools, Drop, Pay };
  const asked = (toolName: string, amount: number, toolsContext: object = { Pay: {} }) =>
    toolApproval({ toolCall: { toolCallId: 'c-1', toolName, input: { amount } }, tools: all, toolsContext });
  expect(await Promise.all([asked('Drop', 1), asked('Shown', 1), asked('Pay', 10)])).toEqual(
    Array(3).fill('user-approval'),
  );
  expect(await asked('Pay', 1, { Pay: { most: 'all' } })).toBe('user-approval');
  expect(await Promise.all([asked('Lookup', 1), asked('Pay', 1), asked('toString', 1)])).toEqual(
    Array(3).fill(undefined),
  );
});

test('a tool is told when the time of the guardrails is over', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  const told = Promise.withResolvers<unknown>();
  const execute = async (_: object, { abortSignal }: { readonly abortSignal?: AbortSignal | undefined }) =>
    told.resolve(await aborted(abortSignal));
  const { tools } = gatedTools(scene.guard(), { Slow: tool({ inputSchema: z.object({}), execute }) });
  expect(await tools.Slow.execute?.({}, OPTIONS as never)).toMatch(LATE);
  expect(await told.promise).toMatchObject({ code: 'Timeout' });
});
