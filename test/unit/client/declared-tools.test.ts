/** Checks that a tool is refused where it is declared if its name cannot run, or it begins late. */
import { expect, test } from 'vitest';
import { CountersignClient } from '../../../shared/client/index.ts';
import { gatedAdkTool } from '../../../shared/client/integrations/google-adk.ts';
import { gatedMastraTool } from '../../../shared/client/integrations/mastra.ts';
import { gatedServer } from '../../../shared/client/integrations/mcp.ts';
import { gatedTool } from '../../../shared/client/integrations/openai-agents.ts';
import { gatedTools } from '../../../shared/client/integrations/vercel-ai.ts';
import { createTestGate } from '../../../shared/testing/index.ts';
import { GUARDED_POLICY } from './guarded-policy.ts';

const run = async () => 'ran';
const client = new CountersignClient(createTestGate({ policy: GUARDED_POLICY }).clientOptions('coder'));
const guard = client.guard({ run: 'r' });
const answer = async () => ({ content: [] });
const update = (_: { readonly name: string }) => {};
const registerTool = (_name: string, _config: object, _handler: typeof answer) => ({ update });
const server = () => gatedServer({ registerTool }, client);

const DECLARED: Record<string, (name: string) => unknown> = {
  gate: (name) => client.gate(name, run),
  'openai-agents': (name) =>
    gatedTool(guard, { name, description: '', parameters: { type: 'object' } as never, execute: run as never }),
  'vercel-ai': (name) => gatedTools(guard, { [name]: { execute: run } }),
  'google-adk': (name) => gatedAdkTool(guard, { name, description: '', execute: run }),
  mastra: (name) => gatedMastraTool(guard, { id: name, execute: run }),
  mcp: (name) => server().registerTool(name, {}, answer),
  'mcp, renamed': (name) => server().registerTool('Lookup', {}, answer).update({ name }),
};

test.each(Object.entries(DECLARED))('%s', (_, declare) => {
  for (const name of ['Issue refund', 'Überweisung', 'constructor', 'x'.repeat(129)])
    expect(() => declare(name)).toThrow(/is no name of a tool, and each call would be denied: \w/);
  for (const name of ['issue_refund', 'mcp__billing__issue-refund', 'x'.repeat(128)])
    expect(() => declare(name)).not.toThrow();
});

test.each([undefined, null])(
  'tools that run elsewhere may have any name, and are no calls of the gate: %s',
  async (execute) => {
    const { tools, toolApproval } = gatedTools(guard, { 'Issue refund': { execute: execute as undefined } });
    expect(tools['Issue refund'].execute ?? undefined).toBeUndefined();
    const toolCall = { toolCallId: 'c', toolName: 'Issue refund', input: {} };
    expect(await toolApproval({ toolCall } as never)).toBeUndefined();
  },
);

test('a tool that begins once somebody reads its outputs is refused, and nothing is proposed', async () => {
  const call = { callId: 'c', tool: 'Lookup', input: {} };
  const all: (() => unknown)[] = [
    function* () {
      yield 1;
    },
    async function* () {
      yield 1;
    },
  ];
  for (const outputs of all) {
    const refusal = /^(?:run|tool): is a generator, which would begin after its run is reported/;
    expect(() => client.gate('Lookup', outputs)).toThrow(refusal);
    await expect(guard.run(call, outputs)).rejects.toThrow(refusal);
    await expect(guard.answer(call, outputs)).rejects.toThrow(refusal);
    const declared: (() => unknown)[] = [
      () => gatedTool(guard, { name: 'Lookup', description: '', parameters: {} as never, execute: outputs as never }),
      () => gatedAdkTool(guard, { name: 'Lookup', description: '', execute: outputs }),
      () => gatedMastraTool(guard, { id: 'Lookup', execute: outputs as typeof run }),
    ];
    for (const declare of declared) expect(declare).toThrow('is a generator, which would begin after its run');
    // The SDK reads such a tool to its end.
    expect(() => gatedTools(guard, { Lookup: { execute: outputs } })).not.toThrow();
  }
});

test('a generator that a tool returns is no output, and no success of its run', async () => {
  const gate = createTestGate({
    policy: GUARDED_POLICY,
    approver: ({ round }) =>
      round > 1 ? { choice: 'approve', by: 'bob' } : { choice: 'edit', input: { amount: 5 }, by: 'bob' },
  });
  const redeeming = new CountersignClient(gate.clientOptions('coder'));
  const read: string[] = [];
  function* texts() {
    yield read.push('read');
  }
  const later = async function* () {
    yield* texts();
  };
  const refusal = 'tool: returned a generator, which has not begun: return the whole output';
  for (const [id, outputs] of [texts, later].entries()) {
    await expect(redeeming.gate('Lookup', () => outputs())({}, { id: `gate-${id}` })).rejects.toThrow(refusal);
    const call = { callId: `${id}`, tool: 'Lookup', input: {} };
    const run = redeeming.guard({ run: 'r' });
    await expect(run.run(call, () => outputs())).rejects.toThrow(refusal);
    const edited = { callId: `edited-${id}`, tool: 'Refund', input: { amount: 50 + id } };
    await expect(run.answer(edited, () => outputs())).rejects.toThrow(refusal);
    for (const proposal of [`gate-${id}`, `r:${id}`, `r:edited-${id}`])
      expect((await gate.record('coder', proposal)).at(-1)).toMatchObject({ ran: { status: 'unknown' } });
  }
  expect(read).toEqual([]);
  await gate.stop();
});
