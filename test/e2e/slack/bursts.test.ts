/**
 * Checks the card that lists a burst, on the deployed stack.
 *
 * Each call is read and decided behind its own button, and the list is drawn again.
 */
import { beforeAll, expect, it } from 'vitest';
import { REASON } from '../../../shared/adapters/slack/cards/modals.ts';
import { ACTIONS } from '../../../shared/adapters/slack/elements/actions.ts';
import type { StoredMessage } from '../../local/slack/types.ts';
import { e2eGate } from '../gate.ts';
import { type Agent, agentNamed } from '../harness/agents.ts';
import { misled } from '../harness/functions.ts';
import { approvalOf } from '../harness/rows.ts';
import { ALICE, APPROVALS, BOB } from '../harness/slack.ts';
import { until } from '../harness/until.ts';

let seller: Agent;
beforeAll(async () => {
  seller = await agentNamed('seller');
});

const BRANCHES = ['burst-one', 'burst-two', 'burst-three', 'burst-four'];

it('a burst has one card from its third call on, where each call is decided in the form that shows all of it', async () => {
  const { slack } = await e2eGate();
  // The policy file puts lists off, since the other tests look for a card of each call.
  await misled('slack-out', { NEW_CARDS_LIST_FROM: '3' }, async () => {
    const ids = new Map<string, string>();
    for (const branch of BRANCHES) ids.set(branch, await seller.run(`git push origin ${branch}`));
    const isListOfTwo = (one: StoredMessage) => /seller wants to run \d more.*burst-.*burst-/.test(one.text);
    const { ts, text, blocks } = await until('a list of two', () => slack.messages(APPROVALS, isListOfTwo)[0]);
    expect(JSON.stringify(blocks)).not.toContain(ACTIONS.approve);
    // The cards come in the order in which the gate got to the calls.
    const [first = '', second = ''] = BRANCHES.filter((branch) => text.includes(branch));
    const listSays = (words: string) =>
      until(`a list that says ${words}`, () => {
        const list = slack.messages(APPROVALS, (message) => message.ts === ts)[0];
        return JSON.stringify(list?.blocks).includes(words) ? list : undefined;
      });
    const read = async (user: string, branch: string) => {
      const { pid = '', question } = (await approvalOf(seller.pid(ids.get(branch) ?? '')))?.approval ?? {};
      const shown = JSON.stringify({ approval: pid, digest: question?.digest });
      await slack.click({ user, channel: APPROVALS, ts, actionId: ACTIONS.viewAll, shown });
      return until(`the form of ${branch}`, () => {
        const form = slack.views(user).at(-1);
        return JSON.stringify(form?.content).includes(`git push origin ${branch}`) ? form : undefined;
      });
    };

    const form = await read(ALICE, first);
    await slack.submitView({ user: ALICE, viewId: form.id });
    const approved = await seller.wait(ids.get(first) ?? '');
    expect(approved).toMatchObject({ outcome: 'approved', decidedBy: { id: 'T0E2E/U0ALICE' } });
    const half = await listSays(`Approved, waits to run · Alice Approver · \`git push origin ${first}\``);
    expect(JSON.stringify(half.blocks).match(/Read, then decide/g)).toHaveLength(1);

    const other = await read(BOB, second);
    await slack.click({ user: BOB, viewId: other.id, actionId: ACTIONS.reject });
    const why = await until('the form of reasons', () => {
      const last = slack.views(BOB).at(-1);
      return JSON.stringify(last?.content).includes(REASON.block) ? last : undefined;
    });
    await slack.submitView({ user: BOB, viewId: why.id });
    const rejected = await seller.wait(ids.get(second) ?? '');
    expect(rejected).toMatchObject({ outcome: 'denied', decidedBy: { id: 'T0E2E/U0BOB' } });
    await listSays(`Rejected · Bob Approver · \`git push origin ${second}\``);
    for (const id of ids.values()) await seller.client.cancel(id, 'The test is over.');
  });
});
