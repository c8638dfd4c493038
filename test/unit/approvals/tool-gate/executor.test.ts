/** Checks the executor's two gates, policy and approval, and the classes of tools. */
import { describe, expect, test } from 'vitest';
import {
  ApprovalDecision,
  type ApprovalHandler,
  AutoApprove,
} from '../../../../shared/approvals/tool-gate/approval-handler.ts';
import { ToolRegistry } from '../../../../shared/approvals/tool-gate/registry.ts';
import { classOf } from '../../../../shared/approvals/tool-gate/tool.ts';
import { call, denying, executorOf, hanging, slowTool } from './gate-world.ts';

const echo = { name: 'echo', execute: (input: unknown) => String((input as { msg?: string }).msg) };

describe('the two gates', () => {
  test('policy first, then existence, then approval', async () => {
    const asked: string[] = [];
    const approval: ApprovalHandler = {
      approve: (name) => {
        asked.push(name);
        return ApprovalDecision.Allow;
      },
    };
    const policy = { isAllowed: (name: string) => name !== 'ghost' && name !== 'bash' };
    const executor = executorOf([echo, { name: 'bash', execute: () => 'x' }], { policy, approval });
    expect((await executor.executeOne(call('bash'))).content).toBe("Error: tool 'bash' is not allowed by policy");
    expect((await executor.executeOne(call('ghost'))).content).toBe("Error: tool 'ghost' is not allowed by policy");
    expect((await executor.executeOne(call('spirit'))).content).toBe("Error: tool 'spirit' not found");
    expect(asked).toEqual([]);
    expect(await executor.executeOne(call('echo', 't1', { msg: 'hi' }))).toEqual({
      type: 'tool_result',
      toolUseId: 't1',
      content: 'hi',
      isError: false,
    });
    expect(asked).toEqual(['echo']);
  });

  test('a refusal is a result with the reason, and the tool does not run', async () => {
    const { tool, ran } = slowTool('observe');
    const result = await executorOf([tool], { approval: denying('not on Fridays') }).executeOne(call('observe'));
    expect(result).toMatchObject({ isError: true, content: 'Error: approval denied — not on Fridays' });
    expect(ran).toEqual([]);
  });

  test('nobody asked means everything runs', async () => {
    const bash = { name: 'bash', execute: () => 'gone' };
    expect((await executorOf([bash]).executeOne(call('bash', 't', { command: 'rm -rf /' }))).isError).toBe(false);
    expect(AutoApprove.approve('bash', {}, 'Mutating', new AbortController().signal)).toEqual({ type: 'allow' });
  });

  test("a tool's failure is the model's to read", async () => {
    const boom = { name: 'boom', execute: () => Promise.reject(new Error('x')) };
    const sorry = { name: 'sorry', execute: () => ({ error: 'no such file' }) };
    const executor = executorOf([boom, sorry]);
    expect(await executor.executeOne(call('boom'))).toMatchObject({ isError: true, content: 'Error: x' });
    expect(await executor.executeOne(call('sorry'))).toMatchObject({ isError: true, content: 'no such file' });
  });

  test('the handler cannot change what runs', async () => {
    const approval: ApprovalHandler = {
      approve: (_, input) => {
        (input as { msg: string }).msg = 'changed';
        return ApprovalDecision.Allow;
      },
    };
    const result = await executorOf([echo], { approval }).executeOne(call('echo', 't', { msg: 'as asked' }));
    expect(result.content).toBe('as asked');
  });

  test('whoever made the call cannot change it while a person is asked', async () => {
    const input = { msg: 'as asked' };
    const approval: ApprovalHandler = {
      approve: async () => {
        input.msg = 'changed';
        return ApprovalDecision.Allow;
      },
    };
    const result = await executorOf([echo], { approval }).executeOne(call('echo', 't', input));
    expect(result.content).toBe('as asked');
  });

  test('an input that cannot be copied ends as a result that says so', async () => {
    const result = await executorOf([echo]).executeOne(call('echo', 't', { msg: () => 'hi' }));
    expect(result).toMatchObject({ isError: true, content: expect.stringContaining('not plain data') });
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('secret path');
      },
    ],
    ['rejects', () => Promise.reject(new Error('secret path'))],
    ['says nothing', () => undefined],
    ['says true', () => true],
    ['says allowed', () => ({ type: 'allowed' })],
  ])('a handler that %s lets nothing through', async (_name, approve) => {
    const { tool, ran } = slowTool('w');
    const result = await executorOf([tool], { approval: { approve } as unknown as ApprovalHandler }).executeOne(
      call('w'),
    );
    expect(result).toMatchObject({ isError: true, content: 'Error: approval denied — the approval handler failed' });
    expect(ran).toEqual([]);
  });

  test('a policy that throws lets nothing through', async () => {
    const policy = {
      isAllowed: () => {
        throw new Error('down');
      },
    };
    expect((await executorOf([echo], { policy }).executeOne(call('echo'))).content).toContain('not allowed by policy');
  });
});

describe('classes and names', () => {
  test('readers are known by name, everything else changes things', () => {
    for (const name of ['read', 'glob', 'grep', 'web_fetch']) expect(classOf({ name })).toBe('ReadOnly');
    for (const name of ['write', 'edit', 'bash', 'sub_agent', 'anything']) expect(classOf({ name })).toBe('Mutating');
    expect(classOf({ name: 'read', class: 'Mutating' })).toBe('Mutating');
  });

  test('the handler is asked about readers too', async () => {
    const read = { name: 'read', execute: () => 'text' };
    expect((await executorOf([read], { approval: denying('no') }).executeOne(call('read'))).content).toContain('no');
  });

  test('of two tools of one name the later is used, with a warning', async () => {
    const warnings: string[] = [];
    const tools = ['old', 'new'].map((text) => ({ name: 'x', execute: () => text }));
    const registry = new ToolRegistry(tools, (warning) => warnings.push(warning));
    expect(registry.get('x')).toBe(tools[1]);
    expect(warnings).toHaveLength(1);
  });
});

describe('a cancel', () => {
  test('wins over a handler that hangs', async () => {
    const cancel = new AbortController();
    const { tool, ran } = slowTool('w');
    const result = executorOf([tool], { approval: hanging }).executeOne(call('w'), { signal: cancel.signal });
    cancel.abort();
    expect(await result).toMatchObject({ isError: true, content: 'Error: cancelled while awaiting approval' });
    expect(ran).toEqual([]);
  });

  test('that has come keeps the handler from being asked', async () => {
    let asked = 0;
    const approval = {
      approve: () => {
        asked += 1;
        return ApprovalDecision.Allow;
      },
    };
    const result = await executorOf([echo], { approval }).executeOne(call('echo'), { signal: AbortSignal.abort() });
    expect(result.content).toBe('Error: cancelled while awaiting approval');
    expect(asked).toBe(0);
  });

  test('wins even when the answer is there', async () => {
    const cancel = new AbortController();
    const approval = {
      approve: async () => {
        cancel.abort();
        return ApprovalDecision.Allow;
      },
    };
    const { tool, ran } = slowTool('w');
    const result = await executorOf([tool], { approval }).executeOne(call('w'), { signal: cancel.signal });
    expect(result.content).toBe('Error: cancelled while awaiting approval');
    expect(ran).toEqual([]);
  });

  test('tells the handler that nobody waits', async () => {
    const cancel = new AbortController();
    let told = false;
    const approval: ApprovalHandler = {
      approve: (_name, _input, _class, signal) => {
        signal.addEventListener('abort', () => {
          told = true;
        });
        return new Promise(() => {});
      },
    };
    const result = executorOf([echo], { approval }).executeOne(call('echo'), { signal: cancel.signal });
    cancel.abort();
    await result;
    expect(told).toBe(true);
  });
});
