/** Names of what can be clicked, and what a button says of itself. */
import type { Button } from '@slack/types';

export const ACTIONS = {
  approve: 'countersign_approve',
  approveCall: 'countersign_approve_call',
  approveSome: 'countersign_approve_some',
  session: 'countersign_session',
  edit: 'countersign_edit',
  substitute: 'countersign_substitute',
  respond: 'countersign_respond',
  answer: 'countersign_answer',
  reject: 'countersign_reject',
  rejectCall: 'countersign_reject_call',
  pass: 'countersign_pass',
  viewAll: 'countersign_view_all',
  /** In App Home; its value is the id of a grant. */
  takeBack: 'countersign_take_back',
} as const;
export type ActionId = (typeof ACTIONS)[keyof typeof ACTIONS];

/** Which approval, and the digest of what was shown beside it. */
export interface ButtonValue {
  readonly approval: string;
  readonly digest: string;
  /** The one call of a batch that the button is about. */
  readonly call?: string;
  /** The answer of an input request that the button gives. */
  readonly answer?: string;
  /** Of View all. */
  readonly page?: number;
}

export function button(text: string, action_id: string, value: ButtonValue, style?: 'primary' | 'danger'): Button {
  return {
    type: 'button',
    text: { type: 'plain_text', text, emoji: false },
    action_id,
    value: JSON.stringify(value),
    ...(style ? { style } : {}),
  };
}

/** What a button of ours says; undefined if it says something else. */
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
