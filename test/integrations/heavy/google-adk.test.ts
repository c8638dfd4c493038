/** Checks tools of a Google ADK agent behind the gate, with a scripted model. */
import {
  BaseLlm,
  type BaseLlmConnection,
  FunctionTool,
  InMemorySessionService,
  LlmAgent,
  type LlmRequest,
  type LlmResponse,
  Runner,
} from '@google/adk';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { gatedAdkTool } from '../../../shared/client/integrations/google-adk.ts';
import { describeAdapter, type ModelCall } from '../contract.ts';
import { aborted, LATE, Scene, type World } from '../scene.ts';

const SESSION = { appName: 'tests', userId: 'u-1', sessionId: 'run-1' };

const textOf = (response: Readonly<Record<string, unknown>> = {}) => String(response['result'] ?? response['error']);

/** Makes its calls in the first turn, and ends with the next. */
class ScriptedModel extends BaseLlm {
  readonly seen: Record<string, string> = {};
  #calls: readonly ModelCall[];
  constructor(calls: readonly ModelCall[]) {
    super({ model: 'scripted' });
    this.#calls = calls;
  }
  override async *generateContentAsync({ contents }: LlmRequest): AsyncGenerator<LlmResponse, void> {
    for (const { functionResponse } of contents.flatMap(({ parts = [] }) => parts))
      if (functionResponse) this.seen[functionResponse.id ?? ''] = textOf(functionResponse.response);
    const calls = this.#calls;
    this.#calls = [];
    const parts = calls.map(({ id, tool: name, input }) => ({ functionCall: { id, name, args: { ...input } } }));
    yield { content: { role: 'model', parts: calls.length ? parts : [{ text: 'done' }] } };
  }
  override connect(): Promise<BaseLlmConnection> {
    throw new Error('nothing connects here');
  }
}

function agentOf(scene: World, model: ScriptedModel): LlmAgent {
  const guard = scene.guard();
  const schemas = {
    Refund: z.object({ amount: z.number() }),
    Lookup: z.object({ id: z.string() }),
    Wipe: z.object({}),
  };
  const tools = (['Refund', 'Lookup', 'Wipe'] as const).map(
    (name) =>
      new FunctionTool(
        gatedAdkTool(guard, {
          name,
          description: name,
          parameters: schemas[name] as z.ZodObject,
          execute: (input: Record<string, unknown>) => scene.work(name, input),
        }),
      ),
  );
  return new LlmAgent({ name: 'coder', model, tools });
}

describeAdapter({
  name: 'google-adk',
  suspends: false,
  oneByOne: true,
  refusal: (message) => message,
  async start(scene, calls, { signal } = {}) {
    const model = new ScriptedModel(calls);
    const sessionService = new InMemorySessionService();
    await sessionService.createSession(SESSION);
    const runner = new Runner({ appName: SESSION.appName, agent: agentOf(scene, model), sessionService });
    const { userId, sessionId } = SESSION;
    const newMessage = { role: 'user', parts: [{ text: 'go' }] };
    const events = runner.runAsync({ userId, sessionId, newMessage, ...(signal ? { abortSignal: signal } : {}) });
    for await (const _ of events);
    return { waiting: [], state: '', seen: model.seen };
  },
});

test('a tool is told when the time of the guardrails is over, in a context of the same class', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  class Context {
    readonly functionCallId = 'c-1';
    readonly abortSignal = new AbortController().signal;
    get name() {
      return `context of ${this.functionCallId}`;
    }
  }
  const told = Promise.withResolvers<unknown>();
  const execute = async (_: unknown, context?: Context) =>
    told.resolve([await aborted(context?.abortSignal), context?.name]);
  const slow = gatedAdkTool(scene.guard(), {
    ...{ name: 'Slow', description: 'Slow', parameters: z.object({}) },
    execute,
  });
  expect(await slow.execute({}, new Context())).toEqual({ error: expect.stringMatching(LATE) });
  expect(await told.promise).toEqual([expect.objectContaining({ code: 'Timeout' }), 'context of c-1']);
});
