/** Plays receivers of webhooks, which take an event, refuse it, ask for time, or do not answer. */
import type { CountingClock } from '../model/clock.ts';
import type { Faults } from '../model/faults.ts';
import type { History } from '../model/history.ts';
import type { Receive } from '../model/plan.ts';
import { type Dice, diceOf, namedSeed } from '../model/random.ts';

/** The world that receivers are in. */
interface Around {
  readonly plan: { readonly seed: number };
  readonly clock: CountingClock;
  readonly faults: Faults;
  readonly history: History;
  sleep(ms: number): Promise<void>;
}

/** One that works answers soon, most of the time. */
const MAX_ANSWER_MS = 2_000;
const REFUSALS = [301, 400, 401, 404, 410, 500, 502, 503] as const;
const ASKED_S = [1, 60, 900, 50_000] as const;

/** Stands for `fetch`. */
export function receiverOf(world: Around, { downFor, badShare }: Receive): typeof fetch {
  const { clock, faults, history, plan } = world;
  const dice = diceOf(namedSeed(plan.seed, 'receiver'));
  return async (url, { headers, body, signal } = {}) => {
    if (faults.process?.isGone) throw new TypeError('the process is gone');
    const sent = new Headers(headers);
    const heard = {
      at: clock.now(),
      webhook: new URL(String(url)).hostname.split('.')[0] ?? '',
      id: sent.get('webhook-id') ?? '',
      seconds: Number(sent.get('webhook-timestamp')),
      signatures: (sent.get('webhook-signature') ?? '').split(' '),
      body: String(body),
      isTaken: false,
      askedMs: 0,
    };
    history.webhooks.heard.push(heard);
    const isDown = clock.now() - history.began < downFor;
    await world.sleep(dice.below(MAX_ANSWER_MS));
    if (!isDown && !dice.chance(badShare)) {
      heard.isTaken = true;
      return takenBy(dice);
    }
    return refusedBy(dice, signal, (seconds) => {
      heard.askedMs = seconds * 1_000;
    });
  };
}

/** Also where the answer ends halfway: its status was read. */
function takenBy(dice: Dice): Response {
  if (dice.chance(0.8)) return new Response(null, { status: dice.one([200, 202, 204]) });
  const broken = new ReadableStream({ cancel: () => Promise.reject(new TypeError('terminated')) });
  return new Response(broken, { status: 200 });
}

async function refusedBy(
  dice: Dice,
  signal: AbortSignal | null | undefined,
  ask: (seconds: number) => void,
): Promise<Response> {
  switch (dice.below(4)) {
    case 0:
      return new Response('no', { status: dice.one(REFUSALS) });
    case 1: {
      const seconds = dice.one(ASKED_S);
      ask(seconds);
      return new Response('later', { status: dice.one([429, 503]), headers: { 'retry-after': String(seconds) } });
    }
    case 2:
      await new Promise<void>((resolve) => {
        signal?.addEventListener('abort', () => resolve());
      });
      throw new DOMException('This operation was aborted', 'AbortError');
    default:
      throw new TypeError('fetch failed');
  }
}
