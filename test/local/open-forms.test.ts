/** Checks what becomes of a form that was open while the policy file changed. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PREPARED, REASON } from '../../shared/adapters/slack/cards/modals.ts';
import { ACTIONS } from '../../shared/adapters/slack/elements/actions.ts';
import { CountersignClient } from '../../shared/client/index.ts';
import { loadPolicy } from '../../shared/config/load.ts';
import { type MemoryWorkspace, startMemoryWorkspace } from '../../shared/dev/memory-workspace.ts';

const policyWith = (reasons: string) =>
  loadPolicy(
    `
people:
  alice: { team: T0ROOM, user: U0ALICE, name: Alice }
  olga: { team: T0ROOM, user: U0OLGA, name: Olga }
agents: { shop-bot: { owner: olga, projectRoot: /srv/shop } }
channels: { asks: { team: T0ROOM, id: C0ASKS } }
approvers: { platform: { members: [alice], channel: asks } }
approvals: { approvers: platform, rejectReasons: ${reasons} }
`,
    'countersign.yaml',
  );

let room: MemoryWorkspace;
beforeAll(async () => {
  room = await startMemoryWorkspace(policyWith('[Wrong target, "R&D only: <ask>"]'), { postIntervalMs: 10 });
});
afterAll(() => room?.stop());

it('the agent is told the prepared reason that the person chose, whatever the policy file says by then', async () => {
  const client = new CountersignClient({
    ...room.gate.agentSide('shop-bot'),
    queueUrl: 'memory',
    auditTable: 'memory',
  });
  const id = await client.propose({ toolName: 'Mail', input: { to: 'a@example.org' }, cwd: '/srv/shop' });
  await expect.poll(() => room.slack.messages('C0ASKS').length).toBe(1);
  const ts = room.slack.messages('C0ASKS')[0]?.ts ?? '';
  await room.slack.click({ user: 'U0ALICE', channel: 'C0ASKS', ts, actionId: ACTIONS.reject });
  await expect.poll(() => room.slack.views('U0ALICE').length).toBe(1);
  room.usePolicy(policyWith('[Looks good, Also good]'));
  const sent = await room.slack.submitView({
    user: 'U0ALICE',
    viewId: room.slack.views('U0ALICE')[0]?.id ?? '',
    values: {
      [PREPARED.block]: { [PREPARED.action]: 'R&D only: <ask>' },
      [REASON.block]: { [REASON.action]: 'Later.' },
    },
  });
  expect(sent.ok).toBe(true);
  const { message } = await client.wait(id, { timeout: 20_000 });
  expect(message).toContain('refused this call: R&D only: <ask>: Later.');
});
