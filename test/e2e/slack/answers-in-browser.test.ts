/**
 * Checks every answer besides yes and no, on the local Slack's page and the deployed stack.
 *
 * Covers D23, D33, A24.
 */
import type { Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { ACTIONS } from '../../../shared/adapters/slack/elements/actions.ts';
import { EscrowContract } from '../../examples/escrow.ts';
import { type Agent, agentNamed, newId } from '../harness/agents.ts';
import { entriesOf, waiting } from '../harness/rows.ts';
import { CREW, cardOf, cardsOf, ERIN, FRANK } from '../harness/slack.ts';
import { until } from '../harness/until.ts';
import { openWindow, type Window } from '../harness/window.ts';

let crafter: Agent;
let window: Window;
beforeAll(async () => {
  [crafter, window] = await Promise.all([agentNamed('crafter'), openWindow()]);
  await window.show(CREW, ERIN, FRANK);
});
afterEach(() => window.closeModals(ERIN, FRANK));
afterAll(() => window?.close());

async function shown(id: string): Promise<{ id: string; pid: string }> {
  const pid = crafter.pid(id);
  await cardOf(pid);
  await window.reads(ERIN, `Approval ${pid.slice(0, 12)}`);
  return { id, pid };
}
const ship = (input: Record<string, unknown>) => crafter.client.propose({ toolName: 'Ship', input }).then(shown);
const push = async (image: string) => shown(await crafter.run(`docker push ${image}`));

const fill = (dialog: Locator, label: string, text: string) => dialog.getByLabel(label).fill(text);
const send = (dialog: Locator, button: string) => dialog.getByRole('button', { name: button, exact: true }).click();
const closed = (dialog: Locator) => dialog.waitFor({ state: 'detached' });

it('an edit: what the schema refuses is said at the field; what asks again is a new question, and an old card is stale', async () => {
  const { id, pid } = await ship({ env: 'production', replicas: 9 });
  const form = await window.choose(ERIN, pid, ACTIONS.edit);
  const refusals = [
    ['{ "env": "moon", "replicas": 12 }', 'env must be'],
    ['{ "env": ', 'The arguments must be JSON: look at line 1, column '],
    ['{ "env": "production", "replicas": 9 }', 'You changed nothing'],
  ] as const;
  for (const [text, problem] of refusals) {
    await fill(form, 'Arguments, as JSON', text);
    await send(form, 'Ask with these');
    await form.getByText(problem).waitFor();
    if (problem === 'env must be') await window.picture('edit-schema');
  }
  await window.lookingAway(FRANK, async () => {
    await fill(form, 'Arguments, as JSON', '{ "env": "test", "replicas": 2 }');
    await fill(form, 'Why?', 'Try it on the test system first.');
    await send(form, 'Ask with these');
    await closed(form);
    await until('the second round', async () => (await waiting(pid)).approval.round === 2);
    await window.reads(ERIN, 'Changed by Erin Engineer', pid);
    await window.press(FRANK, pid, 'Approve');
    await expect
      .poll(() => entriesOf('crafter', pid, 'click').then((all) => all.at(-1)?.reasonCode))
      .toBe('stale_digest');
  });
  await push('news');
  await window.reads(FRANK, 'This card does not show what would run now');
  await window.picture('edit-stale-card');
  await window.press(FRANK, pid, 'Approve');
  const decision = await crafter.wait(id);
  // The people who changed it, and who approved it in that form.
  expect(decision).toMatchObject({ outcome: 'approved', decidedBy: { id: 'T0E2E/U0ERIN,T0E2E/U0FRANK' } });
  expect(decision.calls[0]?.effective?.input).toEqual({ env: 'test', replicas: 2 });
});

it('an edit that a rule denies is denied, and the thread says so', async () => {
  const { id, pid } = await push('edited');
  const form = await window.choose(ERIN, pid, ACTIONS.edit);
  await fill(form, 'command', 'rm -rf images');
  await send(form, 'Ask with these');
  expect(await crafter.wait(id)).toMatchObject({ outcome: 'denied' });
  await window.card(FRANK, pid).getByRole('button', { name: '1 reply' }).click();
  await window.of(FRANK).getByRole('log', { name: 'Messages in thread' }).getByText('does not run').first().waitFor();
  await window.picture('edit-denied');
  await window.of(FRANK).getByRole('button', { name: 'Close thread' }).click();
});

it('a rejection: too many words are said at the field and it stays open; the reason reaches the agent', async () => {
  const { id, pid } = await push('rejected');
  const form = await window.modal(ERIN, pid, 'Reject…');
  const refusals = [['x'.repeat(1_001), 'Please enter at most 1000 characters.']] as const;
  for (const [text, problem] of refusals) {
    await fill(form, 'In your own words', text);
    await send(form, 'Reject');
    await form.getByText(problem).waitFor();
  }
  await window.picture('reject-too-long');
  expect((await waiting(pid)).approval.votes).toEqual([]);
  await form.getByRole('radio', { name: 'Wrong target' }).check();
  await fill(form, 'In your own words', 'The image has a known hole.');
  await send(form, 'Reject');
  await closed(form);
  const decision = await crafter.wait(id);
  expect(decision).toMatchObject({ outcome: 'denied', decidedBy: { id: 'T0E2E/U0ERIN' } });
  expect(decision.message).toContain('Wrong target: The image has a known hole.');
  await window.reads(FRANK, 'The image has a known hole.', pid);
});

it('a response: the call is not run, and the model is told what to do instead', async () => {
  const { id, pid } = await push('answered');
  const form = await window.choose(FRANK, pid, ACTIONS.respond);
  await fill(form, 'Your answer', 'Push it to the staging registry.');
  await window.picture('respond');
  await send(form, 'Answer');
  const decision = await crafter.wait(id);
  expect(decision.message).toContain('Push it to the staging registry.');
  expect(decision.calls[0]).not.toHaveProperty('permit');
  await window.reads(ERIN, 'Answered instead of running it', pid);
});

it('a question of the agent: one of its choices by a button, words in a form, and both are data', async () => {
  const asks = async (question: string, choices?: string[]) => {
    const proposalId = newId();
    await crafter.send(JSON.stringify({ kind: 'input-request', proposalId, question, choices }));
    return shown(proposalId);
  };
  const choice = await asks('Which region?', ['eu-west-1', 'us-east-1']);
  await window.picture('question');
  await window.press(ERIN, choice.pid, 'us-east-1');
  expect(await crafter.wait(choice.id)).toMatchObject({ outcome: 'answered', answer: 'us-east-1' });
  const words = await asks('What shall the release be called?');
  const form = await window.modal(FRANK, words.pid, 'Answer…');
  await fill(form, 'Your answer', '<@U0ERIN> *Bold* & new');
  await send(form, 'Answer');
  expect(await crafter.wait(words.id)).toMatchObject({ outcome: 'answered', answer: '<@U0ERIN> *Bold* & new' });
  await window.reads(ERIN, '<@U0ERIN> *Bold* & new', words.pid);
});

it('a substitute: another action of the space runs instead', async () => {
  const contract = new EscrowContract({ Order: 'pending_standard', Escrow: 'held' }, {});
  const space = contract.actionSpace('ops');
  const choice = crafter.client.proposeChoice('attended', space, contract.snapshot(), { proposalId: newId() });
  const { id, pid } = await shown(await choice);
  const form = await window.choose(ERIN, pid, ACTIONS.substitute);
  const at = space.actions.findIndex(({ flow_id }) => flow_id === 'cancel_order');
  await form.getByLabel('Action').selectOption({ label: `${at + 1} · cancel_order` });
  await window.picture('substitute');
  await send(form, 'Run this instead');
  expect(await crafter.wait(id)).toMatchObject({ outcome: 'answered', answer: { flow_id: 'cancel_order' } });
  await window.reads(FRANK, 'Another action runs instead', pid);
});

it('a batch: each call is decided by its id, in the form that lists those still open', async () => {
  const calls = ['a', 'b', 'c'].map((id) => ({ id, toolName: 'Bash', input: { command: `docker push ${id}` } }));
  const { id, pid } = await shown(await crafter.client.proposeAll(calls, { proposalId: newId() }));
  const form = await window.modal(FRANK, pid, 'Decide each…');
  await form.getByText('2 · docker push b').first().waitFor();
  await form.getByRole('checkbox', { name: /^1 · docker push a/ }).check();
  await form.getByRole('checkbox', { name: /^3 · docker push c/ }).check();
  await fill(form, 'Why the others may not run', 'b has a known hole.');
  await window.picture('batch');
  await send(form, 'Send');
  const decision = await crafter.wait(id);
  expect(decision.calls.map(({ id: call, outcome }) => [call, outcome])).toEqual([
    ['a', 'approved'],
    ['b', 'denied'],
    ['c', 'approved'],
  ]);
  expect(decision.calls[1]?.message).toContain('b has a known hole.');
  await window.reads(ERIN, '2 of 3 approved', pid);
});

it('for the session: its scope is said in words, and the same call asks nobody again', async () => {
  const input = { env: 'production', replicas: 1 };
  const { id, pid } = await ship(input);
  const form = await window.choose(FRANK, pid, ACTIONS.session);
  await form.getByText('A rule that denies or asks still wins.').waitFor();
  await form.getByRole('radio', { name: 'Exactly this' }).check();
  await window.picture('session-scope');
  await send(form, 'Approve');
  expect(await crafter.wait(id)).toMatchObject({ outcome: 'approved', decidedBy: { type: 'human' } });
  const again = await crafter.client.propose({ toolName: 'Ship', input });
  expect(await crafter.wait(again)).toMatchObject({ outcome: 'approved' });
  expect(await cardsOf(crafter.pid(again))).toEqual([]);
});

it('what is too long for a card is read page by page, then approved on the last page', async () => {
  const long = Array.from({ length: 1_900 }, (_, line) => `# line ${line} of the script`).join('\n');
  const { id, pid } = await push(`long\n${long}`);
  await window.press(ERIN, pid, 'Read all, then decide…');
  const page = await window.modal(ERIN);
  await window.picture('view-all');
  const [, last = ''] = /Page 1 of (\d+)/.exec((await page.getByText('Page 1 of').textContent()) ?? '') ?? [];
  for (let number = 2; number <= Number(last); number++) {
    await page.getByRole('button', { name: /^Next/ }).click();
    await page.getByText(`Page ${number} of ${last}`).waitFor();
  }
  await page.getByText('line 1899 of the script').first().waitFor();
  await send(page, 'Approve');
  expect(await crafter.wait(id)).toMatchObject({ outcome: 'approved' });
});

it('Home and the command say what waits for each, and what they decided', async () => {
  const { id, pid } = await push('listed');
  await window.of(FRANK).getByRole('button', { name: 'Countersign · Home' }).click();
  await window.reads(FRANK, /\d+ waits? for you/);
  await window.reads(FRANK, /Answered/);
  await window.closed(ERIN);
  await fill(window.of(ERIN).locator('body'), 'Message #crew', '/countersign pending');
  await window.of(ERIN).getByLabel('Message #crew').press('Enter');
  await window.reads(ERIN, /\d+ waits? for you/);
  await window.picture('home-and-command');
  await window.press(ERIN, pid, 'Approve');
  expect(await crafter.wait(id)).toMatchObject({ outcome: 'approved' });
});
