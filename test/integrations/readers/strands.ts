/** Reads the Strands example: gives it a scripted model, and answers its interrupts. */
import { type Agent, type Message, Model, type ModelStreamEvent } from '@strands-agents/sdk';

class ScriptedModel extends Model {
  override updateConfig(): void {}
  override getConfig() {
    return { modelId: 'scripted' };
  }
  override async *stream(messages: Message[]): AsyncGenerator<ModelStreamEvent> {
    const result = messages.flatMap(({ content }) => content).find((block) => block.type === 'toolResultBlock');
    const [said] = result?.content ?? [];
    const toolUse = { type: 'toolUseStart', name: 'Refund', toolUseId: 'call_1' } as const;
    yield { type: 'modelMessageStartEvent', role: 'assistant' };
    yield { type: 'modelContentBlockStartEvent', ...(result ? {} : { start: toolUse }) };
    const delta = result
      ? ({ type: 'textDelta', text: `The tool said: ${said && 'text' in said ? said.text : ''}` } as const)
      : ({ type: 'toolUseInputDelta', input: '{"orderId":"o-1"}' } as const);
    yield { type: 'modelContentBlockDeltaEvent', delta };
    yield { type: 'modelContentBlockStopEvent' };
    yield { type: 'modelMessageStopEvent', stopReason: result ? 'endTurn' : 'toolUse' };
  }
}

interface Example {
  billing(model: Model, conversation: string): Agent;
}

const { billing } = (await import(String(process.argv[2]))) as Example;
const agent = billing(new ScriptedModel(), 'conversation-7');
const { stopReason, interrupts = [] } = await agent.invoke('Refund order o-1');
console.log(stopReason, interrupts.length);
const answers = interrupts.map(({ id: interruptId }) => ({ interruptResponse: { interruptId, response: true } }));
console.log(String(await agent.invoke(answers as never)));
