/** Registered senders: those of the policy file and those that `grantPropose` put under the deployment's SSM path (A2). */
import type { PolicyFile } from '../../shared/config/schema.ts';
import type { Registry } from '../../shared/pipeline/identity.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import { once } from './once.ts';

/** One parameter: `<path>/<agents|operators>/<name>/<any>`, its value JSON. */
interface Registration {
  readonly senderId: string;
  readonly replyQueueUrl?: string;
}

export interface Senders {
  readonly agents: Registry;
  readonly operators: Registry;
  replyQueueOf(agent: string): Promise<string | undefined>;
}

type Kind = 'agents' | 'operators';
interface Known {
  readonly at: number;
  readonly names: Readonly<Record<Kind, ReadonlyMap<string, string>>>;
  readonly replyQueues: ReadonlyMap<string, string>;
}

const REREAD_MS = 60_000;

/** Read at start, and again at most once a minute when a sender is unknown. */
export function registeredSenders(path: string, policy: PolicyFile, clock: Clock): Senders {
  let known: Promise<Known> | undefined;
  const read = () => {
    known = load(path, policy, clock.now());
    known.catch(() => {
      known = undefined;
    });
    return known;
  };
  const lookUp = async (kind: Kind, senderId: string) => {
    const first = await (known ?? read());
    const name = first.names[kind].get(senderId);
    if (name !== undefined || clock.now() - first.at < REREAD_MS) return name;
    return (await read()).names[kind].get(senderId);
  };
  return {
    agents: { nameOf: (senderId) => lookUp('agents', senderId) },
    operators: { nameOf: (senderId) => lookUp('operators', senderId) },
    replyQueueOf: async (agent) => (await (known ?? read())).replyQueues.get(agent),
  };
}

async function load(path: string, policy: PolicyFile, at: number): Promise<Known> {
  const names = { agents: new Map<string, string>(), operators: new Map<string, string>() };
  const replyQueues = new Map<string, string>();
  for (const kind of ['agents', 'operators'] as const) {
    for (const [name, { senders }] of Object.entries(policy[kind])) {
      for (const sender of senders) names[kind].set(sender, name);
    }
  }
  for (const { name: parameter, value } of await parametersUnder(path)) {
    const [kind, name] = parameter.slice(path.length).split('/').filter(Boolean);
    if ((kind !== 'agents' && kind !== 'operators') || name === undefined) continue;
    const { senderId, replyQueueUrl } = JSON.parse(value) as Registration;
    names[kind].set(senderId, name);
    if (kind === 'agents' && replyQueueUrl) replyQueues.set(name, replyQueueUrl);
  }
  return { at, names, replyQueues };
}

const ssm = once(async () => {
  const { SSMClient } = await import('@aws-sdk/client-ssm');
  return new SSMClient({ maxAttempts: 3 });
});

async function parametersUnder(path: string): Promise<{ readonly name: string; readonly value: string }[]> {
  const { paginateGetParametersByPath } = await import('@aws-sdk/client-ssm');
  const found: { name: string; value: string }[] = [];
  for await (const page of paginateGetParametersByPath({ client: await ssm() }, { Path: path, Recursive: true })) {
    for (const { Name, Value } of page.Parameters ?? []) {
      if (Name && Value) found.push({ name: Name, value: Value });
    }
  }
  return found;
}
