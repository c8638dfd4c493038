/** Sends clicks of people to the endpoint, and the same bytes once more. */
import type { Vote } from '../model/history.ts';
import { clickBody, type PressedButton, type SlackRequest } from '../world/slack-requests.ts';
import type { World } from '../world/world.ts';

/** The share of clicks whose bytes come again. */
const REPLAYED_SHARE = 0.3;
const MAX_REPLAYED_MS = 6 * 60_000;

/** False: nobody answered, and the person clicks again. */
export async function clickSigned(pressed: PressedButton, noted: Vote, world: World): Promise<boolean> {
  const { endpoint, clock, random } = world;
  if (!endpoint) throw new Error('this run has no endpoint');
  const request = endpoint.signed(clickBody(pressed));
  const isAnswered = await send(request, noted, world);
  if (random() < REPLAYED_SHARE)
    clock.after(Math.floor(random() * MAX_REPLAYED_MS), () => void replay(request, noted, world));
  return isAnswered;
}

async function send(request: SlackRequest, noted: Vote, world: World, isOwn = true): Promise<boolean> {
  const { clock, history, tell, endpoint } = world;
  const at = clock.now();
  try {
    const answer = await endpoint?.send(request);
    if (!answer) return false;
    const { status, heard } = answer;
    if (isOwn) history.signed.push({ at, status });
    if (heard !== undefined) {
      noted.told = heard;
      noted.toldAt = clock.now();
    }
    tell(() => `${noted.who} is answered about ${noted.id} with ${status}: ${heard ?? 'nothing'}`);
    return status === 200;
  } catch {
    return false;
  }
}

/** The same request by somebody who saw it: a click of its person, which counts once at most. */
async function replay(request: SlackRequest, first: Vote, world: World): Promise<void> {
  const { told, toldAt: _, ...click } = first;
  const again: Vote = { ...click, at: world.clock.now() };
  world.history.votes.push(again);
  world.tell(() => `the click of ${first.who} on ${first.id} comes once more`);
  await send(request, again, world, false);
  if (told === 'counted' && again.told === 'counted') world.history.replays.push(first.id);
}
