/** Checks what becomes of a form that was open while the policy file changed. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PREPARED, REASON } from '../../../shared/adapters/slack/cards/modals.ts';
import { ACTIONS } from '../../../shared/adapters/slack/elements/actions.ts';
import { CountersignClient } from '../../../shared/client/index.ts';
import { loadPolicy } from '../../../shared/config/load.ts';
import { type MemoryWorkspace, startMemoryWorkspace } from '../../../shared/dev/memory-workspace.ts';

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

/** Opens the form behind Reject of a new call. */
async function opened(to: string) {
  const client = new CountersignClient({
    ...room.gate.agentSide('shop-bot'),
    queueUrl: 'memory',
    auditTable: 'memory',
  });
  const before = room.slack.messages('C0ASKS').length;
  const id = await client.propose({ toolName: 'Mail', input: { to }, cwd: '/srv/shop' });
  await expect.poll(() => room.slack.messages('C0ASKS').length).toBe(before + 1);
  const ts = room.slack.messages('C0ASKS')[before]?.ts ?? '';
  await room.slack.click({ user: 'U0ALICE', channel: 'C0ASKS', ts, actionId: ACTIONS.reject });
  await expect.poll(() => room.slack.views('U0ALICE').length).toBe(1);
  const viewId = room.slack.views('U0ALICE')[0]?.id ?? '';
  const message = async () => (await client.wait(id, { timeout: 20_000 })).message;
  return { form: { user: 'U0ALICE', viewId }, message };
}

it('the agent is told the prepared reason that the person chose, whatever the policy file says by then', async () => {
  const { form, message } = await opened('a@example.org');
  room.usePolicy(policyWith('[Looks good, Also good]'));
  const sent = await room.slack.submitView({
    ...form,
    values: {
      [PREPARED.block]: { [PREPARED.action]: 'R&D only: <ask>' },
      [REASON.block]: { [REASON.action]: 'Later.' },
    },
  });
  expect(sent.ok).toBe(true);
  expect(await message()).toContain('refused this call: R&D only: <ask>: Later.');
});

it('a form that an earlier release opened has the place of the reason, and the words beside it as Slack escapes them', async () => {
  room.usePolicy(policyWith('[Looks good, Also good]'));
  const { form, message } = await opened('b@example.org');
  const option = { text: { type: 'plain_text', text: 'R&amp;D only: &lt;ask&gt;', emoji: false }, value: '1' };
  const chosen = { [PREPARED.action]: { type: 'radio_buttons', selected_option: option } };
  const sent = await room.slack.submitView({
    ...form,
    overrides: { view: { state: { values: { [PREPARED.block]: chosen } } } },
  });
  expect(sent.ok).toBe(true);
  expect(await message()).toMatch(/refused this call: R&D only: <ask>(?!:)/);
});
