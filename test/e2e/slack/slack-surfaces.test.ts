/** Checks the deployed Slack surface in a browser: an edit, the thread, App Home, the command. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ACTIONS } from '../../../shared/adapters/slack/elements/actions.ts';
import { type LocalBrowser, launchBrowser } from '../../local/browser.ts';
import { picture } from '../../local/picture.ts';
import { e2eGate } from '../gate.ts';
import { type Agent, agentNamed } from '../harness/agents.ts';
import { approvalOf } from '../harness/rows.ts';
import { ALICE, APPROVALS, approve, BOB, cardOf, choose } from '../harness/slack.ts';
import { until } from '../harness/until.ts';

let builder: Agent;
let browser: LocalBrowser;
beforeAll(async () => {
  [builder, browser] = await Promise.all([agentNamed('builder'), launchBrowser({ width: 1000, height: 900 })]);
});
afterAll(() => browser?.close());

async function open(user: string, query = `channel=${APPROVALS}`) {
  const { slack } = await e2eGate();
  const page = await browser.context.newPage();
  page.setDefaultTimeout(90_000);
  await page.goto(`${slack.url}/?user=${user}&${query}`);
  return page;
}

it('a call is edited in a form: what a rule denies is denied, and the thread says so', async () => {
  const id = await builder.run('git push origin edited');
  const pid = builder.pid(id);
  await cardOf(pid);
  const page = await open(ALICE);
  const card = page.getByRole('article').filter({ hasText: `Approval ${pid.slice(0, 12)}` });
  await choose(ALICE, await cardOf(pid), ACTIONS.edit);
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'command' }).fill('rm -rf build');
  await picture(page, 'e2e-edit');
  await dialog.getByRole('button', { name: 'Ask with these' }).click();
  const decided = async () => (await approvalOf(pid))?.decision;
  expect(await until('the decision', decided)).toMatchObject({ outcome: 'denied' });
  await card.getByRole('button', { name: '1 reply' }).click();
  await page.getByText('does not run').last().waitFor();
  await picture(page, 'e2e-edit-denied');
});

it('App Home and the command list what waits for a person, and not for the owner', async () => {
  // A list has ten lines, the first to end before the others: questions that other tests left may be more.
  const expiresAt = new Date(Date.now() + 10 * 60_000).toISOString();
  const id = await builder.run('git push origin listed', { expiresAt });
  const card = await cardOf(builder.pid(id));
  const home = await open(BOB, 'home=1');
  await home.getByText(/\d+ waits? for you/).waitFor();
  await picture(home, 'e2e-home');
  const { slack } = await e2eGate();
  const before = slack.ephemerals(BOB).length;
  expect(
    await slack.command({ user: BOB, channel: APPROVALS, command: '/countersign', text: 'pending' }),
  ).toMatchObject({
    ok: true,
  });
  await until('the list', () => JSON.stringify(slack.ephemerals(BOB).slice(before)).includes('git push origin listed'));
  await approve(BOB, card);
  expect(await builder.wait(id)).toMatchObject({ outcome: 'approved' });
});
