/** Checks a handler with a screen: one prompt at a time, and a no when the screen is gone. */
import { describe, expect, test } from 'vitest';
import { ApprovalDecision } from '../../../../shared/approvals/tool-gate/approval-handler.ts';
import { asHandler } from '../../../../shared/approvals/tool-gate/asked-handler.ts';
import { ToolConcurrency } from '../../../../shared/approvals/tool-gate/concurrency.ts';
import { type Prompt, QueuedApprovalHandler } from '../../../../shared/approvals/tool-gate/queued-approval-handler.ts';
import { call, executorOf, slowTool } from './gate-world.ts';

const never = new AbortController().signal;

describe('a handler with a screen', () => {
  test('shows one prompt at a time, in the order of the calls', async () => {
    const shown: unknown[] = [];
    let open = 0;
    let most = 0;
    const handler = new QueuedApprovalHandler(async ({ input }: Prompt) => {
      shown.push(input);
      open += 1;
      most = Math.max(most, open);
      await Promise.resolve();
      open -= 1;
      return ApprovalDecision.Allow;
    });
    const executor = executorOf([slowTool('w').tool], { approval: handler, concurrency: { w: ToolConcurrency.on() } });
    await executor.executeBatch([1, 2, 3].map((n) => call('w', `w${n}`, n)));
    expect(shown).toEqual([1, 2, 3]);
    expect(most).toBe(1);
  });

  test('passes readers without a prompt if told so', async () => {
    const shown: string[] = [];
    const screen = async ({ toolName }: Prompt) => {
      shown.push(toolName);
      return ApprovalDecision.Allow;
    };
    const handler = new QueuedApprovalHandler(screen, { fastPath: 'ReadOnly' });
    await handler.approve('read', {}, 'ReadOnly', never);
    await handler.approve('bash', {}, 'Mutating', never);
    expect(shown).toEqual(['bash']);
  });

  test('shows a call of no known class: without a fast path nothing passes unseen', async () => {
    const handler = new QueuedApprovalHandler(async () => ApprovalDecision.Deny('seen'));
    const unknown = undefined as unknown as 'ReadOnly';
    expect(await handler.approve('bash', {}, unknown, never)).toEqual(ApprovalDecision.Deny('seen'));
    const asked = asHandler(async () => ({ type: 'rejected', reason: 'seen' }));
    expect(await asked.approve('bash', {}, unknown, never)).toEqual(ApprovalDecision.Deny('seen'));
  });

  test('says no when the screen is gone: before, while waiting, or by breaking', async () => {
    const gone = ApprovalDecision.Deny('UI gone');
    const handler = new QueuedApprovalHandler(() => new Promise(() => {}));
    const waiting = handler.approve('bash', {}, 'Mutating', never);
    const behind = handler.approve('bash', {}, 'Mutating', never);
    handler.close();
    expect(await waiting).toEqual(gone);
    expect(await behind).toEqual(gone);
    expect(await handler.approve('bash', {}, 'Mutating', never)).toEqual(gone);
    const broken = new QueuedApprovalHandler(() => Promise.reject(new Error('no display')));
    expect(await broken.approve('bash', {}, 'Mutating', never)).toEqual(gone);
  });

  test('a withdrawn prompt makes room for the next', async () => {
    const cancel = new AbortController();
    let shown = 0;
    const handler = new QueuedApprovalHandler(() => {
      shown += 1;
      return shown === 1 ? new Promise(() => {}) : Promise.resolve(ApprovalDecision.Allow);
    });
    const executor = executorOf([slowTool('w').tool], { approval: handler });
    const first = executor.executeOne(call('w', 'first'), { signal: cancel.signal });
    const second = executor.executeOne(call('w', 'second'));
    cancel.abort();
    expect((await first).content).toBe('Error: cancelled while awaiting approval');
    expect((await second).isError).toBe(false);
  });
});
