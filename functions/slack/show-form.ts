/** Shows a form to whoever clicked, and tells them where Slack does not take it. */
import type { ModalView } from '@slack/types';
import { SlackRefusedError, slackError } from '../../shared/adapters/slack/posting/errors.ts';
import { FORMS } from '../../shared/adapters/slack/texts/forms.ts';
import { logFault } from '../runtime/telemetry/observe.ts';
import { notify, type Opened } from './clicks.ts';

/**
 * Opens a form, or changes the one that was clicked in. Slack takes a click's trigger for three seconds, which a new process on a slow network may
 * need. Throws where the click names no address to answer at: Slack then marks the button by itself.
 */
export async function showForm(
  { body, client, respond }: Pick<Opened, 'body' | 'client' | 'respond'>,
  view: ModalView,
): Promise<void> {
  const { view: shown, trigger_id } = body;
  try {
    if (shown?.type === 'modal') await client.views.update({ view_id: shown.id, hash: shown.hash, view });
    else await client.views.open({ trigger_id, view });
  } catch (error) {
    // A later click in the same form was faster: the form shows what that click asked for.
    if (slackError(error) === 'hash_conflict') return;
    if (!respond) throw error;
    logFault('Slack did not show a form', error, { run: true });
    await notify(respond, SlackRefusedError.isFinal(slackError(error) ?? '') ? FORMS.notTaken : FORMS.notShown);
  }
}
