/** Shows App Home to the person of the signed request, and takes what they do there. */
import type { App, ViewSubmitAction } from '@slack/bolt';
import { ACTIONS } from '../../shared/adapters/slack/elements/actions.ts';
import { AWAY, awayModal } from '../../shared/adapters/slack/home/away-form.ts';
import { LOOKED_MS } from '../../shared/adapters/slack/posting/redraw-homes.ts';
import { HOME } from '../../shared/adapters/slack/texts/home.ts';
import type { Person } from '../../shared/contract/index.ts';
import { samePerson } from '../../shared/domain/approval/approval.ts';
import { accountOf } from '../../shared/use-cases/people/seats.ts';
import { type ButtonClick, displayNameOf, formRequestId, isPressInOwnView, personOf, requestId } from './clicks.ts';
import type { ListenerDependencies } from './dependencies.ts';
import { drawHome } from './draw-home.ts';
import { ask, revoke, type SignedActor } from './revoke-grant.ts';
import { showForm } from './show-form.ts';

const HOUR_MS = 60 * 60 * 1_000;
/** The absence that the form suggests: a day from now. */
const USUAL_ABSENCE_MS = 24 * HOUR_MS;

export function listenToHome(app: App, listening: ListenerDependencies): void {
  const { deps, appId, history } = listening;

  app.event('app_home_opened', async ({ event, body, client }) => {
    if (event.tab !== 'home' || body.api_app_id !== appId) return;
    const person = await accountOf({ team: body.team_id, user: event.user }, deps);
    await drawHome(person, { client, listening });
    await history.noteLook(person, new Date(deps.clock.now()).toISOString());
  });

  /** Handles a button of App Home. `act` returns the text for the person, if any. */
  const onButton = (
    actions: readonly string[],
    act: (body: ButtonClick, value: string, actor: SignedActor) => Promise<Done>,
  ) => {
    for (const action of actions)
      app.action<ButtonClick>(action, async ({ ack, body, action: button, client }) => {
        await ack();
        if (!isPressInOwnView(body, appId) || body.view?.type !== 'home') return;
        const actor = actorOf(body, requestId(body.trigger_id, body.user.id));
        await drawHome(actor.person, { client, listening, ...(await act(body, button.value ?? '', actor)) });
      });
  };
  /** Shows the answer at the top of the Home of the person who clicked, where nobody else sees it. */
  onButton([ACTIONS.takeBack], async (_, grant, actor) => ({ notice: await revoke(grant, actor, listening) }));
  onButton([ACTIONS.back], async (_, __, actor) => ({ notice: await ask({ kind: 'undelegate' }, actor, listening) }));
  onButton([ACTIONS.refresh, ACTIONS.nextPage, ACTIONS.previousPage], async (_, page) => ({ page: Number(page) || 0 }));

  // A link: Slack opens it by itself, and needs an acknowledgement.
  app.action(ACTIONS.openCard, async ({ ack }) => ack());

  app.action<ButtonClick>(ACTIONS.away, async ({ ack, body, client, respond }) => {
    const until = Math.ceil((deps.clock.now() + USUAL_ABSENCE_MS) / HOUR_MS) * (HOUR_MS / 1_000);
    if (isPressInOwnView(body, appId)) await showForm({ body, client, respond }, awayModal(until));
    await ack();
  });

  app.view<ViewSubmitAction>(AWAY.view, async ({ ack, body, view, client }) => {
    if (body.api_app_id !== appId || body.view.app_id !== appId) return ack();
    const actor = actorOf(body, formRequestId(body.view));
    const { values } = view.state;
    const user = values[AWAY.person.block]?.[AWAY.person.action]?.selected_user ?? '';
    const until = (values[AWAY.until.block]?.[AWAY.until.action]?.selected_date_time ?? 0) * 1_000;
    const to = await accountOf({ team: actor.person.team, user }, deps);
    const wrong = (block: string, text: string) => ack({ response_action: 'errors', errors: { [block]: text } });
    if (!user) return wrong(AWAY.person.block, HOME.form.choose);
    if (samePerson(to, actor.person)) return wrong(AWAY.person.block, HOME.form.notYou);
    if (until <= deps.clock.now()) return wrong(AWAY.until.block, HOME.form.future);
    await ack();
    const wanted = { kind: 'delegate', to, until: new Date(until).toISOString() } as const;
    await drawHome(actor.person, { client, listening, notice: await ask(wanted, actor, listening) });
  });
}

interface Done {
  readonly notice?: string;
  readonly page?: number;
}

function actorOf(body: ButtonClick | ViewSubmitAction, requestId: string): SignedActor {
  const { person, workspace } = personOf(body);
  return { person, workspace, name: displayNameOf(body), requestId };
}

/** Draws the Home of somebody who looked at it lately. Home is only a picture: a failure here changes nothing else. */
export async function drawHomeAgain(person: Person, listening: ListenerDependencies): Promise<void> {
  const { client, history, deps } = listening;
  const looked = await history.lastLook(person);
  if (looked === undefined || deps.clock.now() - Date.parse(looked) > LOOKED_MS) return;
  await drawHome(person, { client, listening });
}
