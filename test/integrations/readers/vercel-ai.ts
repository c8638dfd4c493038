/** Reads the Vercel AI SDK's example: gives it a scripted model, and the messages that it stored. */
import type { ModelMessage } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';

interface Example {
  turn(
    model: MockLanguageModelV4,
    conversation: string,
    messages: ModelMessage[],
  ): Promise<{ readonly text: string; readonly isAsked: boolean; readonly messages: ModelMessage[] }>;
}

const { turn } = (await import(String(process.argv[2]))) as Example;
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const call = { type: 'tool-call', toolCallId: 'call_1', toolName: 'Refund', input: '{"orderId":"o-1"}' } as const;
const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const results = prompt.flatMap(({ role, content }) => (role === 'tool' ? content : []));
    const seen = results.flatMap((part) =>
      part.type === 'tool-result' && 'value' in part.output ? [part.output] : [],
    );
    const content = seen.length ? { type: 'text' as const, text: `The tool said: ${seen[0]?.value}` } : call;
    const finishReason = { unified: seen.length ? ('stop' as const) : ('tool-calls' as const), raw: undefined };
    return { content: [content], finishReason, usage, warnings: [] };
  },
});

const asked = await turn(model, 'conversation-7', [{ role: 'user', content: 'Refund order o-1' }]);
console.log('asked', asked.isAsked);
const stored: ModelMessage[] = JSON.parse(JSON.stringify(asked.messages));
console.log((await turn(model, 'conversation-7', stored)).text);
