/** Checks what a person of the campaign takes for the answer to a click, where Slack's come late. */
import { expect, test } from 'vitest';
import { VIEWS } from '../../shared/adapters/slack/cards/modals.ts';
import { ACTIONS } from '../../shared/adapters/slack/elements/actions.ts';
import type { InteractionResult, StoredMessage, StoredView } from '../local/slack/types.ts';
import { clickAs, type Shown } from './people.ts';

/** A Slack whose app answers each click as the test says, and takes every form. */
function slackWith(answer: (actionId: string) => InteractionResult) {
  const open: StoredView[] = [];
  const whispers: StoredMessage[] = [];
  const sent: string[] = [];
  return {
    sent,
    opens: (card: string, form: string) =>
      open.push({
        ...{ id: `V${open.length}`, content: { callback_id: form, private_metadata: JSON.stringify({ ts: card }) } },
      } as unknown as StoredView),
    whispers: (card: string, text: string) => whispers.push({ answersTo: card, text } as StoredMessage),
    click: async ({ actionId }: { actionId: string }) => answer(actionId),
    closeView: async ({ viewId }: { viewId: string }) => {
      open.splice(0, open.length, ...open.filter(({ id }) => id !== viewId));
      return { ok: true };
    },
    submitView: async ({ viewId }: { viewId: string }) => {
      const { content } = open.find(({ id }) => id === viewId) as StoredView;
      sent.push(`${content['callback_id']} ${content['private_metadata']}`);
      return { ok: true };
    },
    ephemerals: () => whispers,
    views: () => [...open],
  };
}

const shown = (ts: string): Shown => ({
  card: { channel: 'C1', ts } as StoredMessage,
  approval: '',
  digest: '',
  value: '',
});

test('the form of a click before, which opens late, is not filled in for another card', async () => {
  const slack = slackWith(() => {
    slack.opens('1', VIEWS.reject);
    return { ok: false };
  });
  expect(await clickAs('alice', shown('2'), { choice: 'reject' }, slack)).toBeUndefined();
  expect(slack.sent).toEqual([]);
});

test('a form that was left open is closed, and the one that the click opens is filled in', async () => {
  const slack = slackWith((actionId) => {
    slack.opens('3', actionId === ACTIONS.reject ? VIEWS.reject : VIEWS.edit);
    return { ok: true };
  });
  slack.opens('3', VIEWS.edit);
  expect(await clickAs('alice', shown('3'), { choice: 'reject' }, slack)).toBe('counted');
  expect(slack.sent).toEqual([`${VIEWS.reject} {"ts":"3"}`]);
});

test('after a click that broke off, a refusal on that card may be the answer to it', async () => {
  const broken = slackWith(() => {
    throw new Error('nothing is shown there');
  });
  await expect(clickAs('bob', shown('4'), { choice: 'approve' }, broken)).rejects.toThrow();
  const slack = slackWith(() => {
    slack.whispers('4', 'You have voted already.');
    return { ok: true };
  });
  expect(await clickAs('bob', shown('4'), { choice: 'approve' }, slack)).toBeUndefined();
  const other = slackWith(() => {
    other.whispers('5', 'You have voted already.');
    return { ok: true };
  });
  expect(await clickAs('bob', shown('5'), { choice: 'approve' }, other)).toBe('You have voted already.');
  expect(
    await clickAs(
      'bob',
      shown('6'),
      { choice: 'approve' },
      slackWith(() => ({ ok: true })),
    ),
  ).toBe('counted');
});
