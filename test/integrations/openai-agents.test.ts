/** Runs the suite of adapters with the OpenAI Agents SDK. */
import { Agent, hostedMcpTool, Runner, RunState, shellTool, tool, toolNamespace } from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents-core/testing';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { CountersignError } from '../../shared/client/index.ts';
import { gatedTool, resume } from '../../shared/client/integrations/openai-agents.ts';
import { openaiAgents, openaiAgentsStreamed } from './adapters/openai-agents.ts';
import { describeAdapter } from './contract.ts';
import { AMOUNT, aborted, LATE, Scene } from './scene.ts';

describeAdapter(openaiAgents);
describeAdapter(openaiAgentsStreamed);

test('of an output with images the model gets all, and the sentence about changed arguments behind them', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  scene.answer();
  const image = { type: 'image', image: 'data:image/png;base64,AAAA' };
  const guard = scene.guard();
  const outputOf = (id: string, output: unknown) => {
    const described = { name: 'Refund', description: 'Refunds', parameters: z.object({ amount: z.number() }) };
    const { execute } = gatedTool(guard, { ...described, execute: () => output });
    return execute({ amount: AMOUNT.edited }, undefined, { toolCall: { callId: id } });
  };
  const note = { type: 'text', text: expect.stringContaining('ran with {"amount":5}') };
  expect(await outputOf('c-1', image)).toEqual([image, note]);
  expect(await outputOf('c-2', [{ type: 'text', text: 'see' }, image])).toEqual([
    { type: 'text', text: 'see' },
    image,
    note,
  ]);
  expect(await outputOf('c-3', { type: 'invoice' })).toEqual({ output: { type: 'invoice' }, note: note.text });
  expect(await outputOf('c-4', [])).toEqual({ output: [], note: note.text });
});

test('a JSON schema that stands in the definition has the types that the SDK wants of it', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  const gated = tool(
    gatedTool(scene.guard(), {
      name: 'Lookup',
      description: 'Looks',
      strict: true,
      parameters: {
        type: 'object',
        properties: { id: { type: 'string' } },
        required: ['id'],
        additionalProperties: false,
      },
      outputSchema: {
        type: 'object',
        properties: { found: { type: 'string', enum: ['o-1', 'o-2'] } },
        required: ['found'],
        additionalProperties: false,
      },
      execute: async ({ id }) => ({ found: id }),
    }),
  );
  const toolCall = functionCall('Lookup', { id: 'o-1' }, { callId: 'c-1' });
  expect(await gated.invoke({} as never, toolCall.arguments, { toolCall })).toEqual({ found: 'o-1' });
});

test('a tool with an output schema gives words of the gate in place of an output, and beside a changed call', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  scene.answer();
  const parameters = z.object({ amount: z.number() });
  const described = { description: 'Pays', parameters, outputSchema: z.object({ paid: z.number() }) };
  const execute = async ({ amount }: z.infer<typeof parameters>) => ({ paid: amount });
  const outputOf = async (name: string, amount: number) => {
    const gated = tool(gatedTool(scene.guard(), { name, ...described, execute }));
    const toolCall = functionCall(name, { amount }, { callId: `c-${name}-${amount}` });
    return gated.invoke({} as never, toolCall.arguments, { toolCall });
  };
  expect(await outputOf('Refund', AMOUNT.approved)).toEqual({ paid: 10 });
  expect(await outputOf('Refund', scene.refused)).toContain('refused this call');
  expect(await outputOf('Wipe', 1)).toMatch(/den/i);
  const note = expect.stringContaining('ran with {"amount":5}');
  expect(await outputOf('Refund', AMOUNT.edited)).toEqual({ output: { paid: 5 }, note });
  const wrong = { ...described, name: 'Refund', execute: async () => ({ paid: 'much' as never }) };
  const toolCall = functionCall('Refund', { amount: AMOUNT.approved }, { callId: 'c-wrong' });
  const invoked = tool(gatedTool(scene.guard(), wrong)).invoke({} as never, toolCall.arguments, { toolCall });
  expect(await invoked).toContain('An error occurred while running the tool');
});

test("the words of a tool's own error function stay, and those of the gate are the gate's", async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  const described = { name: 'Lookup', description: 'Looks', parameters: z.object({}), execute: () => 'found' };
  const guard = scene.guard();
  const broken = new Error('no order o-1');
  const own = gatedTool(guard, { ...described, errorFunction: (_: unknown, error: unknown) => `own: ${error}` });
  expect(await own.errorFunction(undefined, broken)).toBe('own: Error: no order o-1');
  expect(await own.errorFunction(undefined, new CountersignError('denied', 'Denied by a rule.'))).toBe(
    'Denied by a rule.',
  );
  expect(await gatedTool(guard, described).errorFunction(undefined, broken)).not.toContain('o-1');
});

test('a tool beside the gated ones keeps an approval of its own, whoever takes the run up', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  scene.answer();
  const parameters = z.object({ amount: z.number() });
  const described = { description: 'Pays', parameters };
  const execute = (name: string) => (input: object) => scene.work(name, input);
  const refund = tool(gatedTool(scene.guard(), { ...described, name: 'Refund', execute: execute('Refund') }));
  const drop = tool({ ...described, name: 'Drop', needsApproval: true, execute: execute('Drop') });
  const calls = [
    functionCall('Refund', { amount: AMOUNT.approved }, { callId: 'c-1' }),
    functionCall('Drop', { amount: 1 }, { callId: 'c-2' }),
    functionCall('Drop', { amount: 2 }, { callId: 'c-3' }),
  ];
  const runner = new Runner({ tracingDisabled: true });
  const agentOf = (steps: ConstructorParameters<typeof ScriptedModel>[0]) =>
    new Agent({ name: 'coder', model: new ScriptedModel(steps), tools: [refund, drop] });
  const first = await runner.run(agentOf([calls]), 'go');
  expect(() => resume(first.state)).toThrow('state: waits for Drop, which is no gated tool');
  const state = await RunState.fromString(agentOf([[assistantMessage('done')]]), first.state.toString());
  for (const item of state.getInterruptions()) {
    if (item.arguments === '{"amount":1}') state.approve(item);
    if (item.arguments === '{"amount":2}') state.reject(item);
  }
  const agent = agentOf([[assistantMessage('done')]]);
  const ended = await runner.run(agent, resume(await RunState.fromString(agent, state.toString())));
  expect([ended.interruptions, ended.finalOutput]).toEqual([[], 'done']);
  expect(scene.ran.map(({ tool: name, input }) => [name, input])).toEqual(
    expect.arrayContaining([
      ['Refund', { amount: 10 }],
      ['Drop', { amount: 1 }],
    ]),
  );
  expect(scene.ran).toHaveLength(2);
});

test('what has the name of a gated tool and is none keeps its own answers, of every kind', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  scene.answer();
  const described = { name: 'Refund', description: 'Pays', parameters: z.object({ amount: z.number() }) };
  const execute = (input: object) => scene.work('Refund', input);
  const refund = tool(gatedTool(scene.guard(), { ...described, execute }));
  const drop = tool({ ...described, needsApproval: true, execute: (input) => scene.work('crm.Refund', input) });
  const named = toolNamespace({ name: 'crm', description: 'Customers', tools: [drop] });
  const shell = shellTool({
    name: 'Refund',
    needsApproval: true,
    shell: {
      run: async () => {
        scene.work('shell', {});
        return { output: [] };
      },
    },
  });
  const hosted = hostedMcpTool({ serverLabel: 'crm', serverUrl: 'http://127.0.0.1:9/', requireApproval: 'always' });
  const request = { type: 'mcp_approval_request', id: 'm-1', server_label: 'crm', name: 'Refund', arguments: '{}' };
  const calls = [
    { type: 'shell_call', callId: 's-1', status: 'completed', action: { commands: ['ls'] } },
    { type: 'hosted_tool_call', id: 'm-1', name: 'Refund', status: 'in_progress', providerData: request },
    { ...functionCall('Refund', { amount: 1 }, { callId: 'f-1' }), namespace: 'crm' },
  ] as const;
  const runner = new Runner({ tracingDisabled: true });
  for (const call of calls) {
    const model = new ScriptedModel([[call as never], [assistantMessage('done')]]);
    const agent = new Agent({ name: 'coder', model, tools: [refund, shell, hosted, ...named] });
    const { state } = await runner.run(agent, 'go');
    expect(() => resume(state), call.type).toThrow('which is no gated tool');
    for (const item of state.getInterruptions()) state.reject(item);
    const { interruptions } = await runner.run(agent, resume(await RunState.fromString(agent, state.toString())));
    expect(interruptions, call.type).toEqual([]);
  }
  expect(scene.ran).toEqual([]);
});

test("an error function gets the SDK's details, and without one errors of the tool end the run", async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  const described = {
    description: 'Looks',
    parameters: z.object({}),
    execute: () => Promise.reject(new Error('down')),
  };
  const ended = (name: string, errorFunction: null | ((_: unknown, error: unknown, details?: object) => string)) => {
    const toolCall = functionCall(name, {}, { callId: `c-${name}` });
    const gated = tool(gatedTool(scene.guard(), { ...described, name, errorFunction }));
    return gated.invoke({} as never, toolCall.arguments, { toolCall });
  };
  expect(await ended('Lookup', (_, error, details) => `${error}: ${Object.keys(details ?? {})}`)).toBe(
    'Error: down: toolCall',
  );
  await expect(ended('Helper', null)).rejects.toThrow(/^down$/);
  expect(await ended('Wipe', null)).toMatch(/^Denied/);
});

test('a tool is told when the time of the guardrails is over', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  const told = Promise.withResolvers<unknown>();
  const execute = async (_: unknown, _context?: unknown, details?: { readonly signal?: AbortSignal }) =>
    told.resolve(await aborted(details?.signal));
  const { execute: run } = gatedTool(scene.guard(), {
    ...{ name: 'Slow', description: 'Slow', parameters: z.object({}) },
    execute,
  });
  await expect(run({}, undefined, { toolCall: { callId: 'c-1' } })).rejects.toThrow(LATE);
  expect(await told.promise).toMatchObject({ code: 'Timeout' });
});

test('an agent that is a tool under a permit waits for people: the tool could not begin anew', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  scene.answer();
  const refund = gatedTool(scene.guard('run-1-inner'), {
    ...{ name: 'Refund', description: 'Refunds', parameters: z.object({ amount: z.number() }) },
    execute: (input) => scene.work('Refund', input),
  });
  const calls = [functionCall('Refund', { amount: AMOUNT.approved }, { callId: 'call_in' })];
  const model = new ScriptedModel([calls, [assistantMessage('done')]]);
  const inner = new Agent({ name: 'inner', model, tools: [tool(refund)] });
  const { execute } = gatedTool(scene.guard(), {
    ...{ name: 'Helper', description: 'Helps', parameters: z.object({}) },
    execute: () => new Runner({ tracingDisabled: true }).run(inner, 'go'),
  });
  const ended = await execute({}, undefined, { toolCall: { callId: 'call_out' } });
  expect(ended).toMatchObject({ interruptions: [], finalOutput: 'done' });
  expect(scene.ran).toEqual([{ tool: 'Refund', input: { amount: AMOUNT.approved } }]);
});

test('nobody is asked about arguments that the schema of the tool refuses', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  const described = { name: 'Refund', description: 'Pays', parameters: z.object({ amount: z.number() }) };
  const refund = tool(
    gatedTool(scene.guard(), { ...described, execute: (input: object) => scene.work('Refund', input) }),
  );
  const calls = [functionCall('Refund', { amount: 'ten' }, { callId: 'c-1' })];
  const model = new ScriptedModel([calls, [assistantMessage('done')]]);
  const runner = new Runner({ tracingDisabled: true });
  const { interruptions, finalOutput } = await runner.run(new Agent({ name: 'coder', model, tools: [refund] }), 'go');
  expect([interruptions, finalOutput, scene.asked, scene.ran]).toEqual([[], 'done', [], []]);
});

test('people are asked about arguments that the schema has converted, which it would not take again', async () => {
  const scene = new Scene();
  onTestFinished(() => scene.stop());
  const cents = (euros: number) => euros * 100;
  const amount = z.number().max(10).transform(cents).pipe(z.number());
  const described = { name: 'Refund', description: 'Pays', parameters: z.object({ amount }) };
  const refund = tool(
    gatedTool(scene.client().guard({ run: scene.run, timeout: '3s' }), {
      ...described,
      execute: (input: object) => scene.work('Refund', input),
    }),
  );
  const calls = [functionCall('Refund', { amount: 1 }, { callId: 'c-1' })];
  const model = new ScriptedModel([calls, [assistantMessage('done')]]);
  const runner = new Runner({ tracingDisabled: true });
  const { interruptions } = await runner.run(new Agent({ name: 'coder', model, tools: [refund] }), 'go');
  expect([interruptions.length, scene.asked, scene.ran]).toEqual([1, [100], []]);
});
