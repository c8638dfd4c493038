/** Uses Slack besides cards: the form with the whole call, Home, commands, mentions of the app. */
import { setTimeout as delay } from 'node:timers/promises';
import { VIEW_ALL } from '../../../shared/adapters/slack/cards/view-all.ts';
import { ACTIONS } from '../../../shared/adapters/slack/elements/actions.ts';
import { AWAY } from '../../../shared/adapters/slack/home/away-form.ts';
import { TASK_ACTIONS } from '../../../shared/adapters/slack/task-speaker.ts';
import { FIRST_CHANNEL, PEOPLE } from '../../simulation/model/policies.ts';
import { approvedForSession, approvedWhole, openedWhole, placeOf } from './forms.ts';
import { proposed, type Scene, unheard } from './scenes.ts';

const TRIES = 8;
/** A Home is drawn in a moment, and in many on a busy machine. */
const LOOKS = 40;
const BOT = 'U0COUNTERSIGN';
const { user: CAROL } = PEOPLE.carol;

/** Read page by page, there and back. */
export const readWhole: Scene = async (turn) => {
  const { slack } = turn.actors.gate;
  const step = await proposed(turn, { agent: 'tester', tool: 'Push', also: turn.number + 3, large: true });
  const card = await placeOf(turn.actors.pid(step));
  await openedWhole(turn, CAROL, card);
  for (const turned of ['next', 'back']) {
    const viewId = slack.views(CAROL).at(-1)?.id;
    if (viewId) await unheard(slack.click({ user: CAROL, viewId, actionId: `${VIEW_ALL.turn}_${turned}` }));
  }
  for (const { id } of slack.views(CAROL)) await unheard(slack.closeView({ user: CAROL, viewId: id }));
  await approvedWhole(turn, step);
};

/** Buttons of Home, and who is away says who answers instead. */
export const atHome: Scene = async ({ actors }) => {
  const { slack } = actors.gate;
  await unheard(slack.openHome(CAROL));
  const click = async (actionId: string) => {
    for (let tried = 0; tried < LOOKS && !JSON.stringify(slack.home(CAROL)).includes(actionId); tried++)
      await delay(500);
    const viewId = slack.home(CAROL)?.id;
    if (viewId) await unheard(slack.click({ user: CAROL, viewId, actionId }));
  };
  await click(ACTIONS.refresh);
  await click(ACTIONS.away);
  const viewId = slack.views(CAROL).at(-1)?.id;
  // Nobody takes their own place.
  for (const user of viewId ? [CAROL, PEOPLE.sam.user] : []) {
    const values = { [AWAY.person.block]: { [AWAY.person.action]: user } };
    await unheard(slack.submitView({ user: CAROL, viewId: viewId ?? '', values }));
  }
  await delay(3_000);
  await unheard(slack.openHome(CAROL));
  await click(ACTIONS.back);
  await delay(2_000);
};

/** The values of all buttons of this kind that are shown. */
function valuesOf(shown: unknown, actionId: string): string[] {
  if (typeof shown !== 'object' || shown === null) return [];
  const { action_id, value } = shown as { readonly action_id?: unknown; readonly value?: unknown };
  const inner = Object.values(shown).flatMap((part) => valuesOf(part, actionId));
  return action_id === actionId && typeof value === 'string' ? [value, ...inner] : inner;
}

/** Somebody approves for a session, and takes it back at Home. */
export const takenBack: Scene = async (turn) => {
  const { slack } = turn.actors.gate;
  const { user } = PEOPLE.bob;
  const given = async () => {
    await unheard(slack.openHome(user));
    return valuesOf(slack.home(user), ACTIONS.takeBack);
  };
  const before = await given();
  await approvedForSession(turn, await proposed(turn, { agent: 'mailer', tool: 'Ship' }));
  for (let looked = 0; looked < TRIES; looked++) {
    const grant = (await given()).find((one) => !before.includes(one));
    const viewId = slack.home(user)?.id;
    if (grant && viewId)
      return void (await unheard(slack.click({ user, viewId, actionId: ACTIONS.takeBack, shown: grant })));
    await delay(1_000);
  }
};

export const commanded: Scene = async ({ actors }) => {
  const { slack } = actors.gate;
  const command = { user: CAROL, channel: 'C0APPROVALS', command: '/countersign' };
  for (const text of [
    'help',
    'revoke 0123456789ab',
    `delegate <@${PEOPLE.sam.user}|sam> 1d`,
    'delegate',
    'delegate off',
  ])
    await unheard(slack.command({ ...command, text }));
  await delay(3_000);
};

/** A task is asked for in a thread, and deleted by the button there, which somebody else clicks first, and the asker twice. */
export const mentioned: Scene = async ({ actors, id }) => {
  const { slack } = actors.gate;
  const said = (text: string, threadTs?: string) =>
    slack.say({ user: CAROL, channel: FIRST_CHANNEL, text: `<@${BOT}> ${text}`, ...(threadTs ? { threadTs } : {}) });
  const ts = await said(`todo: ${id}`).catch(() => undefined);
  if (ts === undefined) return;
  await delay(4_000);
  await unheard(said(`delete ${id}`, ts));
  const asks = () =>
    slack.messages(
      FIRST_CHANNEL,
      (one) => one.thread_ts === ts && JSON.stringify(one.blocks).includes(TASK_ACTIONS.yes),
    );
  for (let tried = 0; tried < TRIES && !asks().length; tried++) await delay(1_000);
  for (const card of asks())
    for (const user of [PEOPLE.sam.user, CAROL, CAROL])
      await unheard(slack.click({ user, channel: FIRST_CHANNEL, ts: card.ts, actionId: TASK_ACTIONS.yes }));
  await delay(3_000);
};
