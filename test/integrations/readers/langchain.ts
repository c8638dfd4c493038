/** Reads the LangChain example: gives it a scripted model, and takes the thread up with new agents. */
import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages';
import { type FakeBuiltModel, fakeModel } from '@langchain/core/testing';

interface State {
  readonly messages: readonly BaseMessage[];
  readonly __interrupt__?: readonly { readonly id: string }[];
}
interface Agent {
  invoke(input: unknown, config: object): Promise<State>;
}
interface Example {
  billing(model: FakeBuiltModel): Agent;
  converse(agent: Agent, thread: string, prompt?: string): Promise<string | undefined>;
}

const { billing, converse } = (await import(String(process.argv[2]))) as Example;
const model = fakeModel()
  .respondWithTools([{ id: 'call_1', name: 'Refund', args: { orderId: 'o-1' } }])
  .respond(new Error('the process ended'))
  .respond(
    (messages) => new AIMessage(`The tool said: ${messages.find((each) => ToolMessage.isInstance(each))?.text}`),
  );

const config = { configurable: { thread_id: 'conversation-7' } };
const { __interrupt__: interrupts = [] } = await billing(model).invoke({ messages: ['Refund order o-1'] }, config);
console.log('interrupted', interrupts.length);
console.log(await converse(billing(model), 'conversation-7').catch(({ message }: Error) => message));
console.log(await converse(billing(model), 'conversation-7'));
