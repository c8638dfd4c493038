/** Searches all that is stored, shown, sent or logged for what must stand nowhere. */
import { SECRET } from './actors.ts';
import type { Sink } from './stored.ts';
import type { World } from './world.ts';

/** A place, and what stands there. */
export interface Leaks {
  /** Of task tokens of workflows. */
  readonly tokens: readonly string[];
  /** Of the secret in an agent's input. */
  readonly secrets: readonly string[];
}

export function leaksIn(world: World): Leaks {
  const hasSecret = world.history.sent.some(({ secret }) => secret);
  const tokens: string[] = [];
  const secrets: string[] = [];
  for (const [place, sinks] of Map.groupBy(sinksOf(world), (sink) => sink.place)) {
    // One look at all of a place: it has hundreds of texts.
    const all = sinks.map(({ text }) => text).join('\n');
    if (place !== 'tokens' && [...world.tokens].some((token) => all.includes(token))) tokens.push(place);
    if (hasSecret && all.includes(SECRET)) secrets.push(place);
  }
  return { tokens, secrets };
}

function* sinksOf({ gate, stored, slack, logged, history }: World): Generator<Sink> {
  yield* stored.texts();
  for (const card of slack.cards.values()) yield { place: 'cards', text: JSON.stringify(card) };
  for (const agent of new Set(history.sent.map((sent) => sent.agent)))
    yield { place: 'replies', text: JSON.stringify(gate.replies.sentTo(agent)) };
  for (const text of logged) yield { place: 'logs', text };
}
