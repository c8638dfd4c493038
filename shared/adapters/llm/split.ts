/** Splits the system prompt from the conversation, as the APIs of models take them. */
import type { Message } from '../../ports/llm-client.ts';

export type Turn = Message & { readonly role: 'user' | 'assistant' };

export function splitSystem(messages: readonly Message[]): { readonly system?: string; readonly turns: Turn[] } {
  const system = messages.flatMap(({ role, content }) => (role === 'system' ? [content] : []));
  const turns = messages.flatMap(({ role, content }) => (role === 'system' ? [] : [{ role, content }]));
  return system.length > 0 ? { system: system.join('\n\n'), turns } : { turns };
}
