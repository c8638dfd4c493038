/** Lets people look at App Home or type commands, and have the gate take back, hand over or give back. */
import { getOrAdd } from '../../../shared/adapters/memory/stores/state.ts';
import { ACTIONS } from '../../../shared/adapters/slack/elements/actions.ts';
import { AWAY } from '../../../shared/adapters/slack/home/away-form.ts';
import { COMMAND } from '../../../shared/adapters/slack/texts/command.ts';
import type { Delegated, Revoked } from '../model/history.ts';
import type { Visit } from '../model/plan.ts';
import { PEOPLE } from '../model/policies.ts';
import { APP, JSON_TYPE, OTHER_APP, payloadBytes, personIn } from '../world/slack-requests.ts';
import type { SlackView } from '../world/slack-side.ts';
import type { World } from '../world/world.ts';

const RETRY_AFTER_MS = 4_000;
const TRIES = 3;

/** Something that the gate showed somebody: their Home, or the answer to a command. */
interface Shown {
  readonly view: SlackView;
  readonly id: string;
  readonly hash: string;
}

export async function visit(step: Visit, world: World): Promise<void> {
  const { endpoint, tell } = world;
  if (!endpoint) return;
  const { by, wish, who, later, again } = step;
  tell(() => `${who} looks at the ${by === 'home' ? 'Home' : 'answer to a command'}: ${wish.kind}`);
  const seen = by === 'home' ? await lookHome(step, world) : await type(step, ['grants'], world);
  if (by === 'command') await type(step, ['pending'], world);
  if (!seen || wish.kind === 'look') return;
  await world.sleep(later);
  const wanted = by === 'home' ? clickHome(step, seen, world) : typeWish(step, seen, world);
  for (const pause of again)
    world.clock.after(pause, () => void wanted.then((send) => send?.()).catch(() => undefined));
  for (let tries = 0; tries < TRIES; tries++) {
    if (await (await wanted)?.().catch(() => true)) return;
    await world.sleep(RETRY_AFTER_MS);
  }
}

/** Slack tells the gate that somebody opened it, until it has an answer. */
async function lookHome({ who }: Visit, world: World): Promise<Shown | undefined> {
  const { endpoint, clock, ids, history } = world;
  const { user, team } = PEOPLE[who];
  const event = { type: 'app_home_opened', user, channel: `D${user}`, tab: 'home', event_ts: '1.1' };
  const about = { type: 'event_callback', event_id: ids.next(), team_id: team, api_app_id: APP };
  const body = JSON.stringify({ ...about, authorizations: [{ user_id: 'U0SELF' }], event });
  const since = clock.now();
  for (let tries = 0; tries < TRIES; tries++) {
    const answer = await endpoint?.send(endpoint.signed(body, JSON_TYPE)).catch(() => undefined);
    if (answer) history.signed.push({ at: since, status: answer.status });
    if (answer?.status === 200) break;
    await world.sleep(RETRY_AFTER_MS);
  }
  const home = endpoint?.slack.homeOf(who);
  if (home) note(who, since, home.view, world);
  return home;
}

function note(who: Visit['who'], since: number, { blocks }: SlackView, { clock, history }: World): void {
  const text = JSON.stringify(blocks);
  const waiting = blocks.filter(({ accessory }) => accessory?.action_id === ACTIONS.openCard).length;
  history.looked.push({ at: clock.now(), since, who, waiting, given: [...text.matchAll(GRANT_IDS)].length });
}

/** In Home as a button's value, and in an answer by itself. */
const GRANT_IDS = /"(?:value|text)":"[0-9a-f]{12}"/g;
const GRANT_IN_HOME = /for (?<agent>\w+), in [^`]*`(?<grant>[0-9a-f]{12})`/;
const GRANT_IN_ANSWER = /"(?<grant>[0-9a-f]{12})".*?for (?<agent>\w+), /;

/** Makes what is sent; sent again, it is the same. True: nobody tries again. */
type Send = () => Promise<boolean>;

async function clickHome(step: Visit, home: Shown, world: World): Promise<Send | undefined> {
  const { who, wish, isForeign } = step;
  const { endpoint, clock, ids } = world;
  if (!endpoint) return undefined;
  const app = isForeign ? OTHER_APP : APP;
  const found = GRANT_IN_HOME.exec(JSON.stringify(home.view.blocks))?.groups;
  const elements = home.view.blocks.flatMap((block) => block.elements ?? []);
  const has = (action: string) => elements.some(({ action_id }) => action_id === action);
  const press = (action_id: string, value?: string) => {
    const trigger = ids.next();
    const view = { id: home.id, type: 'home', app_id: app, hash: home.hash, blocks: home.view.blocks };
    const action = { type: 'button', action_id, block_id: 'b', ...(value === undefined ? {} : { value }) };
    const about = { type: 'block_actions', api_app_id: app, ...personIn(who), ...endpoint.slack.press(who, trigger) };
    const body = { ...about, view, container: { type: 'view', view_id: home.id }, actions: [action] };
    return { trigger, bytes: payloadBytes(body) };
  };
  switch (wish.kind) {
    case 'take back': {
      if (!found) return undefined;
      const { trigger, bytes } = press(ACTIONS.takeBack, found['grant']);
      const order = {
        at: clock.now(),
        id: endpoint.requestId(trigger, who),
        agent: found['agent'] ?? '',
        isSingle: true,
      };
      return wished(step, order, bytes, world);
    }
    case 'back': {
      if (!has(ACTIONS.back)) return undefined;
      const { trigger, bytes } = press(ACTIONS.back);
      const at = clock.now();
      return wished(step, { at, id: endpoint.requestId(trigger, who), person: who, from: at, until: at }, bytes, world);
    }
    case 'away': {
      const { trigger, bytes } = press(ACTIONS.away);
      await endpoint.send(endpoint.signed(bytes)).catch(() => undefined);
      const form = endpoint.slack.formOf(trigger);
      if (!form) return undefined;
      await world.sleep(step.later);
      const at = clock.now();
      const until = Math.floor((at + wish.lasts) / 1_000);
      const person = { type: 'users_select', selected_user: PEOPLE[wish.to].user };
      const values = {
        [AWAY.person.block]: { [AWAY.person.action]: person },
        [AWAY.until.block]: { [AWAY.until.action]: { type: 'datetimepicker', selected_date_time: until } },
      };
      const view = { ...form.view, id: form.id, hash: form.hash, app_id: app, state: { values } };
      const sent = payloadBytes({ type: 'view_submission', api_app_id: app, ...personIn(who), view });
      const id = endpoint.formRequestId(view);
      return wished(step, { at, id, person: who, to: wish.to, from: at, until: until * 1_000 }, sent, world);
    }
    default:
      return undefined;
  }
}

/** Notes the order that this is, before it is sent; the answer stands in the Home, or is the command's own. */
function wished(
  { who, by, isForeign }: Visit,
  order: Omit<Revoked, 'promise'> | Omit<Delegated, 'promise'>,
  body: string,
  world: World,
): Send {
  const { history, endpoint } = world;
  const noted: Revoked | Delegated = { ...order, promise: 'none' };
  if (isForeign) world.tell(() => `another app asks as ${noted.id}`);
  else if ('agent' in noted) history.revoked.push(noted);
  else history.delegated.push(noted);
  return async () => {
    world.tell(() => `${who} asks the gate by ${by} as ${noted.id}: ${JSON.stringify(order)}`);
    const before = endpoint?.slack.homeOf(who);
    const { answer, isAlone } = await sentBy(who, () => endpoint?.send(endpoint.signed(body)), world);
    const home = endpoint?.slack.homeOf(who);
    // A form that is refused stays open, and a Home that is as it was, or that others drew as well, tells of another order.
    const drawn = isAlone && home !== before && answer?.body === '' ? JSON.stringify(home?.view.blocks[0]) : undefined;
    const shown = by === 'command' ? answer?.body : drawn;
    if (shown?.includes(COMMAND.onItsWay)) noted.promise = 'made';
    if (isForeign && noted.promise === 'made') history.strangers.push(`${noted.id}, for ${who}`);
    world.tell(() => `${who} is answered with ${answer?.status}, promised: ${noted.promise}`);
    return answer?.status === 200;
  };
}

/** A person's orders: how many were sent, and how many of them have no answer yet. */
const ordersOf = new WeakMap<World, Map<Visit['who'], { sent: number; open: number }>>();

/** `isAlone`: the person sent no other order meanwhile. */
async function sentBy<Answer>(who: Visit['who'], send: () => Promise<Answer> | undefined, world: World) {
  const ofRun = ordersOf.get(world) ?? new Map<Visit['who'], { sent: number; open: number }>();
  ordersOf.set(world, ofRun);
  const orders = getOrAdd(ofRun, who, () => ({ sent: 0, open: 0 }));
  const wasAlone = orders.open === 0;
  orders.open += 1;
  orders.sent += 1;
  const { sent } = orders;
  try {
    const answer = await send();
    return { answer, isAlone: wasAlone && orders.sent === sent };
  } finally {
    orders.open -= 1;
  }
}

type Typed = Pick<Visit, 'who'> & { readonly isForeign?: true | undefined };

/** Types a command until it is answered; the answer, as Slack shows it. */
async function type(step: Visit, words: readonly string[], world: World): Promise<Shown | undefined> {
  const since = world.clock.now();
  for (let tries = 0; tries < TRIES; tries++) {
    const { body } = typed({ ...step, isForeign: undefined }, words, world);
    const answer = await world.endpoint?.send(world.endpoint.signed(body)).catch(() => undefined);
    if (answer?.status === 200) {
      const { blocks = [] } = JSON.parse(answer.body || '{}') as Partial<SlackView>;
      note(step.who, since, { blocks }, world);
      return { view: { blocks }, id: '', hash: '' };
    }
    await world.sleep(RETRY_AFTER_MS);
  }
  return undefined;
}

function typed({ who, isForeign }: Typed, words: readonly string[], { ids }: World) {
  const { user, team } = PEOPLE[who];
  const trigger = ids.next();
  const about = { command: '/countersign', text: words.join(' '), user_id: user, user_name: who, team_id: team };
  const body = { ...about, trigger_id: trigger, api_app_id: isForeign ? OTHER_APP : APP, channel_id: 'C0ANY' };
  return { trigger, body: new URLSearchParams(body).toString() };
}

async function typeWish(step: Visit, { view }: Shown, world: World): Promise<Send | undefined> {
  const { who, wish } = step;
  const { clock, endpoint } = world;
  if (!endpoint) return undefined;
  const at = clock.now();
  const of = (
    words: readonly string[],
    order: (id: string) => Omit<Revoked, 'promise'> | Omit<Delegated, 'promise'>,
  ) => {
    const { trigger, body } = typed(step, words, world);
    return wished(step, order(endpoint.requestId(trigger, who)), body, world);
  };
  switch (wish.kind) {
    case 'take back': {
      const { grant, agent = '' } = GRANT_IN_ANSWER.exec(JSON.stringify(view.blocks))?.groups ?? {};
      return grant === undefined ? undefined : of(['revoke', grant], (id) => ({ at, id, agent, isSingle: true }));
    }
    case 'back':
      return of(['delegate', 'off'], (id) => ({ at, id, person: who, from: at, until: at }));
    case 'away': {
      const until = at + wish.lasts;
      const words = ['delegate', `<@${PEOPLE[wish.to].user}>`, new Date(until).toISOString()];
      return of(words, (id) => ({ at, id, person: who, to: wish.to, from: at, until }));
    }
    default:
      return undefined;
  }
}
