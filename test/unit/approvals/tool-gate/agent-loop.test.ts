/** Checks the agent loop: refusals, cancels, turns, concurrency and sub-agents. */
import { describe, expect, test } from 'vitest';
import { AgentBuilder } from '../../../../shared/approvals/tool-gate/agent-builder.ts';
import {
  AgentCancelledError,
  type AgentEvent,
  type Model,
  type ModelTurn,
} from '../../../../shared/approvals/tool-gate/agent-loop.ts';
import { ToolConcurrency } from '../../../../shared/approvals/tool-gate/concurrency.ts';
import { subAgentTool } from '../../../../shared/approvals/tool-gate/sub-agent.ts';
import { call, denying, hanging, slowTool } from './gate-world.ts';

const saying = (...turns: ModelTurn[]): Model => {
  const left = [...turns];
  return { next: async () => left.shift() ?? { text: 'nothing more' } };
};

describe('the agent loop', () => {
  test('goes on after a refusal, and the model reads why', async () => {
    const model = saying({ toolUses: [call('bash', 't1')] }, { text: 'acknowledged' });
    const agent = new AgentBuilder(model).tool(slowTool('bash').tool).approval(denying('nope')).build();
    const { text, messages, stopReason } = await agent.run('do it');
    expect([text, stopReason]).toEqual(['acknowledged', 'done']);
    expect(messages[2]).toMatchObject({
      role: 'tool',
      results: [{ toolUseId: 't1', isError: true, content: 'Error: approval denied — nope' }],
    });
  });

  test('tells of each call before the gate, once, also of a refused one', async () => {
    const events: AgentEvent[] = [];
    const model = saying({ text: 'well', toolUses: [call('read', 't1'), call('bash', 't2')] }, { text: 'done' });
    const agent = new AgentBuilder(model).tool(slowTool('read').tool, slowTool('bash').tool).approval(denying('no'));
    await agent.build().run('go', { onEvent: (event) => events.push(event) });
    expect(events.map((event) => event.type)).toEqual([
      'Text',
      'ToolUse',
      'ToolUse',
      'ToolCallPending',
      'ToolCallPending',
      'ToolResult',
      'ToolResult',
      'Text',
    ]);
    expect(events[3]).toMatchObject({ id: 't1', name: 'read', class: 'ReadOnly' });
    expect(events[4]).toMatchObject({ id: 't2', name: 'bash', class: 'Mutating' });
  });

  test('cancelled while a person is asked, ends with what there is', async () => {
    const cancel = new AbortController();
    const model = saying({ text: 'I will', toolUses: [call('bash', 't1'), call('bash', 't2')] });
    const agent = new AgentBuilder(model).tool(slowTool('bash').tool).approval(hanging).build();
    const onEvent = (event: AgentEvent) => {
      if (event.type === 'ToolCallPending') setTimeout(() => cancel.abort(), 1);
    };
    const error = await agent.run('go', { signal: cancel.signal, onEvent }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AgentCancelledError);
    if (!(error instanceof AgentCancelledError)) return;
    expect(error.partial.text).toBe('I will');
    expect(error.partial.messages.at(-1)).toMatchObject({
      results: [
        { toolUseId: 't1', content: 'Error: cancelled while awaiting approval' },
        { toolUseId: 't2', content: 'Error: cancelled before execution' },
      ],
    });
  });

  test('does not wait for a model that does not listen', async () => {
    const cancel = new AbortController();
    const agent = new AgentBuilder({ next: () => new Promise(() => {}) }).build();
    const run = agent.run('go', { signal: cancel.signal });
    cancel.abort();
    await expect(run).rejects.toBeInstanceOf(AgentCancelledError);
  });

  test('stops after so many turns', async () => {
    const agent = new AgentBuilder({ next: async () => ({ toolUses: [call('x')] }) }).build();
    expect((await agent.run('go', { maxTurns: 3 })).stopReason).toBe('max_turns');
  });

  test('takes concurrency tool by tool', async () => {
    const writer = slowTool('w');
    const model = saying({ toolUses: [call('w', 'a', 1), call('w', 'b', 2)] }, { text: 'done' });
    const agent = new AgentBuilder(model).tool(writer.tool).toolConcurrency('w', ToolConcurrency.on()).build();
    await agent.run('go');
    expect(writer.peak()).toBe(2);
  });
});

describe('a sub-agent', () => {
  test("stands behind its parent's gates", async () => {
    const bash = slowTool('bash');
    const child = saying({ toolUses: [call('bash', 'inner')] }, { text: 'was refused' });
    const parent = saying({ toolUses: [call('sub_agent', 'outer', { prompt: 'run it' })] }, { text: 'done' });
    const asked: string[] = [];
    const agent = new AgentBuilder(parent)
      .tool(bash.tool, subAgentTool({ model: child }))
      .approval({
        approve: (name) => {
          asked.push(name);
          return name === 'bash' ? { type: 'deny', reason: 'parent says no' } : { type: 'allow' };
        },
      })
      .build();
    const { messages } = await agent.run('go');
    expect(asked).toEqual(['sub_agent', 'bash']);
    expect(bash.ran).toEqual([]);
    expect(messages[2]).toMatchObject({ results: [{ toolUseId: 'outer', content: 'was refused', isError: false }] });
  });

  test('is not nested without end', async () => {
    const model: Model = {
      next: async (messages) => (messages.length > 2 ? { text: 'up' } : { toolUses: [call('sub_agent', 's', {})] }),
    };
    const agent = new AgentBuilder(model).tool(subAgentTool({ model, maxDepth: 2 })).build();
    expect((await agent.run('go')).stopReason).toBe('done');
  });
});
