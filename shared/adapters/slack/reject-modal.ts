/** The modal that asks a person why a call is refused: the reason reaches the model. */
import type { ModalView } from '@slack/types';
import type { ButtonValue } from './card.ts';

export const REJECT_VIEW = 'countersign_reject_view';
export const REASON = { block: 'countersign_reason', action: 'countersign_reason_text' } as const;

/** Which approval the modal is about and the card it was opened from. Slack returns it unchanged in a signed request. */
export interface RejectContext extends ButtonValue {
  readonly channel: string;
  readonly ts: string;
  /** Whether that message showed the button of this approval when it was clicked. */
  readonly shown: boolean;
}

export const rejectModal = (context: RejectContext): ModalView => ({
  type: 'modal',
  callback_id: REJECT_VIEW,
  private_metadata: JSON.stringify(context),
  title: { type: 'plain_text', text: 'Reject this call' },
  submit: { type: 'plain_text', text: 'Reject' },
  close: { type: 'plain_text', text: 'Back' },
  blocks: [
    {
      type: 'input',
      block_id: REASON.block,
      label: { type: 'plain_text', text: 'Why?' },
      hint: { type: 'plain_text', text: 'The agent is told this, word for word.' },
      element: { type: 'plain_text_input', action_id: REASON.action, multiline: true, max_length: 1000 },
    },
  ],
});
