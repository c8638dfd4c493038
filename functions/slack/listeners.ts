/** Turns clicks of people in Slack into votes; answers each refusal privately with its reason. */
import type { App } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import type { CardSource } from '../../shared/adapters/slack/cards/card-source.ts';
import {
  editModal,
  type ModalContext,
  noticeModal,
  passModal,
  rejectModal,
  respondModal,
  sessionModal,
  someModal,
  substituteModal,
} from '../../shared/adapters/slack/cards/modals.ts';
import { refusalText } from '../../shared/adapters/slack/cards/refusals.ts';
import { VIEW_ALL } from '../../shared/adapters/slack/cards/view-all.ts';
import { ACTIONS, type ButtonValue, readBlockId, readButton } from '../../shared/adapters/slack/elements/actions.ts';
import { sourceOf } from '../../shared/adapters/slack/posting/source.ts';
import type { Ballot } from '../../shared/domain/approval/approval.ts';
import { ownValue } from '../../shared/domain/own.ts';
import { mayAnswer } from '../../shared/use-cases/approvals/voting/cast-vote.ts';
import { castAndNote } from './cast-and-note.ts';
import {
  type ButtonClick,
  clickOf,
  counted,
  formContext,
  formOf,
  holdsButton,
  locationOf,
  type MenuClick,
  notifyRefusal,
  type Opened,
  personOf,
} from './clicks.ts';
import { listenToCommand } from './command.ts';
import type { ListenerDependencies } from './dependencies.ts';
import { listenToForms } from './forms.ts';
import { listenToHome } from './home.ts';
import { showForm } from './show-form.ts';
import { listenToViewAll, showAll } from './view-all.ts';

export function listen(app: App, listening: ListenerDependencies): void {
  listenToViewAll(app, listening);
  listenToForms(app, listening);
  listenToHome(app, listening);
  listenToCommand(app, listening);
  const { deps } = listening;

  /** A button that needs no form. */
  const voting = (pattern: string | RegExp, ballotOf: (value: ButtonValue) => Ballot) =>
    app.action<ButtonClick>(pattern, async ({ ack, body, action, respond }) => {
      await ack();
      const value = readButton(action.value) ?? NOTHING;
      const ballot = ballotOf(value);
      const voted = await castAndNote({ ...clickOf(body, action, value.approval, listening.appId), ballot }, listening);
      await notifyRefusal(voted, personOf(body).person, deps.policy, respond);
    });
  voting(ACTIONS.approve, ({ digest }) => ({ choice: 'approve', questionDigest: digest, via: 'slack' }));
  voting(ACTIONS.approveCall, ({ digest, call = '' }) => ({
    choice: 'approve',
    questionDigest: digest,
    via: 'slack',
    calls: [{ id: call, choice: 'approve' }],
  }));
  voting(/^countersign_answer_\d+$/, ({ digest, answer = '' }) => ({
    choice: 'respond',
    questionDigest: digest,
    via: 'slack',
    answer,
  }));

  type Opening = (context: ModalContext, source: CardSource, open: readonly string[]) => ModalView;
  const { cardNames: names } = deps.policy;

  /** A form is for somebody who may answer, on the card's own message; anybody else is told why, and it is recorded. */
  async function open(id: string, form: Opening, value: ButtonValue, { ack, body, action, client, respond }: Opened) {
    const inForm = formOf(body, value);
    const context = inForm ?? { ...value, ...(locationOf(body) ?? NOWHERE), shown: holdsButton(body.message, action) };
    const click = inForm
      ? formContext(body, inForm, listening.appId)
      : clickOf(body, action, value.approval, listening.appId);
    const some = form === someModal;
    const code = nameOf(some ? ACTIONS.approveSome : id);
    const about = { questionDigest: value.digest, code, call: value.call, some };
    const answer = await mayAnswer(click, about, deps);
    // The trigger lives three seconds: acknowledged only when the form is open.
    if (answer.kind === 'may')
      await showForm({ body, client, respond }, form(context, sourceOf(answer.view, names), answer.open));
    // A form has no channel to answer in.
    else if (inForm)
      await showForm({ body, client, respond }, noticeModal(refusalText(answer.refusal, answer.approval)));
    await ack();
    if (answer.kind === 'refused' && !inForm) await notifyRefusal(answer, click.person, deps.policy, respond);
    if (answer.kind === 'refused' && inForm) counted(answer);
  }

  const forms: Readonly<Record<string, Opening>> = {
    [ACTIONS.reject]: rejectModal,
    [ACTIONS.rejectCall]: rejectModal,
    [ACTIONS.pass]: passModal,
    [ACTIONS.respond]: respondModal,
    [ACTIONS.edit]: editModal,
    [ACTIONS.substitute]: substituteModal,
    [ACTIONS.approveSome]: someModal,
    [VIEW_ALL.each]: someModal,
    [ACTIONS.session]: (context, source) => sessionModal(context, source, deps.policy.settings.approvals.remember),
  };
  for (const [id, form] of Object.entries(forms))
    app.action<ButtonClick>(id, async ({ ack, body, action, client, respond }) =>
      open(id, form, readButton(action.value) ?? NOTHING, { ack, body, action, client, respond }),
    );

  // An option of the menu says what to do, and its block with what.
  app.action<MenuClick>(ACTIONS.more, async ({ ack, body, action, client, respond }) => {
    const { value: verb } = action.selected_option;
    const value = readBlockId(action.block_id) ?? NOTHING;
    const form = ownValue(forms, verb);
    if (form) return open(verb, form, value, { ack, body, action, client, respond });
    if (verb === ACTIONS.viewAll) return showAll(value, { ack, body, action, client, respond }, listening);
    await ack();
  });
}

/** For a button that names no approval of this gate. */
const NOTHING: ButtonValue = { approval: '', digest: '' };
const NOWHERE = { channel: '', ts: '' };
const nameOf = (id: string): string => id.replace('countersign_', '');
