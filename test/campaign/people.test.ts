/** Checks what a person of the campaign takes for the answer to a click, where Slack's come late. */
import { expect, test } from 'vitest';
import { VIEWS } from '../../shared/adapters/slack/cards/modals.ts';
import { ACTIONS } from '../../shared/adapters/slack/elements/actions.ts';
import type { InteractionResult, StoredMessage, StoredView } from '../local/slack/types.ts';
import { clickAs, type Shown } from './people.ts';

/** A Slack whose app does with each click as the test says, and takes every form. */
function slackWith(answer: (trigger: string, actionId: string) => Pick<InteractionResult, 'ok'>) {
  const open: StoredView[] = [];
  const whispers: StoredMessage[] = [];
  const sent: unknown[] = [];
  let clicks = 0;
  return {
    sent,
    opens: (trigger: string, form: string) =>
      open.push({ id: `V${open.length}`, content: { callback_id: form }, openedBy: trigger } as unknown as StoredView),
    whispers: (trigger: string, text: string) => whispers.push({ answersTo: trigger, text } as StoredMessage),
    click: async ({ actionId }: { actionId: string }) => {
      const trigger = String(++clicks);
      const body = new URLSearchParams({ payload: JSON.stringify({ trigger_id: trigger }) }).toString();
      return { ...answer(trigger, actionId), entry: { body } } as InteractionResult;
    },
    closeView: async ({ viewId }: { viewId: string }) => {
      open.splice(0, open.length, ...open.filter(({ id }) => id !== viewId));
      return { ok: true };
    },
    submitView: async ({ viewId }: { viewId: string }) => {
      const { content, openedBy } = open.find(({ id }) => id === viewId) as StoredView;
      sent.push([content['callback_id'], openedBy]);
      return { ok: true };
    },
    ephemerals: () => whispers,
    views: () => [...open],
  };
}

const shown = { card: { channel: 'C1', ts: '1' }, approval: '', digest: '', value: '' } as Shown;
const VOTED = 'You have voted already.';

test('the form of a click before, which opens late, is not filled in', async () => {
  const slack = slackWith((trigger) => {
    if (trigger === '2') slack.opens('1', VIEWS.reject);
    return { ok: false };
  });
  for (let clicks = 0; clicks < 2; clicks++)
    expect(await clickAs('alice', shown, { choice: 'reject' }, slack)).toBeUndefined();
  expect(slack.sent).toEqual([]);
});

test('a form that was left open is closed, and the one that the click opens is filled in', async () => {
  const slack = slackWith((trigger, actionId) => {
    slack.opens(trigger, actionId === ACTIONS.reject ? VIEWS.reject : VIEWS.edit);
    return { ok: true };
  });
  slack.opens('0', VIEWS.reject);
  expect(await clickAs('alice', shown, { choice: 'reject' }, slack)).toBe('counted');
  expect(await clickAs('alice', shown, { choice: 'edit' }, slack)).toBe('counted');
  expect(slack.sent).toEqual([
    [VIEWS.reject, '1'],
    [VIEWS.edit, '2'],
  ]);
});

test('a refusal that comes late is the answer to its own click, and to no later one', async () => {
  const slack = slackWith((trigger) => {
    // Slack gives up on the first; its refusal comes while the second is on its way.
    if (trigger === '2') slack.whispers('1', VOTED);
    if (trigger === '3') slack.whispers('3', VOTED);
    return { ok: trigger !== '1' };
  });
  const click = () => clickAs('bob', shown, { choice: 'approve' }, slack);
  expect([await click(), await click(), await click()]).toEqual([undefined, 'counted', VOTED]);
});
