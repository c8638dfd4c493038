/** Builds the form "I am away": who votes in somebody's place, and until when. */
import type { ModalView } from '@slack/types';
import { line } from '../elements/blocks.ts';
import { HOME } from '../texts/home.ts';

export const AWAY = {
  view: 'countersign_away',
  person: { block: 'countersign_away_person', action: 'person' },
  until: { block: 'countersign_away_until', action: 'until' },
} as const;

/** `until`: the time that stands in the form at first, in seconds since 1970. */
export function awayModal(until: number): ModalView {
  const plain = (text: string) => ({ type: 'plain_text' as const, text, emoji: false });
  return {
    type: 'modal',
    callback_id: AWAY.view,
    title: plain(HOME.form.title),
    submit: plain(HOME.form.submit),
    close: plain(HOME.form.close),
    blocks: [
      line(HOME.form.text),
      {
        type: 'input',
        block_id: AWAY.person.block,
        label: plain(HOME.form.person),
        element: { type: 'users_select', action_id: AWAY.person.action },
      },
      {
        type: 'input',
        block_id: AWAY.until.block,
        label: plain(HOME.form.until),
        element: { type: 'datetimepicker', action_id: AWAY.until.action, initial_date_time: until },
      },
    ],
  };
}
