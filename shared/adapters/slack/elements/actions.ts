/** Names what can be clicked, and how a button, a menu and their block tell what they are about. */
import type { Button, ConfirmationDialog } from '@slack/types';
import { shortened } from './text.ts';

export const ACTIONS = {
  approve: 'countersign_approve',
  /** On cards of earlier releases. */
  approveCall: 'countersign_approve_call',
  approveSome: 'countersign_approve_some',
  session: 'countersign_session',
  edit: 'countersign_edit',
  substitute: 'countersign_substitute',
  respond: 'countersign_respond',
  answer: 'countersign_answer',
  reject: 'countersign_reject',
  /** On cards of earlier releases. */
  rejectCall: 'countersign_reject_call',
  pass: 'countersign_pass',
  viewAll: 'countersign_view_all',
  /** The menu behind the buttons; the value of its option is one of the ids above. */
  more: 'countersign_more',
  /** In App Home; its value is the id of a grant. */
  takeBack: 'countersign_take_back',
  openCard: 'countersign_open_card',
  away: 'countersign_away',
  back: 'countersign_back',
  /** Draw App Home anew; the value is the page. */
  refresh: 'countersign_home_refresh',
  nextPage: 'countersign_home_next',
  previousPage: 'countersign_home_previous',
} as const;
export type ActionId = (typeof ACTIONS)[keyof typeof ACTIONS];

/** Names an approval, with the digest of the question that was shown beside the button. */
export interface ButtonValue {
  readonly approval: string;
  readonly digest: string;
  /** The one call of a batch that the button is about. */
  readonly call?: string;
  /** The answer of an input request that the button gives. */
  readonly answer?: string;
  /** The page of Show everything. */
  readonly page?: number;
}

interface Looks {
  readonly style?: 'primary' | 'danger' | undefined;
  /** For screen readers. */
  readonly label?: string | undefined;
  readonly confirm?: ConfirmationDialog | undefined;
}

/** Slack's limit for what a screen reader says of a button. */
const MAX_LABEL = 75;

export function button(text: string, action_id: string, value: ButtonValue, looks: Looks = {}): Button {
  const { style, label, confirm } = looks;
  return {
    type: 'button',
    text: { type: 'plain_text', text, emoji: false },
    action_id,
    value: JSON.stringify(value),
    ...(style ? { style } : {}),
    ...(label === undefined ? {} : { accessibility_label: shortened(label, MAX_LABEL) }),
    ...(confirm ? { confirm } : {}),
  };
}

/** Reads the value of a button of ours; undefined for any other value. */
export function readButton(text: string | undefined): ButtonValue | undefined {
  try {
    const { approval, digest, call, answer, page } = JSON.parse(text ?? '') as Partial<Record<string, unknown>>;
    if (typeof approval !== 'string' || typeof digest !== 'string') return undefined;
    return {
      approval,
      digest,
      ...(typeof call === 'string' ? { call } : {}),
      ...(typeof answer === 'string' ? { answer } : {}),
      ...(typeof page === 'number' ? { page } : {}),
    };
  } catch {
    return undefined;
  }
}

const BLOCK = /^countersign:([0-9a-f]{64}):([^:]{1,128})$/;

/** An option of a menu takes 150 characters: its block says which approval, and what was shown. */
export const blockIdOf = ({ approval, digest }: ButtonValue): string => `countersign:${approval}:${digest}`;

export function readBlockId(text: string | undefined): ButtonValue | undefined {
  const [, approval, digest] = BLOCK.exec(text ?? '') ?? [];
  return approval === undefined || digest === undefined ? undefined : { approval, digest };
}
