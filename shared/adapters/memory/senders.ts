/** Identifies senders in memory: agents and operators by an id made of their name. */
import type { PolicyFile } from '../../config/schema/policy-file.ts';

type Kind = 'agents' | 'operators';

/** The sender id that a process in memory is given, in the place of a role's. */
export const memorySenderId = (kind: Kind, name: string): string => `memory/${kind}/${name}`;

export function memoryRegistry(kind: Kind, settings: () => PolicyFile) {
  return {
    async nameOf(senderId: string): Promise<string | undefined> {
      return Object.entries(settings()[kind]).find(
        ([name, { senders }]) => senderId === memorySenderId(kind, name) || senders.includes(senderId),
      )?.[0];
    },
  };
}
