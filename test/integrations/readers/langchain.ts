/** Reads the LangChain example: gives it a scripted model, and resumes each interrupt by its id. */
import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages';
import { type FakeBuiltModel, fakeModel } from '@langchain/core/testing';
import { Command } from '@langchain/langgraph';

interface State {
  readonly messages: readonly BaseMessage[];
  readonly __interrupt__?: readonly { readonly id: string }[];
}
interface Example {
  billing(model: FakeBuiltModel): { invoke(input: unknown, config: object): Promise<State> };
}

const { billing } = (await import(String(process.argv[2]))) as Example;
const model = fakeModel()
  .respondWithTools([{ id: 'call_1', name: 'Refund', args: { orderId: 'o-1' } }])
  .respond(
    (messages) => new AIMessage(`The tool said: ${messages.find((each) => ToolMessage.isInstance(each))?.text}`),
  );

const agent = billing(model);
const config = { configurable: { thread_id: 'conversation-7' } };
const { __interrupt__: interrupts = [] } = await agent.invoke({ messages: ['Refund order o-1'] }, config);
console.log('interrupted', interrupts.length);
const resume = Object.fromEntries(interrupts.map(({ id }) => [id, true]));
console.log((await agent.invoke(new Command({ resume }), config)).messages.at(-1)?.text);
