/** Reads the OpenAI Agents example, which is a whole program: has the SDK give it a scripted model. */
import { setDefaultModelProvider, setTracingDisabled } from '@openai/agents';
import { assistantMessage, functionCall, modelResponder, ScriptedModel } from '@openai/agents-core/testing';

const model = new ScriptedModel([
  [functionCall('Refund', { orderId: 'o-1' }, { callId: 'call_1' })],
  modelResponder(({ request: { input } }) => {
    const results = typeof input === 'string' ? [] : input.filter((item) => item.type === 'function_call_result');
    const [{ output = '' } = {}] = results;
    return [
      assistantMessage(`The tool said: ${typeof output === 'object' && 'text' in output ? output.text : output}`),
    ];
  }),
]);
setTracingDisabled(true);
setDefaultModelProvider({ getModel: () => model });
await import(String(process.argv[2]));
