/** Runs the suite of adapters with the Vercel AI SDK. */
import { expect, onTestFinished, test } from 'vitest';
import { gatedTools } from '../../shared/client/integrations/vercel-ai.ts';
import { vercelAi, vercelAiStreamed } from './adapters/vercel-ai.ts';
import { describeAdapter } from './contract.ts';
import { Scene } from './scene.ts';

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
