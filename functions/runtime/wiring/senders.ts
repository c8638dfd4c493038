/** Lists registered senders: of the policy file, and of the deployment's SSM path (`grantPropose`). */
import { paginateGetParametersByPath, SSMClient } from '@aws-sdk/client-ssm';
import { CLIENT_OPTIONS } from '../../../shared/adapters/client-options.ts';
import type { PolicyFile } from '../../../shared/config/schema/policy-file.ts';
import { readSenderParameter, type SenderKind } from '../../../shared/config/sender-path.ts';
import { mayBeOne } from '../../../shared/domain/aws/sender.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Registry } from '../../../shared/use-cases/identity.ts';
import { lazy } from '../lazy.ts';
import { noteOperations } from '../telemetry/aws-operations.ts';
import { log } from '../telemetry/observe.ts';

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

interface Parameter {
  readonly name: string;
  readonly value: string;
}

interface Known {
  /** Undefined for a sender that is registered under two names: nobody can say who it is. */
  readonly names: Readonly<Record<SenderKind, ReadonlyMap<string, string | undefined>>>;
  readonly replyQueues: ReadonlyMap<string, string>;
}

const SEVERAL = 'several';
const REREAD_UNKNOWN_MS = 60_000;
/** A role that moves to another agent is known as that agent's after this, in warm processes too: the same message has one meaning. */
const REREAD_KNOWN_MS = 5 * 60_000;

/**
 * Read at start, again when five minutes have passed, and at most once a minute when a sender is unknown. If that fails, the senders known
 * before stay known, and for the unknown one the failure is thrown: its message comes again.
 */
export function registeredSenders(
  path: string,
  policy: PolicyFile,
  clock: Clock,
  parameters: (path: string) => Promise<readonly Parameter[]> = parametersUnder,
): Senders {
  let known: Known | undefined;
  let reading: { readonly at: number; readonly known: Promise<Known> } | undefined;
  const read = (): Promise<Known> => {
    const started = { at: clock.now(), known: load(path, policy, parameters) };
    reading = started;
    started.known.then(
      (loaded) => {
        known = loaded;
      },
      // A failed start is tried again with the next message; a failed second look only after its minute.
      () => {
        if (!known && reading === started) reading = undefined;
      },
    );
    return started.known;
  };
  const current = (): Promise<Known> => {
    const before = known;
    if (!before || !reading) return reading?.known ?? read();
    const latest = clock.now() - reading.at >= REREAD_KNOWN_MS ? read() : reading.known;
    return latest.catch(() => before);
  };
  const lookUp = async (kind: SenderKind, senderId: string) => {
    const { names } = await current();
    if (names[kind].has(senderId)) return names[kind].get(senderId);
    const due = !reading || clock.now() - reading.at >= REREAD_UNKNOWN_MS;
    return (await (due ? read() : (reading?.known ?? current()))).names[kind].get(senderId);
  };
  return {
    agents: { nameOf: (senderId) => lookUp('agents', senderId) },
    operators: { nameOf: (senderId) => lookUp('operators', senderId) },
    replyQueueOf: async (agent) => (await current()).replyQueues.get(agent),
  };
}

async function load(
  path: string,
  policy: PolicyFile,
  parameters: (path: string) => Promise<readonly Parameter[]>,
): Promise<Known> {
  const names = { agents: new Map<string, string | undefined>(), operators: new Map<string, string | undefined>() };
  const replyQueues = new Map<string, string>();
  const several = { agents: new Set<string>(), operators: new Set<string>() };
  const add = (kind: SenderKind, senderId: string, name: string) => {
    const other = names[kind].has(senderId) && names[kind].get(senderId) !== name;
    names[kind].set(senderId, other ? undefined : name);
    if (other) several[kind].add(senderId);
  };
  for (const kind of ['agents', 'operators'] as const) {
    for (const [name, { senders }] of Object.entries(policy[kind])) {
      for (const sender of senders) add(kind, sender, name);
    }
  }
  for (const { name: parameter, value } of await parameters(path)) {
    const sender = readSenderParameter(path, parameter);
    const registration = registrationOf(value);
    if (!sender || !registration) {
      log('warn', 'a registered sender could not be read', { parameter });
      continue;
    }
    add(sender.kind, registration.senderId, sender.name);
    if (sender.kind === 'agents' && registration.replyQueueUrl)
      replyQueues.set(sender.name, registration.replyQueueUrl);
  }
  for (const kind of ['agents', 'operators'] as const)
    for (const sender of several[kind])
      log('warn', `a role has two names of ${kind}: its messages are refused`, { agent: SEVERAL, sender });
  // An agent is no operator, as the policy file and the grants say too: it could vote for its own calls.
  for (const [operator, name] of names.operators) {
    const agent = [...names.agents.keys()].find((one) => mayBeOne(one, operator));
    if (agent === undefined || !names.operators.delete(operator)) continue;
    const of = { agent: names.agents.get(agent) ?? SEVERAL, operator: name ?? SEVERAL, sender: operator };
    log('warn', 'a role is an agent and an operator: its operations are refused', of);
  }
  return { names, replyQueues };
}

/** One that somebody wrote by hand, and wrongly, must not shut the gate for all the others. */
function registrationOf(value: string): Registration | undefined {
  try {
    const { senderId, replyQueueUrl } = JSON.parse(value) as Partial<Registration>;
    if (typeof senderId !== 'string' || !senderId) return undefined;
    return typeof replyQueueUrl === 'string' ? { senderId, replyQueueUrl } : { senderId };
  } catch {
    return undefined;
  }
}

const ssm = lazy(() => noteOperations(new SSMClient(CLIENT_OPTIONS)));

async function parametersUnder(path: string): Promise<Parameter[]> {
  const found: Parameter[] = [];
  for await (const page of paginateGetParametersByPath({ client: ssm() }, { Path: path, Recursive: true })) {
    for (const { Name, Value } of page.Parameters ?? []) {
      if (Name && Value) found.push({ name: Name, value: Value });
    }
  }
  return found;
}
