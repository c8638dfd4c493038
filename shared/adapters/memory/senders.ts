/** Identifies senders in memory: agents and operators by an id made of their name. */
import type { PolicyFile } from '../../config/schema/policy-file.ts';

type Kind = 'agents' | 'operators';

/** The sender id that a process in memory is given, in the place of a role's. */
export const memorySenderId = (kind: Kind, name: string): string => `memory/${kind}/${name}`;

export function memoryRegistry(kind: Kind, settings: () => PolicyFile) {
  return {
    async nameOf(senderId: string): Promise<string | undefined> {
      return namesIn(settings()[kind], kind).get(senderId);
    },
  };
}

type Senders = PolicyFile[Kind];

/** A policy file is the same for as long as it is in force, and each message names its sender. */
const known = new WeakMap<Senders, ReadonlyMap<string, string>>();

function namesIn(senders: Senders, kind: Kind): ReadonlyMap<string, string> {
  const found = known.get(senders);
  if (found) return found;
  const names = new Map<string, string>();
  for (const [name, { senders: ids }] of Object.entries(senders))
    for (const id of [memorySenderId(kind, name), ...ids]) if (!names.has(id)) names.set(id, name);
  known.set(senders, names);
  return names;
}
