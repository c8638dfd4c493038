/** App Home and `/countersign`: what waits for somebody, and what they said. Answers only the person who asks, from the signed request. */
import type { App } from '@slack/bolt';
import { homeView, MOST_SAID, pendingBlocks } from '../../shared/adapters/slack/home.ts';
import type { Claimant } from '../../shared/pipeline/voter.ts';
import { waitsFor } from '../../shared/pipeline/waits-for.ts';
import type { Listening } from './listening.ts';

const USAGE = 'Use `/countersign pending` for what waits for you. Everything else is in the Home of this app.';

export function listenToHome(app: App, { gate, appId, pending, history }: Listening): void {
  const waitingFor = async (who: Claimant) => waitsFor(who, await pending(), gate);

  app.event('app_home_opened', async ({ event, body, client }) => {
    if (event.tab !== 'home' || body.api_app_id !== appId) return;
    const person = { team: body.team_id, user: event.user };
    const [waiting, said] = await Promise.all([
      waitingFor({ person, name: event.user, isBot: false }),
      history.votesOf(person, MOST_SAID),
    ]);
    await client.views.publish({ user_id: event.user, view: homeView({ waiting, said }) });
  });

  app.command('/countersign', async ({ command, ack }) => {
    const [verb = ''] = command.text.trim().split(/\s+/);
    if (command.api_app_id !== appId) return ack();
    const person = { team: command.team_id, user: command.user_id };
    switch (verb) {
      case 'pending': {
        const waiting = await waitingFor({ person, name: command.user_name, isBot: false });
        const text = waiting.length ? `Waiting for you: ${waiting.length}` : 'Nothing waits for you.';
        return ack({ response_type: 'ephemeral', text, blocks: pendingBlocks(waiting) });
      }
      default:
        return ack({ response_type: 'ephemeral', text: USAGE });
    }
  });
}
