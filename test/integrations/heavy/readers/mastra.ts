/** Reads the example of Mastra: gives its tool to an agent with a scripted model. */
import { Agent } from '@mastra/core/agent';
import { MastraLanguageModelV2Mock } from '@mastra/core/test-utils/llm-mock';
import type { Tool } from '@mastra/core/tools';

interface Part {
  readonly type: string;
  readonly output?: { readonly value: unknown };
}

const call = { type: 'tool-call', toolCallId: 'call_1', toolName: 'Refund', input: '{"orderId":"o-1"}' };
const model = new MastraLanguageModelV2Mock({
  doGenerate: async ({ prompt }: { readonly prompt: readonly { readonly content: string | readonly Part[] }[] }) => {
    const parts = prompt.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
    const result = parts.find(({ type }) => type === 'tool-result');
    return {
      content: [result ? { type: 'text', text: `The tool said: ${result.output?.value}` } : call],
      finishReason: result ? 'stop' : 'tool-calls',
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
      warnings: [],
    };
  },
} as never);

const { ofMastra } = (await import(String(process.argv[2]))) as { readonly ofMastra: Tool };
const tools = { Refund: ofMastra };
const agent = new Agent({ id: 'billing', name: 'billing', instructions: 'Refund', model: model as never, tools });
console.log((await agent.generate('Refund order o-1')).text);
