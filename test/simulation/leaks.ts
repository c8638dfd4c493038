/** Searches all that is stored, shown, sent or logged for what must stand nowhere. */
import { SECRET } from './actors.ts';
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

interface Sink {
  readonly place: string;
  readonly text: string;
}

function* sinksOf({ gate, slack, logged, history }: World): Generator<Sink> {
  for (const [place, rows] of Object.entries(gate.parts.state)) yield* textsIn(place, rows);
  for (const card of slack.cards.values()) yield { place: 'cards', text: JSON.stringify(card) };
  for (const agent of new Set(history.sent.map((sent) => sent.agent)))
    yield { place: 'replies', text: JSON.stringify(gate.replies.sentTo(agent)) };
  for (const text of logged) yield { place: 'logs', text };
}

/** Rows hold JSON as text, some beside what was read of it. */
function* textsIn(place: string, value: unknown): Generator<Sink> {
  if (typeof value === 'string') yield { place, text: value };
  if (typeof value !== 'object' || value === null) return;
  if ('json' in value) yield* textsIn(place, value.json);
  else if (value instanceof Map || value instanceof Set) for (const one of value.values()) yield* textsIn(place, one);
  else for (const one of Object.values(value)) yield* textsIn(place, one);
}
