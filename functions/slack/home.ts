/** App Home: what waits for somebody, what they said, what they may take back. Answers only the person who asks, from the signed request. */
import type { App } from '@slack/bolt';
import { ACTIONS } from '../../shared/adapters/slack/actions.ts';
import { homeView, MAX_SAID } from '../../shared/adapters/slack/home.ts';
import type { Person } from '../../shared/contract/index.ts';
import { sha256Hex } from '../../shared/domain/digest.ts';
import { pendingFor } from '../../shared/use-cases/approvals/pending-for.ts';
import { type ButtonClick, personOf } from './clicks.ts';
import type { Listening } from './listening.ts';
import { revocable, revoke } from './taken-back.ts';

export function listenToHome(app: App, listening: Listening): void {
  const { gate, appId, pending, history } = listening;

  async function homeOf(person: Person, notice?: string) {
    const [waiting, said, given = []] = await Promise.all([
      pending().then((all) => pendingFor({ person, name: person.user, isBot: false }, all, gate)),
      history.votesOf(person, MAX_SAID),
      revocable(person, listening),
    ]);
    return homeView({ waiting, said, given, ...(notice === undefined ? {} : { notice }) });
  }

  app.event('app_home_opened', async ({ event, body, client }) => {
    if (event.tab !== 'home' || body.api_app_id !== appId) return;
    const person = { team: body.team_id, user: event.user };
    await client.views.publish({ user_id: event.user, view: await homeOf(person) });
  });

  /** The answer stands at the top of the Home of whoever clicked: nobody else sees it. */
  app.action<ButtonClick>(ACTIONS.takeBack, async ({ ack, body, action, client }) => {
    await ack();
    if (body.api_app_id !== appId || body.view?.app_id !== appId || body.view.type !== 'home') return;
    const { person, name } = personOf(body);
    const requestId = sha256Hex(`${body.trigger_id}#${body.user.id}`).slice(0, 32);
    const notice = await revoke(action.value ?? '', { person, name, requestId }, listening);
    await client.views.publish({ user_id: person.user, view: await homeOf(person, notice) });
  });
}
