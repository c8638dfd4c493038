/** App Home: what waits for somebody, and what they said. Answers only the person who asks, from the signed request. */
import type { App } from '@slack/bolt';
import { homeView, MOST_SAID } from '../../shared/adapters/slack/home.ts';
import { waitsFor } from '../../shared/pipeline/waits-for.ts';
import type { Listening } from './listening.ts';

export function listenToHome(app: App, { gate, appId, pending, history }: Listening): void {
  app.event('app_home_opened', async ({ event, body, client }) => {
    if (event.tab !== 'home' || body.api_app_id !== appId) return;
    const person = { team: body.team_id, user: event.user };
    const [waiting, said] = await Promise.all([
      pending().then((all) => waitsFor({ person, name: event.user, isBot: false }, all, gate)),
      history.votesOf(person, MOST_SAID),
    ]);
    await client.views.publish({ user_id: event.user, view: homeView({ waiting, said }) });
  });
}
