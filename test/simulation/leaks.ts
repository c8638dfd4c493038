/** Searches all that is stored, shown, sent or logged for what must stand nowhere. */
import { SECRET } from './actors/actors.ts';
import type { Sink } from './model/stored.ts';
import type { World } from './world/world.ts';

/** A place, and what stands there. */
interface Leaks {
  /** Task tokens of workflows. */
  readonly tokens: readonly string[];
  /** Secrets in agents' inputs. */
  readonly secrets: readonly string[];
}

export function leaksIn(world: World): Leaks {
  const hasSecret = world.history.sent.some(({ secret }) => secret);
  const tokens: string[] = [];
  const secrets: string[] = [];
  if (!hasSecret && !world.tokens.size) return { tokens, secrets };
  for (const { place, texts } of sinksOf(world)) {
    // One look at all of a place: it has hundreds of texts.
    const all = texts.join('\n');
    if (place !== 'tokens' && [...world.tokens].some((token) => all.includes(token))) tokens.push(place);
    if (hasSecret && all.includes(SECRET)) secrets.push(place);
  }
  return { tokens, secrets };
}

function sinksOf({ gate, stored, slack, logged, history }: World): Sink[] {
  const agents = new Set(history.sent.map((sent) => sent.agent));
  return [
    ...stored.sinks(),
    { place: 'cards', texts: [...slack.cards.values()].map((card) => JSON.stringify(card)) },
    { place: 'replies', texts: [...agents].map((agent) => JSON.stringify(gate.replies.sentTo(agent))) },
    { place: 'logs', texts: logged },
    {
      place: 'webhooks',
      texts: [
        ...history.events.map((events) => JSON.stringify(events)),
        ...history.webhooks.heard.map(({ body }) => body),
      ],
    },
  ];
}
