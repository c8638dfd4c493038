/** Checks that whoever clicks learns of a form that Slack does not show. */
import type { ModalView } from '@slack/types';
import { afterEach, expect, test, vi } from 'vitest';
import { showForm } from '../../../functions/slack/show-form.ts';
import { FORMS } from '../../../shared/adapters/slack/texts/forms.ts';

const FORM: ModalView = { type: 'modal', title: { type: 'plain_text', text: 'Reject' }, blocks: [] };
const IN_FORM = { view: { type: 'modal', id: 'V1', hash: 'h1' } };
const IN_HOME = { view: { type: 'home', id: 'V2', hash: 'h2' } };

/** A click whose form Slack answers with an error, and an address to answer at where it has one. */
const clicked = (code: string, body: object, respond?: (message: object) => Promise<unknown>) => {
  const refused = async () => {
    throw Object.assign(new Error(`An API error occurred: ${code}`), { data: { ok: false, error: code } });
  };
  const client = { views: { open: refused, update: refused } };
  return { body: { trigger_id: 'T1', ...body }, client, respond } as unknown as Parameters<typeof showForm>[0];
};

vi.spyOn(console, 'error').mockImplementation(() => undefined);
afterEach(() => void vi.clearAllMocks());

test.each(['expired_trigger_id', 'internal_error'])('on a card, after %s, they are told privately', async (code) => {
  const told: object[] = [];
  await showForm(
    clicked(code, {}, async (message) => told.push(message)),
    FORM,
  );
  expect(told).toEqual([{ response_type: 'ephemeral', replace_original: false, text: FORMS.notShown }]);
});

test.each(['invalid_arguments', 'view_too_large'])(
  'of a form that Slack refuses for good, as %s, they are told where to answer, and not to click again',
  async (reason) => {
    const told: object[] = [];
    await showForm(
      clicked(reason, {}, async (message) => told.push(message)),
      FORM,
    );
    expect(told).toMatchObject([{ text: FORMS.notTaken }]);
  },
);

test.each([
  ['Home', IN_HOME],
  ['a form', IN_FORM],
])('in %s, which has no address, the click fails, and Slack marks it', async (_, body) => {
  await expect(showForm(clicked('internal_error', body), FORM)).rejects.toThrow('internal_error');
});

test('of two clicks in a form, the slower one is no fault', async () => {
  await showForm(clicked('hash_conflict', IN_FORM), FORM);
});
