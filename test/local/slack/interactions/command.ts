/** Sends slash commands: a signed form, whose answer may be a message at once. */
import type { Dict, InteractionResult } from '../types.ts';
import { dictOf, mergeDeep } from '../values.ts';
import { newResponseUrl, newTrigger, type World } from '../world.ts';
import { deliverSigned } from './deliver.ts';
import { VERIFICATION_TOKEN } from './payloads.ts';
import { postAnswer } from './response-url.ts';

/** `command` begins with a slash; `text` is all that follows it. */
export type SlashCommand = {
  user: string;
  channel: string;
  command: string;
  text?: string;
  window?: string;
  overrides?: Dict;
};

export async function runCommand(world: World, what: SlashCommand): Promise<InteractionResult> {
  const user = world.users.get(what.user);
  const channel = world.channels.get(what.channel);
  if (user === undefined || channel === undefined) throw new Error(`no user ${what.user} or channel ${what.channel}`);
  const form = {
    token: VERIFICATION_TOKEN,
    team_id: user.teamId ?? world.team.id,
    team_domain: world.team.domain,
    channel_id: channel.id,
    channel_name: channel.imUser === undefined ? channel.name : 'directmessage',
    user_id: user.id,
    user_name: user.name,
    command: what.command,
    text: what.text ?? '',
    api_app_id: world.app.id,
    is_enterprise_install: 'false',
    response_url: newResponseUrl(world, { user: user.id, channel: channel.id }),
    trigger_id: newTrigger(world, user.id, what.window === undefined ? {} : { window: what.window }),
  };
  const sent = Object.entries(mergeDeep(form, what.overrides ?? {}));
  const body = new URLSearchParams(sent.map(([key, value]): [string, string] => [key, String(value)])).toString();
  const entry = await deliverSigned(world, {
    kind: 'command',
    url: world.urls.commands ?? world.urls.interactions,
    body,
  });
  if (entry.status !== 200) {
    const why = entry.failure === 'timeout' ? 'operation_timeout' : 'dispatch_failed';
    return { ok: false, warning: `${what.command} failed because the app did not respond (${why}).`, entry };
  }
  const answer = (entry.responseBody ?? '').trim();
  if (answer !== '') postAnswer(world, { user: user.id, channel: channel.id }, asMessage(answer));
  return { ok: true, entry };
}

function asMessage(answer: string): Dict {
  try {
    return dictOf(JSON.parse(answer));
  } catch {
    return { text: answer };
  }
}
