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
  const tokens = new Set<string>();
  const secrets = new Set<string>();
  for (const { place, text } of sinksOf(world)) {
    if (place !== 'tokens' && [...world.tokens].some((token) => text.includes(token))) tokens.add(place);
    if (hasSecret && text.includes(SECRET)) secrets.add(place);
  }
  return { tokens: [...tokens], secrets: [...secrets] };
}

function* sinksOf({ gate, stored, slack, logged, history }: World): Generator<Sink> {
  yield* stored.texts();
  for (const card of slack.cards.values()) yield { place: 'cards', text: JSON.stringify(card) };
  for (const agent of new Set(history.sent.map((sent) => sent.agent)))
    yield { place: 'replies', text: JSON.stringify(gate.replies.sentTo(agent)) };
  for (const text of logged) yield { place: 'logs', text };
}
