/** Builds the requests that Slack sends for a person, and signs them. */
import { createHmac } from 'node:crypto';
import { INPUT, REASON, SCOPE, VIEWS } from '../../../shared/adapters/slack/cards/modals.ts';
import { ACTIONS } from '../../../shared/adapters/slack/elements/actions.ts';
import { inputOf } from '../model/plan.ts';
import { PEOPLE, type PersonName } from '../model/policies.ts';
import type { SeenButton } from './slack.ts';

export const APP = 'A0SIMULATED';
/** Shares the secret with the gate's own. */
export const OTHER_APP = 'A0OTHER';
const FORM = 'application/x-www-form-urlencoded';
export const JSON_TYPE = 'application/json';

export interface SlackRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function signedBy(key: string, at: number, body: string, type = FORM): SlackRequest {
  const seconds = String(Math.floor(at / 1_000));
  const signature = `v0=${createHmac('sha256', key).update(`v0:${seconds}:${body}`).digest('hex')}`;
  const headers = { 'content-type': type, 'x-slack-request-timestamp': seconds, 'x-slack-signature': signature };
  return { method: 'POST', headers, body };
}

/** A click, in Slack's words; `trigger` tells it from every other. */
export interface PressedButton {
  readonly who: PersonName;
  readonly button: SeenButton;
  readonly choice: 'approve' | 'reject';
  readonly remember: boolean;
  readonly edit?: number | undefined;
  readonly trigger: string;
  /** Names another app that shares the secret, or another workspace. */
  readonly app?: string;
  readonly team?: string;
}

/** The bytes: what needs a form is the form, as it is sent. */
export function clickBody({ who, button, choice, remember, edit, trigger, app = APP, team }: PressedButton): string {
  const { card, value, drawn } = button;
  const { user, team: home } = PEOPLE[who];
  const base = { api_app_id: app, team: { id: team ?? home }, user: { id: user, team_id: home }, trigger_id: trigger };
  const form = formOf(choice, remember, edit);
  if (!form)
    return payloadBytes({
      type: 'block_actions',
      ...base,
      channel: { id: card.channel },
      container: { type: 'message', message_ts: card.ts, channel_id: card.channel },
      message: { ts: card.ts, app_id: app, blocks: drawn.blocks },
      actions: [{ type: 'button', action_id: ACTIONS.approve, block_id: 'b', value: JSON.stringify(value) }],
    });
  const about = { ...value, channel: card.channel, ts: card.ts, shown: true, ...(edit === undefined ? {} : CALL) };
  const view = { id: 'V1', hash: trigger, type: 'modal', app_id: app, private_metadata: JSON.stringify(about) };
  return payloadBytes({ type: 'view_submission', ...base, view: { ...view, blocks: [], ...form } });
}

const CALL = { call: 'call' } as const;

function formOf(choice: PressedButton['choice'], remember: boolean, edit: number | undefined) {
  const reason = { [REASON.block]: { [REASON.action]: { type: 'plain_text_input', value: 'not today' } } };
  if (edit !== undefined) {
    const input = { [INPUT.action]: { type: 'plain_text_input', value: JSON.stringify(inputOf(edit)) } };
    return { callback_id: VIEWS.edit, state: { values: { [INPUT.block]: input, ...reason } } };
  }
  if (choice === 'reject') return { callback_id: VIEWS.reject, state: { values: reason } };
  if (!remember) return undefined;
  const selected = { [SCOPE.action]: { type: 'radio_buttons', selected_option: { value: 'session' } } };
  return { callback_id: VIEWS.session, state: { values: { [SCOPE.block]: selected } } };
}

/** Names the person who acts, in Slack's words. */
export function personIn(who: PersonName) {
  const { user, team } = PEOPLE[who];
  return { user: { id: user, team_id: team }, team: { id: team } };
}

export const payloadBytes = (payload: object): string => `payload=${encodeURIComponent(JSON.stringify(payload))}`;
