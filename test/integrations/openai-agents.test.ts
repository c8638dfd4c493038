/** Runs the suite of adapters with the OpenAI Agents SDK. */
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { gatedTool } from '../../shared/client/integrations/openai-agents.ts';
import { openaiAgents, openaiAgentsStreamed } from './adapters/openai-agents.ts';
import { describeAdapter } from './contract.ts';
import { AMOUNT, Scene } from './scene.ts';

describeAdapter(openaiAgents);
describeAdapter(openaiAgentsStreamed);

test('of an output with images the model gets all, and the sentence about changed arguments behind them', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  scene.answer();
  const image = { type: 'image', image: 'data:image/png;base64,AAAA' };
  const guard = scene.guard();
  const outputOf = (id: string, output: unknown) => {
    const described = { name: 'Refund', description: 'Refunds', parameters: z.object({ amount: z.number() }) };
    const { execute } = gatedTool(guard, { ...described, execute: () => output });
    return execute({ amount: AMOUNT.edited }, undefined, { toolCall: { callId: id } });
  };
  const note = { type: 'text', text: expect.stringContaining('ran with {"amount":5}') };
  expect(await outputOf('c-1', image)).toEqual([image, note]);
  expect(await outputOf('c-2', [{ type: 'text', text: 'see' }, image])).toEqual([
    { type: 'text', text: 'see' },
    image,
    note,
  ]);
  expect(await outputOf('c-3', { type: 'invoice' })).toEqual({ output: { type: 'invoice' }, note: note.text });
  expect(await outputOf('c-4', [])).toEqual({ output: [], note: note.text });
});
