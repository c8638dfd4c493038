/** Reads the example of Google ADK: gives its tool to an agent with a scripted model. */
import {
  BaseLlm,
  type BaseLlmConnection,
  type FunctionTool,
  InMemorySessionService,
  LlmAgent,
  type LlmRequest,
  type LlmResponse,
  Runner,
} from '@google/adk';

class ScriptedModel extends BaseLlm {
  override async *generateContentAsync({ contents }: LlmRequest): AsyncGenerator<LlmResponse, void> {
    const parts = contents.flatMap(({ parts = [] }) => parts);
    const response = parts.find(({ functionResponse }) => functionResponse)?.functionResponse?.response;
    const call = { functionCall: { id: 'call_1', name: 'Refund', args: { orderId: 'o-1' } } };
    yield { content: { role: 'model', parts: [response ? { text: `The tool said: ${response['result']}` } : call] } };
  }
  override connect(): Promise<BaseLlmConnection> {
    throw new Error('nothing connects here');
  }
}

const { ofAdk } = (await import(String(process.argv[2]))) as { readonly ofAdk: FunctionTool };
const session = { appName: 'reader', userId: 'u-1', sessionId: 'conversation-7' };
const sessionService = new InMemorySessionService();
await sessionService.createSession(session);
const agent = new LlmAgent({ name: 'billing', model: new ScriptedModel({ model: 'scripted' }), tools: [ofAdk] });
const runner = new Runner({ appName: session.appName, agent, sessionService });
const newMessage = { role: 'user', parts: [{ text: 'Refund order o-1' }] };
for await (const { content } of runner.runAsync({ ...session, newMessage }))
  for (const { text } of content?.parts ?? []) if (text) console.log(text);
