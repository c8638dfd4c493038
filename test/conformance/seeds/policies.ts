/**
 * Decides the cases of the policies (seed 0) through their public face.
 *
 * One small interpreter per feature.
 */
import { PassThrough, Readable } from 'node:stream';
import { StreamTerminal } from '../../../shared/approvals/askers/terminal.ts';
import { StdinApprovalChannel } from '../../../shared/approvals/channels/stdin.ts';
import {
  type Action,
  type ActionSpace,
  type AgentPolicy,
  CompositePolicy,
  FirstAvailablePolicy,
  HumanInTheLoopPolicy,
  LlmPolicy,
  PriorityPolicy,
  RandomPolicy,
} from '../../../shared/policies/index.ts';
import { seededRandom } from '../../../shared/policies/random.ts';
import { ScriptedClient } from '../../../shared/testing/scripted-client.ts';
import { type Fields, isFields } from '../fields.ts';
import { whole } from '../reading.ts';
import { type Interpreted, type Interpreter, judge, type SeedCase } from './judge.ts';
import { mismatches, withSame } from './matching.ts';
import {
  actionOf,
  behaviourOf,
  Counted,
  CountedPredicate,
  channelOf,
  policyOf,
  predicateOf,
  replyOf,
  snapshotOf,
  spaceOf,
  wordOf,
} from './policies-world.ts';
import { VirtualTime } from './virtual-time.ts';

export const FEATURES: Readonly<Record<string, Interpreter>> = {
  first_available: (given) => simple(given, () => new FirstAvailablePolicy()),
  priority_policy: (given) => simple(given, () => new PriorityPolicy((given['priorities'] ?? []) as string[])),
  random_policy: (given) =>
    simple(given, () => new RandomPolicy(seededRandom('conformance', String(given['seed'] ?? 'random')))),
  hitl,
  composite,
  llm,
  stdin_channel: stdinChannel,
};

export const interpretPolicies = (one: SeedCase): Promise<Interpreted> => judge(one, FEATURES, compare);

function compare(expected: Fields, got: Fields): string[] {
  const { all_in: allowed, never, ...others } = expected;
  const { originals, ...observed } = got;
  return [
    ...mismatches(withSame(others, observed, originals) as Fields, observed),
    ...overRuns(observed, allowed, 'never' in expected ? [never].flat() : []),
  ];
}

/** `all_in`, `never`: about the choice of every run. */
function overRuns({ choices }: Fields, allowed: unknown, never: readonly unknown[]): string[] {
  if (allowed === undefined && never.length === 0) return [];
  if (!Array.isArray(choices)) return ['there are no runs to look at'];
  const inside = allowed === undefined ? choices : [allowed].flat();
  const outside = choices.filter((choice) => !inside.includes(choice));
  const met = choices.filter((choice) => never.includes(choice));
  return [...outside.map((choice) => `all_in: ${choice}`), ...met.map((choice) => `never: ${choice}`)];
}

/** A field that the action lacks is null, as in a case. */
const NO_ACTION: Readonly<Record<Exclude<keyof Action, 'flow_id'>, null>> = {
  persona_id: null,
  entry_operation_id: null,
  enabling_verdicts: null,
  affected_entities: null,
  description: null,
  instance_bindings: null,
};

const fieldsOf = (chosen: Action | null): Fields => ({
  ...NO_ACTION,
  ...(chosen ?? {}),
  chosen: chosen?.flow_id ?? null,
});

/** The choice; where the case is about an error, that. Other cases fail with it. */
async function choiceOf(choosing: Promise<Action | null>, expected: Fields): Promise<Fields> {
  if (!Object.hasOwn(expected, 'error')) return fieldsOf(await choosing);
  return choosing.then(fieldsOf, (error: unknown) => ({ ...fieldsOf(null), error }));
}

async function simple(given: Fields, make: () => AgentPolicy): Promise<Fields> {
  const policy = make();
  const [space, snapshot] = [spaceOf(given), snapshotOf(given)];
  const choices: (string | null)[] = [];
  let chosen: Action | null = null;
  for (let run = 0; run < Number(given['runs'] ?? 1); run += 1) {
    chosen = await policy.choose(space, snapshot);
    choices.push(chosen?.flow_id ?? null);
  }
  return { ...fieldsOf(chosen), choices, distinct: new Set(choices).size };
}

async function hitl(given: Fields, expected: Fields): Promise<Fields> {
  const time = new VirtualTime();
  const [space, snapshot] = [spaceOf(given), snapshotOf(given)];
  const delegate = new Counted(policyOf(given['delegate'] ?? 'first_available', time));
  const { counted, channel } = channelOf(given, time);
  const timeoutMs = Number(given['timeout_ms'] ?? 60_000);
  const policy = new HumanInTheLoopPolicy(delegate, channel, timeoutMs, behaviourOf(given['timeout_behavior']));
  const choice = await time.run(choiceOf(policy.choose(space, snapshot), expected));
  const received = counted.received.at(-1);
  const original = {
    space: space.actions.map(({ flow_id }) => flow_id),
    blocked_actions: space.blocked_actions?.map(({ flow_id }) => flow_id),
    current_verdicts: labelsOf(space),
    snapshot,
  };
  return {
    originals: { channel_received: original },
    ...choice,
    channel_calls: counted.received.length,
    delegate_calls: delegate.asked.length,
    timeout_behavior: policy.timeoutBehavior === 'approve' ? 'Approve' : 'Reject',
    channel_received: received && {
      proposed: received.proposed.flow_id,
      space: received.space.actions.map(({ flow_id }) => flow_id),
      blocked_actions: received.space.blocked_actions?.map(({ flow_id }) => flow_id),
      current_verdicts: labelsOf(received.space),
      snapshot: received.snapshot,
    },
  };
}

async function composite(given: Fields, expected: Fields): Promise<Fields> {
  const time = new VirtualTime();
  const [space, snapshot] = [spaceOf(given), snapshotOf(given)];
  const proposer = new Counted(policyOf(given['proposer'], time));
  const approver = new Counted(policyOf(given['approver'], time));
  const predicate = new CountedPredicate(predicateOf(given['predicate']));
  const policy = new CompositePolicy(proposer, approver, predicate);
  const choice = await time.run(choiceOf(policy.choose(space, snapshot), expected));
  const asked = approver.asked.at(-1);
  const ids = asked?.space.actions.map(({ flow_id }) => flow_id);
  const isField = Object.keys(expected).some((key) => key.startsWith('approver_space.'));
  const asList = !isField && !isFields(expected['approver_space']);
  return {
    originals: {
      approver_space: asList ? space.actions.map(({ flow_id }) => flow_id) : shownSpace(space),
      approver_snapshot: snapshot,
      approver_received: { space: shownSpace(space), snapshot },
    },
    ...choice,
    proposer_calls: proposer.asked.length,
    approver_calls: approver.asked.length,
    predicate_calls: predicate.calls,
    approver_space: asList ? ids : asked && shownSpace(asked.space),
    approver_snapshot: asked?.snapshot,
    approver_received: asked && { space: shownSpace(asked.space), snapshot: asked.snapshot },
  };
}

const labelsOf = (space: ActionSpace) => space.current_verdicts?.map(({ verdict_type }) => verdict_type);

const shownSpace = (space: ActionSpace): Fields => ({
  ...space,
  actions: space.actions.map(({ flow_id }) => flow_id),
  current_verdicts: labelsOf(space),
  blocked_actions: space.blocked_actions?.map(({ flow_id }) => flow_id),
});

async function llm(given: Fields, expected: Fields): Promise<Fields> {
  const client = new ScriptedClient(((given['responses'] ?? []) as unknown[]).map(replyOf));
  const policy = llmPolicy(given, client);
  const settings = { system_prompt: policy.systemPrompt, max_retries: policy.maxRetries, model: policy.model };
  if ('constructor' in given && Object.hasOwn(given, 'constructor')) return settings;
  const chosen = await policy.choose(spaceOf(given), snapshotOf(given));
  const last = client.calls.at(-1)?.messages ?? [];
  const first = client.calls[0]?.messages ?? [];
  const user = first.find(({ role }) => role === 'user')?.content;
  const json = parsed(user);
  const lastUser = last.findLast(({ role }) => role === 'user')?.content;
  const paths = whole(expected['user_message_json']);
  return {
    ...json,
    ...settings,
    ...fieldsOf(chosen),
    client_calls: client.calls.length,
    models: client.calls.map(({ model }) => model),
    model: client.calls.at(-1)?.model,
    message_counts: client.calls.map(({ messages }) => messages.length),
    roles_on_last: last.map(({ role }) => role),
    roles_on_first: first.map(({ role }) => role),
    system_message: first.find(({ role }) => role === 'system')?.content,
    user_message: user,
    user_message_is_valid_json: json !== undefined,
    user_message_json: isFields(paths) && json && mismatches(paths, named(json, paths)).length === 0 ? paths : json,
    retry_message: client.calls.length > 1 ? lastUser : undefined,
    assistant_message: last.findLast(({ role }) => role === 'assistant')?.content,
  };
}

function llmPolicy(given: Fields, client: ScriptedClient): LlmPolicy {
  const constructed = Object.hasOwn(given, 'constructor') ? whole(given['constructor']) : undefined;
  if (Array.isArray(constructed)) return new LlmPolicy(client, String(constructed[1]));
  return new LlmPolicy(client, String(given['model'] ?? 'model'), {
    ...(given['system_prompt'] === undefined ? {} : { systemPrompt: String(given['system_prompt']) }),
    ...(given['max_retries'] === undefined ? {} : { maxRetries: Number(given['max_retries']) }),
  });
}

function parsed(text: string | undefined): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Where a case names actions, the names are compared. */
function named(json: Fields, paths: Fields): Fields {
  const names = Object.entries(paths).flatMap(([path, want]) => {
    const list = json[path];
    const byName = Array.isArray(want) && want.length > 0 && want.every((one) => typeof one === 'string');
    return byName && Array.isArray(list) ? [[path, list.map((one) => (isFields(one) ? one['flow_id'] : one))]] : [];
  });
  return { ...json, ...Object.fromEntries(names) };
}

async function stdinChannel(given: Fields): Promise<Fields> {
  const space = spaceOf(given);
  const output = new PassThrough();
  const line = given['line'];
  const input = Readable.from(typeof line === 'string' ? [Buffer.from(line)] : []);
  const channel = new StdinApprovalChannel(new StreamTerminal(input, output));
  const proposed = space.actions.find(({ flow_id }) => flow_id === given['proposed']) ?? actionOf(given['proposed']);
  const result = await channel.requestApproval(proposed, space, snapshotOf(given));
  const substitute = result.type === 'substitute' ? fieldsOf(result.action) : {};
  return { ...substitute, result: wordOf(result), stdout: String(output.read() ?? '') };
}
