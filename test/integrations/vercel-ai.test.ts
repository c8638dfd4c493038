/** Runs the suite of adapters with the Vercel AI SDK. */
import { tool } from 'ai';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { gatedTools } from '../../shared/client/integrations/vercel-ai.ts';
import { vercelAi, vercelAiStreamed } from './adapters/vercel-ai.ts';
import { describeAdapter } from './contract.ts';
import { AMOUNT, Scene } from './scene.ts';

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
