/** Reads the Strands example: gives it a scripted model, and takes the run up with another agent. */
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
  converse(
    agent: Agent,
    from: { readonly prompt?: string; readonly stored?: string },
    store: (run: string) => void,
  ): Promise<string>;
}

const { billing, converse } = (await import(String(process.argv[2]))) as Example;
const agent = () => billing(new ScriptedModel(), 'conversation-7');
let stored = '';
const ended = converse(agent(), { prompt: 'Refund order o-1' }, (run) => {
  stored = run;
  throw new Error('the process ended');
});
console.log(await ended.catch(({ message }: Error) => message));
console.log(await converse(agent(), { stored }, () => undefined));
