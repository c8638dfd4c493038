/** Holds what all clients of models share: their defaults, and the system prompt apart from the turns. */
import type { Duration } from '../../domain/duration.ts';
import type { Message } from '../../ports/llm-client.ts';

/** The longest answer of a model, in tokens, unless its client states another. */
export const MAX_TOKENS = 1024;
/** The time of one call as a whole, unless its client states another. */
export const DEFAULT_TIMEOUT: Duration = '30s';

type Turn = Message & { readonly role: 'user' | 'assistant' };

export function splitSystem(messages: readonly Message[]): { readonly system?: string; readonly turns: Turn[] } {
  const system = messages.flatMap(({ role, content }) => (role === 'system' ? [content] : []));
  const turns = messages.flatMap(({ role, content }) => (role === 'system' ? [] : [{ role, content }]));
  return system.length > 0 ? { system: system.join('\n\n'), turns } : { turns };
}
