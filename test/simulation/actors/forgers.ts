/** Sends the endpoint what Slack did not send, or sends again what Slack sent. */
import type { Forge } from '../model/plan.ts';
import type { EndpointOfRun } from '../world/endpoint.ts';
import { clickBody, OTHER_APP, type PressedButton, type SlackRequest, signedBy } from '../world/slack-requests.ts';
import type { World } from '../world/world.ts';

const MINUTE = 60_000;
/** A signature counts for five minutes, either way, by a clock that may be off besides. */
const OUT_OF_TIME_MS = 5 * MINUTE + 3_000;
/** A request is read so much later at the most: by then its time may have come. */
const READ_LATE_MS = 5 * MINUTE;
/** A process remembers a key for so long, by clocks that may be apart besides. */
const REMEMBERED_MS = 5 * MINUTE + 3_000;

export async function forge(step: Forge, world: World): Promise<void> {
  const { endpoint, history, slack, clock } = world;
  const { apartMs } = history.terms;
  const agent = history.sent.find(({ id }) => id === step.id)?.agent;
  if (!endpoint || agent === undefined) return;
  const pid = world.pid(agent, step.id);
  for (let look = 0; look < 12 && !slack.buttonOf(pid, false); look++) await world.sleep(20_000);
  if (step.how === 'old key')
    await world.sleep(Math.max(0, endpoint.removedAt + REMEMBERED_MS + apartMs - clock.now()));
  const button = slack.buttonOf(pid, false);
  if (!button) return;
  const { id, who, how } = step;
  const pressed = { who, button, choice: 'approve', remember: false, trigger: world.ids.next() } as const;
  const request = forgeryOf(step, pressed, endpoint, { now: clock.now(), outOfTimeMs: OUT_OF_TIME_MS + apartMs });
  const noted: (typeof history.forged)[number] = { at: clock.now(), id, who, how };
  history.forged.push(noted);
  world.tell(() => `somebody sends the endpoint a click of ${who} on ${id}: ${how}`);
  const { status, heard } = await endpoint.send(request);
  noted.status = status;
  if (heard !== undefined) noted.heard = heard;
  world.tell(() => `that is answered with ${status}, ${heard ?? 'and nothing is recorded'}`);
}

function forgeryOf(
  { how }: Forge,
  pressed: PressedButton,
  endpoint: EndpointOfRun,
  { now, outOfTimeMs }: { readonly now: number; readonly outOfTimeMs: number },
): SlackRequest {
  const { key } = endpoint;
  const body = clickBody(pressed);
  switch (how) {
    case 'unsigned':
      return { ...endpoint.signed(body), headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    case 'another key':
      return signedBy('a key of nobody', now, body);
    case 'old key':
      return signedBy(endpoint.oldKey, now, body);
    case 'too old':
      return signedBy(key, now - outOfTimeMs, body);
    case 'of a time to come':
      return signedBy(key, now + outOfTimeMs + READ_LATE_MS, body);
    case 'changed':
      return { ...endpoint.signed(`${body}&seen=1`), body };
    case 'by GET':
      return { ...endpoint.signed(body), method: 'GET' };
    case 'another app':
      return endpoint.signed(clickBody({ ...pressed, app: OTHER_APP }));
    case 'another workspace':
      return endpoint.signed(clickBody({ ...pressed, team: 'T0OTHER' }));
    default:
      return how satisfies never;
  }
}
