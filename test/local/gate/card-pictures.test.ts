/** Shows each card, wide and as on a phone, and checks that nothing overflows. */
import type { InputBlock } from '@slack/types';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CALLS, PREPARED, REASON } from '../../../shared/adapters/slack/cards/modals.ts';
import { ACTIONS } from '../../../shared/adapters/slack/elements/actions.ts';
import { CountersignClient } from '../../../shared/client/index.ts';
import { loadPolicy } from '../../../shared/config/load.ts';
import { type MemoryWorkspace, startMemoryWorkspace } from '../../../shared/dev/memory-workspace.ts';
import { pidOf } from '../../../shared/domain/digest.ts';
import { type LocalBrowser, launchBrowser } from '../browser.ts';
import { picture } from '../picture.ts';

const [ALICE, BOB] = ['U0ALICE', 'U0BOB'];

const POLICY = loadPolicy(
  `
people:
  alice: { team: T0ROOM, user: ${ALICE}, name: Alice Approver }
  bob: { team: T0ROOM, user: ${BOB}, name: Bob Approver }
  carol: { team: T0ROOM, user: U0CAROL, name: Carol Releaser }
  olga: { team: T0ROOM, user: U0OLGA, name: Olga Owner }
agents:
  shop-bot: { owner: olga, projectRoot: /srv/shop }
channels:
  asks: { team: T0ROOM, id: C0ASKS }
  batch: { team: T0ROOM, id: C0BATCH }
  critical: { team: T0ROOM, id: C0CRITICAL }
  deploys: { team: T0ROOM, id: C0DEPLOYS }
  releases: { team: T0ROOM, id: C0RELEASES }
  mails: { team: T0ROOM, id: C0MAILS }
  decided: { team: T0ROOM, id: C0DECIDED }
  long: { team: T0ROOM, id: C0LONG }
  questions: { team: T0ROOM, id: C0QUESTIONS }
approvers:
  platform: { members: [alice, bob], channel: asks }
  batch: { members: [alice, bob], channel: batch }
  critical: { members: [alice, bob], channel: critical }
  deploys: { members: [alice, bob], channel: deploys }
  release: { members: [carol], channel: releases }
  mails: { members: [alice, bob], channel: mails }
  decided: { members: [alice, bob], channel: decided }
  long: { members: [alice, bob], channel: long }
  questions: { members: [alice, bob], channel: questions }
approvals: { approvers: questions, timeout: 1h, newCards: { burst: 50, perMinute: 60, listFrom: 1000 } }
tools:
  Refund: { permissions: [Sensitive], title: 'Refund {amount} {currency} for {orderId}', effect: ExternalSideEffects, approvers: platform }
  Deploy: { permissions: [Execute, Network], severity: high, stages: [{ group: deploys, quorum: 2 }, { group: release }] }
  Mail: { permissions: [Network], approvers: mails }
rules:
  ask:
    - { rule: 'Bash(git push:*)', reason: A push leaves this machine., stages: [{ group: platform, timeout: 30m, escalateTo: release }] }
    - { rule: 'Bash(terraform apply:*)', reason: It changes production., severity: critical, approvers: critical }
    - { rule: 'Bash(npm publish:*)', approvers: batch }
    - { rule: 'Bash(make:*)', approvers: decided }
    - { rule: 'Bash(sh:*)', approvers: long }
    - { rule: Write, approvers: batch }
`,
  'countersign.yaml',
);

let room: MemoryWorkspace;
let browser: LocalBrowser;
let client: CountersignClient;

beforeAll(async () => {
  [room, browser] = await Promise.all([
    startMemoryWorkspace(POLICY, { postIntervalMs: 10 }),
    launchBrowser({ width: 1100, height: 1000 }),
  ]);
  client = new CountersignClient({ ...room.gate.agentSide('shop-bot'), queueUrl: 'memory', auditTable: 'memory' });
});
afterAll(async () => {
  await browser?.close();
  await room?.stop();
});

const bash = (command: string) => ({ toolName: 'Bash', input: { command }, cwd: '/srv/shop' });
const card = async (id: string, channel: string) => {
  const pid = pidOf('memory', 'shop-bot', id);
  const find = () =>
    room.slack.messages(channel).find(({ blocks }) => JSON.stringify(blocks).includes(pid.slice(0, 12)));
  await expect.poll(find, { timeout: 10_000 }).toBeDefined();
  return { channel, ts: find()?.ts ?? '', pid, text: () => JSON.stringify(find()) };
};
type Shown = Awaited<ReturnType<typeof card>>;
const click = (user: string, { channel, ts }: Shown, actionId: string, value?: string) =>
  room.slack.click({ user, channel, ts, actionId, ...(value ? { value } : {}) });
async function submit(user: string, values: Record<string, Record<string, string | string[]>>) {
  await expect.poll(() => room.slack.views(user).length, { timeout: 10_000 }).toBeGreaterThan(0);
  return room.slack.submitView({ user, viewId: room.slack.views(user).at(-1)?.id ?? '', values });
}
async function ran(id: string, shown: Shown, status: 'succeeded' | 'failed') {
  const { calls } = await client.wait(id, { timeout: 20_000 });
  const [call] = calls;
  const result = { callId: call?.id ?? '', permitId: call?.permit?.permitId ?? '', durationMs: 1_234 };
  const more = status === 'failed' ? { errorCode: 'Timeout' } : {};
  await room.gate.parts.cards.ran(shown.pid, shown.channel, { ...result, ...more, status }, 'shop-bot');
  await expect.poll(shown.text, { timeout: 10_000 }).toContain(status === 'failed' ? 'but failed' : 'Approved, ran');
}

async function fits(name: string, channel: string, user: string = ALICE) {
  for (const width of [1100, 375]) {
    const page = await browser.context.newPage();
    await page.setViewportSize({ width, height: 1000 });
    await page.goto(`${room.slack.url}/?user=${user}&channel=${channel}`);
    await page.getByRole('article').last().waitFor();
    const wider = Number(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth'));
    expect(wider, `${name} at ${width}`).toBeLessThanOrEqual(0);
    await picture(page, `card-${name}-${width}`, { fullPage: true });
    await page.close();
  }
}

it('asks: one call, a titled one, a critical one, a batch, a question, and one too long for its card', async () => {
  const says = { title: 'Publish the fix', reason: 'The tests pass and the release is due.' };
  await card(await client.propose({ ...bash('git push origin main'), ...says }), 'C0ASKS');
  await card(
    await client.propose({ toolName: 'Refund', input: { orderId: 'A-7', amount: 120.5, currency: 'EUR' } }),
    'C0ASKS',
  );
  await fits('ask', 'C0ASKS');
  const apply = 'terraform apply -auto-approve -var-file=prod.tfvars && aws s3 rm s3://shop-prod-exports --recursive';
  await card(await client.propose({ ...bash(apply), cwd: '/srv/shop/infra', title: 'Apply infra' }), 'C0CRITICAL');
  await fits('critical', 'C0CRITICAL');
  const calls = [
    { id: 'a', ...bash('npm publish --tag next') },
    { id: 'b', ...bash('npm publish --force') },
    {
      id: 'c',
      toolName: 'Write',
      input: { content: '## 1.2.3\n- fix checkout', file_path: 'CHANGELOG.md' },
      cwd: '/srv/shop',
    },
  ];
  const batch = await card(await client.proposeAll(calls), 'C0BATCH');
  await fits('batch', 'C0BATCH');
  await click(ALICE, batch, ACTIONS.approveSome);
  await expect.poll(() => room.slack.views(ALICE).length).toBe(1);
  await fits('batch-form', 'C0BATCH');
  await submit(ALICE, {
    [CALLS.block]: { [CALLS.action]: ['a', 'c'] },
    [REASON.block]: { [REASON.action]: 'Not with force.' },
  });
  await expect.poll(batch.text).toContain('2 of 3 approved');
  await fits('batch-decided', 'C0BATCH');
  await card(await client.propose(bash(`sh <<'X'\n${'echo a line of a long script\n'.repeat(400)}X`)), 'C0LONG');
  await fits('long', 'C0LONG');
  const { queue } = room.gate.agentSide('shop-bot');
  const question = {
    kind: 'input-request',
    proposalId: 'q1',
    question: 'Which region shall the new shop be created in?',
  };
  await queue.publish(JSON.stringify({ ...question, choices: ['eu-west-1', 'us-east-1'] }), 'shop-bot');
  await card('q1', 'C0QUESTIONS');
  await fits('question', 'C0QUESTIONS');
});

it('an edit, a stage that has answered, and every end of a call', async () => {
  const input = { to: 'all-customers@example.org', subject: 'News', body: 'Hello' };
  const mail = await card(await client.propose({ toolName: 'Mail', input }), 'C0MAILS');
  await click(ALICE, mail, ACTIONS.more, ACTIONS.edit);
  await expect.poll(() => room.slack.views(ALICE).length).toBe(1);
  await fits('edit-form', 'C0MAILS');
  const { blocks = [] } = room.slack.views(ALICE)[0]?.content ?? {};
  const field = (blocks as InputBlock[]).find(({ label }) => label?.text === 'to');
  const [block, action] = [field?.block_id ?? '', field?.element.action_id ?? ''];
  await submit(ALICE, { [block]: { [action]: 'beta@example.org' } });
  await expect.poll(mail.text).toContain('all-customers@example.org → beta@example.org');
  await fits('edited', 'C0MAILS');

  const deploy = await card(await client.propose({ toolName: 'Deploy', input: { version: 'v1.2.3' } }), 'C0DEPLOYS');
  await click(ALICE, deploy, ACTIONS.approve);
  await expect.poll(deploy.text).toContain('1 so far');
  await fits('quorum', 'C0DEPLOYS');
  await click(BOB, deploy, ACTIONS.approve);
  await expect.poll(deploy.text).toContain('Now with');
  await fits('answered-stage', 'C0DEPLOYS');

  const good = await client.propose(bash('make build'));
  const first = await card(good, 'C0DECIDED');
  await click(ALICE, first, ACTIONS.approve);
  await ran(good, first, 'succeeded');
  const bad = await client.propose(bash('make release'));
  const second = await card(bad, 'C0DECIDED');
  await click(ALICE, second, ACTIONS.approve);
  await ran(bad, second, 'failed');
  const third = await card(await client.propose(bash('make force')), 'C0DECIDED');
  await click(BOB, third, ACTIONS.reject);
  await expect.poll(() => room.slack.views(BOB).length).toBe(1);
  await fits('reject-form', 'C0DECIDED', BOB);
  await submit(BOB, {
    [PREPARED.block]: { [PREPARED.action]: 'Do it by pull request' },
    [REASON.block]: { [REASON.action]: 'Never force-push to main.' },
  });
  await expect.poll(third.text).toContain('Rejected');
  await fits('decided', 'C0DECIDED');
});
