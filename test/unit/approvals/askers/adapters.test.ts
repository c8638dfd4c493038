/** Checks the seeds' ports as adapters of one asker: only an approval allows, whatever it answers. */
import { describe, expect, test, vi } from 'vitest';
import { asProvider } from '../../../../shared/approvals/providers/asked-provider.ts';
import { asHandler } from '../../../../shared/approvals/tool-gate/asked-handler.ts';
import { PermissionService } from '../../../../shared/permissions/index.ts';
import { asRequestHandler } from '../../../../shared/permissions/service/asked-handler.ts';
import { asChannel, FirstAvailablePolicy, HumanInTheLoopPolicy } from '../../../../shared/policies/index.ts';
import type { Answer, Asker } from '../../../../shared/ports/asker.ts';
import { proposed, snapshot, space } from '../channels/channel.contract.ts';

const never = new AbortController().signal;
const request = {
  kind: 'approval',
  requestId: 'r1',
  prompt: 'May it?',
  toolName: 'Bash',
  args: { command: 'ls' },
} as const;

/** Every answer that is no plain approval, one of no known type and an error included. */
const NO_APPROVAL: readonly (readonly [string, Asker])[] = [
  ['a refusal', async () => ({ type: 'rejected', reason: 'no' })],
  ['silence', async () => ({ type: 'silent' })],
  ['a text', async () => ({ type: 'text', text: 'yes' })],
  ['an unknown answer', async () => ({ type: 'yes' }) as unknown as Answer],
  ['an index outside', async () => ({ type: 'chose', index: 9 })],
  ['an error', async () => Promise.reject(new Error('down'))],
];

describe.each(NO_APPROVAL)('%s', (_, ask) => {
  test('lets nothing through a channel', async () => {
    const policy = new HumanInTheLoopPolicy(new FirstAvailablePolicy(), asChannel(ask), '1s');
    expect(await policy.choose(space, snapshot)).toBeNull();
  });

  test('lets nothing through a handler in front of tools', async () => {
    expect(await asHandler(ask).approve('Bash', {}, 'Mutating', never)).toMatchObject({ type: 'deny' });
  });

  test('lets nothing through a provider', async () => {
    const answer = await asProvider(ask)
      .request(request)
      .catch(() => ({ kind: 'failed' }));
    expect(['Rejected', 'Timeout', 'failed']).toContain(answer.kind);
  });

  test('lets nothing through a permission service, whichever way it asks', async () => {
    for (const people of [{ ask }, { requestHandler: asRequestHandler(ask) }])
      expect(await new PermissionService(people).decide('Deploy', {})).toMatchObject({ decision: 'deny' });
  });
});

describe('an approval', () => {
  const edited: Asker = async () => ({ type: 'approved', by: 'alice', input: { command: 'ls -l' }, scope: 'Session' });

  test('of a permission service comes with the input that the person made', async () => {
    const service = new PermissionService({ ask: async () => ({ type: 'approved', input: { to: 'staging' } }) });
    expect(await service.decide('Deploy', { to: 'live' })).toMatchObject({
      decision: 'allow',
      input: { to: 'staging' },
    });
  });

  test('of a handler holds for the proposed input only', async () => {
    const decision = await asHandler(edited).approve('Bash', { command: 'ls' }, 'Mutating', never);
    expect(decision).toMatchObject({ type: 'deny', reason: expect.stringContaining('{"command":"ls -l"}') });
  });

  test('of a provider has its scope and its arguments', async () => {
    expect(await asProvider(edited).request(request)).toEqual({
      kind: 'ModifiedArgs',
      args: { command: 'ls -l' },
      scope: 'Session',
    });
    const scoped: Asker = async () => ({ type: 'approved', scope: 'SessionAllTools' });
    expect(await asProvider(scoped).request(request)).toEqual({ kind: 'ApprovedWithScope', scope: 'SessionAllTools' });
  });

  test('of a channel tells who gave it; another choice is the action of the space', async () => {
    const asked = (answer: Answer) => asChannel(async () => answer).requestApproval(proposed, space, snapshot);
    expect(await asked({ type: 'approved', by: 'alice' })).toEqual({ type: 'approved', by: 'alice' });
    const chosen = await asked({ type: 'chose', index: 2, by: 'alice' });
    expect(chosen).toMatchObject({ type: 'substitute', by: 'alice' });
    expect(chosen.type === 'substitute' && chosen.action).toBe(space.actions[2]);
  });

  test('is not asked for where the class of the tool needs none', async () => {
    const ask = vi.fn<Asker>();
    expect(await asHandler(ask, { fastPath: 'ReadOnly' }).approve('Read', {}, 'ReadOnly', never)).toEqual({
      type: 'allow',
    });
    expect(ask).not.toHaveBeenCalled();
  });
});

test('the message of a foreign error reaches no model', async () => {
  const ask: Asker = () => Promise.reject(new Error('password=hunter2'));
  expect(await asHandler(ask).approve('Bash', {}, 'Mutating', never)).toEqual({
    type: 'deny',
    reason: 'nobody could be asked',
  });
});
