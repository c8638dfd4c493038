/**
 * Checks every surface of the gate in Slack in a browser, on a gate in memory.
 *
 * Surfaces: cards, forms, threads, App Home, the command.
 */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ACTIONS } from '../../../shared/adapters/slack/elements/actions.ts';
import { CountersignClient } from '../../../shared/client/index.ts';
import { loadPolicy } from '../../../shared/config/load.ts';
import type { Decision } from '../../../shared/contract/index.ts';
import { type MemoryWorkspace, startMemoryWorkspace } from '../../../shared/dev/memory-workspace.ts';
import { pidOf } from '../../../shared/domain/digest.ts';
import { type LocalBrowser, launchBrowser } from '../browser.ts';
import { picture } from '../picture.ts';

const [ALICE, BOB] = ['U0ALICE', 'U0BOB'];
const [APPROVALS, RELEASES] = ['C0APPROVALS', 'C0RELEASES'];

const POLICY = loadPolicy(
  `
people:
  alice: { team: T0ROOM, user: ${ALICE}, name: Alice Approver }
  bob: { team: T0ROOM, user: ${BOB}, name: Bob Approver }
  carol: { team: T0ROOM, user: U0CAROL, name: Carol Releaser }
  olga: { team: T0ROOM, user: U0OLGA, name: Olga Owner }
agents:
  builder: { owner: olga, projectRoot: /workspace/app }
channels:
  approvals: { team: T0ROOM, id: ${APPROVALS} }
  releases: { team: T0ROOM, id: ${RELEASES} }
approvers:
  platform: { members: [alice, bob], channel: approvals }
  release: { members: [carol], channel: releases }
approvals: { approvers: platform, timeout: 1h }
tools:
  Deploy:
    permissions: [Execute, Network]
    severity: high
    stages: [{ group: platform, quorum: 2 }, { group: release }]
    argsSchema: { type: object, required: [version], properties: { version: { type: string, pattern: '^v' }, region: { type: string } }, additionalProperties: false }
  Mail: { permissions: [Network], argsSchema: { type: object, required: [to], properties: { to: { type: string, pattern: '@' } } } }
rules:
  deny: [{ rule: 'Bash(rm:*)', reason: Deleting files is not for agents. }]
  ask: [{ rule: 'Bash(git push:*)', reason: A push leaves this machine. }]
`,
  'surfaces.yaml',
);

let room: MemoryWorkspace;
let browser: LocalBrowser;
let client: CountersignClient;

beforeAll(async () => {
  [room, browser] = await Promise.all([
    startMemoryWorkspace(POLICY, { postIntervalMs: 10 }),
    launchBrowser({ width: 1000, height: 900 }),
  ]);
  client = new CountersignClient({ ...room.gate.agentSide('builder'), queueUrl: 'memory', auditTable: 'memory' });
});
afterAll(async () => {
  await browser?.close();
  await room?.stop();
});
afterEach(async () => {
  for (const page of browser.context.pages()) await page.close();
});

async function open(user: string, query = `channel=${APPROVALS}`): Promise<Page> {
  const page = await browser.context.newPage();
  page.setDefaultTimeout(15_000);
  await page.goto(`${room.slack.url}/?user=${user}&${query}`);
  return page;
}
const bash = (command: string) => ({ toolName: 'Bash', input: { command } });
const wait = (id: string): Promise<Decision> => client.wait(id, { timeout: 20_000 });

/** The newest card of a proposal, as this person sees it. */
async function cardOf(id: string, user: string, channel = APPROVALS) {
  const page = await open(user, `channel=${channel}`);
  const pid = pidOf('memory', 'builder', id).slice(0, 12);
  const card = page.getByRole('article').filter({ hasText: `Approval ${pid}` });
  await card.waitFor();
  await card.scrollIntoViewIfNeeded();
  // A screen reader reads more than a button shows.
  const press = (text: string) => card.locator('button').getByText(text, { exact: true }).click();
  const dialog = page.getByRole('dialog');
  /** An option of the menu behind the buttons. */
  const choose = async (verb: string) => {
    const at = room.slack.messages(channel).find(({ blocks }) => JSON.stringify(blocks).includes(pid));
    await room.slack.click({ user, channel, ts: at?.ts ?? '', actionId: ACTIONS.more, value: verb });
  };
  /** Clicks what high severity asks once more. */
  const confirm = () => page.getByRole('button', { name: 'Approve', exact: true }).click();
  return { page, card, press, choose, confirm, dialog };
}

describe('one call', () => {
  it('is read page by page, approved on the last page; the card says who, and what happened when it ran', async () => {
    const command = `git push origin main\n${'# a very long line of nothing much\n'.repeat(1_500)}echo the end`;
    const id = await client.propose({ ...bash(command), title: 'Publish', reason: 'The release is due.' });
    const { page, card, press, dialog } = await cardOf(id, ALICE);
    await picture(page, 'surface-card-long');
    await press('Read all, then decide…');
    await dialog.getByText('Page 1 of').waitFor();
    await picture(page, 'surface-view-all');
    for (;;) {
      const next = dialog.getByRole('button', { name: 'Next' });
      if (!(await next.count())) break;
      const before = await dialog.getByText(/Page \d+ of/).textContent();
      await next.click();
      await expect.poll(() => dialog.getByText(/Page \d+ of/).textContent()).not.toBe(before);
    }
    await dialog.getByText('echo the end').waitFor();
    await dialog.getByRole('button', { name: 'Approve', exact: true }).click();
    const decision = await wait(id);
    expect(decision).toMatchObject({ outcome: 'approved', decidedBy: { id: `T0ROOM/${ALICE}` } });
    await card.getByText('Approved, waits to run').waitFor();
    await card.getByText('Alice Approver').waitFor();
    const permitId = decision.calls[0]?.permit?.permitId ?? '';
    const ran = { callId: decision.calls[0]?.id ?? '', permitId, status: 'succeeded', durationMs: 1_234 } as const;
    await room.gate.parts.cards.ran(pidOf('memory', 'builder', id), APPROVALS, { ...ran, toolName: 'Bash' }, 'builder');
    await card.getByText('Approved, ran').waitFor();
    await card.getByText('succeeded in 1.2 s').waitFor();
    await picture(page, 'surface-ran');
  });

  it('is rejected with a prepared reason and words of one’s own', async () => {
    const id = await client.propose(bash('git push origin rejected'));
    const { page, card, press, dialog } = await cardOf(id, BOB);
    await press('Reject…');
    await dialog.getByText('You reject: git push origin rejected').waitFor();
    await dialog.getByRole('radio', { name: 'Not now' }).check();
    await dialog.getByRole('textbox', { name: 'In your own words' }).fill('Not on a Friday. *really*');
    await picture(page, 'surface-reject');
    await dialog.getByRole('button', { name: 'Reject' }).click();
    expect((await wait(id)).message).toContain('Not now: Not on a Friday.');
    await card.getByText('“Not now: Not on a Friday. *really*”').waitFor();
    await picture(page, 'surface-rejected');
  });

  it('that no rule asks about may be approved for the session, its scope said in words first', async () => {
    const call = { toolName: 'Write', input: { file_path: 'notes.md', content: 'hello' } };
    const id = await client.propose(call);
    const { page, choose, dialog } = await cardOf(id, ALICE);
    await choose(ACTIONS.session);
    await dialog.getByText('For the session main of builder, at most 30 minutes').waitFor();
    await picture(page, 'surface-session');
    await dialog.getByText('Exactly this, whenever it is asked again').click();
    await dialog.getByRole('button', { name: 'Approve' }).click();
    expect(await wait(id)).toMatchObject({ outcome: 'approved', decidedBy: { type: 'human' } });
    expect(await wait(await client.propose(call))).toMatchObject({
      outcome: 'approved',
      decidedBy: { type: 'system' },
    });
  });

  it('is passed on: whoever was chosen may answer', async () => {
    const id = await client.propose(bash('git push origin passed'));
    const { page, card, choose, dialog } = await cardOf(id, ALICE);
    await choose(ACTIONS.pass);
    await dialog.getByRole('combobox').selectOption({ label: 'Bob Approver' });
    await picture(page, 'surface-pass');
    await dialog.getByRole('button', { name: 'Ask them' }).click();
    await card.getByText('Alice Approver passed it on to Bob Approver').waitFor();
    await (await cardOf(id, BOB)).press('Approve');
    expect(await wait(id)).toMatchObject({ outcome: 'approved' });
  });
});

it('fifty clicks at once on one card are one decision, and every other one is told so', async () => {
  const id = await client.propose(bash('git push origin crowd'));
  const pid = pidOf('memory', 'builder', id);
  const { slack, gate } = room;
  const posted = () =>
    slack.messages(APPROVALS).find(({ blocks }) => JSON.stringify(blocks).includes(pid.slice(0, 12)));
  await expect.poll(posted).toBeDefined();
  const { ts = '' } = posted() ?? {};
  const told = slack.ephemerals(ALICE).length + slack.ephemerals(BOB).length;
  const clicks = Array.from({ length: 50 }, (_, index) =>
    slack.click({ user: index % 2 ? ALICE : BOB, channel: APPROVALS, ts, actionId: ACTIONS.approve }),
  );
  await Promise.all(clicks);
  expect(await wait(id)).toMatchObject({ outcome: 'approved' });
  const entries = (await gate.parts.audit.ofProposal('builder', pid)).map(({ entry }) => entry);
  expect(entries.filter(({ type }) => type === 'vote')).toHaveLength(1);
  expect(entries.filter(({ type, accepted }) => type === 'click' && accepted === false)).toHaveLength(49);
  expect(slack.ephemerals(ALICE).length + slack.ephemerals(BOB).length - told).toBe(49);
});

describe('an edit', () => {
  const mail = (to: string) => ({ toolName: 'Mail', input: { to } });

  it('with arguments that the tool does not take is sent back at its field; then it is what runs', async () => {
    const id = await client.propose(mail('all@example.org'));
    const { page, card, press, choose, dialog } = await cardOf(id, ALICE);
    await choose(ACTIONS.edit);
    const field = dialog.getByRole('textbox', { name: 'to' });
    const send = () => dialog.getByRole('button', { name: 'Ask with these' }).click();
    await field.fill('nobody');
    await send();
    await dialog.getByText('to must').waitFor();
    await picture(page, 'surface-edit-refused');
    await field.fill('team@example.org');
    await send();
    await dialog.waitFor({ state: 'detached' });
    // An edited call is asked about anew: whoever edited may approve it, as its severity is not high.
    await card.getByText('to: all@example.org → team@example.org').waitFor();
    await picture(page, 'surface-edited');
    await press('Approve');
    const decision = await gateDecision(id);
    expect(decision).toMatchObject({ outcome: 'approved' });
    expect(decision?.calls[0]?.effective?.input).toEqual({ to: 'team@example.org' });
  });

  it('that a rule denies is denied, whoever made it', async () => {
    const id = await client.propose(bash('git push origin harmless'));
    const { choose, dialog } = await cardOf(id, ALICE);
    await choose(ACTIONS.edit);
    await dialog.getByRole('textbox', { name: 'command' }).fill('rm -rf build');
    await dialog.getByRole('button', { name: 'Ask with these' }).click();
    expect(await gateDecision(id)).toMatchObject({ outcome: 'denied' });
  });

  /** As the gate wrote it: the client of this test compares with what it proposed. */
  async function gateDecision(id: string): Promise<Decision | undefined> {
    const pid = pidOf('memory', 'builder', id);
    const decided = async () => (await room.gate.parts.approvals.read(pid))?.decision;
    await expect.poll(decided, { timeout: 15_000 }).toBeDefined();
    return decided();
  }
});

describe('high severity', () => {
  it('needs two people and then the next group: the card counts, and the next channel gets its own', async () => {
    const id = await client.propose({ toolName: 'Deploy', input: { version: 'v1.2.3' } });
    const alice = await cardOf(id, ALICE);
    await alice.press('Approve');
    await alice.confirm();
    await alice.card.getByText('1 so far (Alice Approver)').waitFor();
    await picture(alice.page, 'quorum');
    await alice.press('Approve');
    await alice.confirm();
    await alice.page.getByText('You approved this').waitFor();
    const bob = await cardOf(id, BOB);
    await bob.press('Approve');
    await bob.confirm();
    await alice.card.getByText('platform approved (Alice Approver and Bob Approver)').waitFor();
    expect(await alice.card.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    await picture(alice.page, 'answered-stage');
    const carol = await cardOf(id, 'U0CAROL', RELEASES);
    await carol.card.getByText('stage 2 of 2').waitFor();
    await picture(carol.page, 'stage-two');
    await carol.press('Approve');
    await carol.confirm();
    expect(await wait(id)).toMatchObject({ outcome: 'approved' });
    await alice.card.getByText('Carol Releaser').waitFor();
  });
});

describe('a question of the agent', () => {
  const ask = async (more: object) => {
    const proposalId = `q-${Math.random().toString(36).slice(2)}`;
    const { queue } = room.gate.agentSide('builder');
    await queue.publish(JSON.stringify({ kind: 'input-request', proposalId, ...more }), 'builder');
    return proposalId;
  };

  it('is answered by a button, or in words', async () => {
    const choice = await ask({ question: 'Which region?', choices: ['eu-west-1', 'us-east-1'] });
    const first = await cardOf(choice, ALICE);
    await picture(first.page, 'question');
    await first.press('us-east-1');
    expect(await wait(choice)).toMatchObject({ outcome: 'answered', answer: 'us-east-1' });
    const free = await ask({ question: 'What shall the release be called?' });
    const { press, dialog, page } = await cardOf(free, BOB);
    await press('Answer…');
    await dialog.getByRole('textbox', { name: 'Your answer' }).fill('Halley <b>');
    await picture(page, 'surface-answer');
    await dialog.getByRole('button', { name: 'Answer' }).click();
    expect(await wait(free)).toMatchObject({ outcome: 'answered', answer: 'Halley <b>' });
  });
});

describe('several calls', () => {
  it('are decided each in a form, and the others rejected with a reason', async () => {
    const id = await client.proposeAll(
      ['one', 'two', 'three'].map((name) => ({ id: name, ...bash(`git push origin ${name}`) })),
    );
    const { page, card, press, dialog } = await cardOf(id, ALICE);
    await picture(page, 'surface-batch');
    await press('Decide each…');
    await dialog.getByRole('checkbox', { name: /^1 · git push origin one/ }).check();
    await dialog.getByRole('checkbox', { name: /^3 · git push origin three/ }).check();
    await dialog.getByRole('textbox', { name: 'Why the others may not run' }).fill('Not this one.');
    await picture(page, 'surface-batch-each');
    await dialog.getByRole('button', { name: 'Send' }).click();
    const { calls } = await wait(id);
    expect(calls.map(({ id: call, outcome }) => `${call} ${outcome}`)).toEqual([
      'one approved',
      'two denied',
      'three approved',
    ]);
    await card.getByText('2 of 3 approved').waitFor();
    await card.getByText('approved 1 and 3 · rejected 2: “Not this one.”').waitFor();
    await picture(page, 'surface-batch-half');
  });

  it('are approved all at once in the form, without a reason', async () => {
    const id = await client.proposeAll(['a', 'b'].map((name) => ({ id: name, ...bash(`git push origin ${name}`) })));
    const { press, dialog } = await cardOf(id, ALICE);
    await press('Decide each…');
    for (const name of [/^1 ·/, /^2 ·/]) await dialog.getByRole('checkbox', { name }).check();
    await dialog.getByRole('button', { name: 'Send' }).click();
    expect((await wait(id)).calls.map(({ outcome }) => outcome)).toEqual(['approved', 'approved']);
  });
});

describe('somebody else', () => {
  it('who clicks is told why it does not count, and nobody else is', async () => {
    const id = await client.propose(bash('git push origin private'));
    const stranger = await cardOf(id, 'U0STRANGER');
    await stranger.press('Approve');
    await stranger.page.getByText('You are not in the group').waitFor();
    await picture(stranger.page, 'ephemeral');
    const { page, press } = await cardOf(id, ALICE);
    expect(await page.getByText('You are not in the group').count()).toBe(0);
    await press('Approve');
    expect(await wait(id)).toMatchObject({ outcome: 'approved' });
  });
});

describe('App Home and the command', () => {
  it('list what waits for this person, and what they decided', async () => {
    const id = await client.propose(bash('git push origin waiting'));
    const { page } = await cardOf(id, ALICE);
    const field = page.getByRole('textbox', { name: 'Message #approvals' });
    await field.fill('/countersign pending');
    await field.press('Enter');
    await page.getByText('1 waits for you').waitFor();
    await picture(page, 'surface-command');
    const home = await open(ALICE, 'home=1');
    await home.getByText('1 waits for you').waitFor();
    await home.getByText('Your last decisions').waitFor();
    await picture(home, 'surface-home');
    const owner = await open('U0OLGA', 'home=1');
    await owner.getByText('Nothing waits for you').waitFor();
    await (await cardOf(id, BOB)).press('Approve');
    await wait(id);
  });
});
