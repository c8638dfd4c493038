/** Interprets cases of the permissions: audit entries of every stage, rings, composites of sinks. */
import {
  CompositePermissionAuditSink,
  InMemoryPermissionAuditSink,
  LoggingPermissionAuditSink,
  type PermissionAuditEntry,
  type PermissionAuditSink,
} from '../../../shared/permissions/index.ts';
import { AgentPermissions } from '../../../shared/permissions/service/agent-permissions.ts';
import { argsHash } from '../../../shared/permissions/service/grants.ts';
import { type Fields, listOf } from '../fields.ts';
import { layered, whole } from '../reading.ts';
import { wantsList } from './matching.ts';
import { hookOf } from './permissions-hooks.ts';
import { callOf, worldOf } from './permissions-world.ts';
import { Uninterpretable } from './uninterpretable.ts';
import { spoken } from './words.ts';

const RULE = { pattern: 'Bash', source: 'UserSettings' };
/** A case that reaches each stage; its name is a stage, a reason, or a stage and what it says. */
const SCENARIOS: Readonly<Record<string, Fields>> = {
  bypass: { mode: 'BypassPermissions' },
  bypass_disabled: { mode: 'BypassPermissions', bypass_disabled: true },
  plan: { mode: 'Plan' },
  plan_mode: { mode: 'Plan' },
  plan_deny: { mode: 'Plan' },
  plan_allow: { mode: 'Plan', tool: 'Read', input: { path: 'a' } },
  plan_empty: { mode: 'Plan', tool: 'T', input: {}, permissions: [] },
  rule_deny: { rules: [{ ...RULE, behavior: 'deny' }] },
  rule_ask: { rules: [{ ...RULE, behavior: 'ask' }] },
  rule_allow: { rules: [{ ...RULE, behavior: 'allow' }] },
  rule_match: { rules: [{ ...RULE, behavior: 'deny' }] },
  protected: { input: { path: '.env' } },
  protected_path: { input: { path: '.env' } },
  cache: { cache: [{ tool: 'Bash', args: { command: 'ls' }, scope: 'Session' }] },
  cache_hit: { cache: [{ tool: 'Bash', args: { command: 'ls' }, scope: 'Session' }] },
  tracker: { mode: 'Auto', tracker: { consecutive: 3, total: 3 }, classifier: 'allows' },
  denial_tracker: { mode: 'Auto', tracker: { consecutive: 3, total: 3 }, classifier: 'allows' },
  classifier_allow: { mode: 'Auto', classifier: 'allows' },
  classifier_block: { mode: 'Auto', classifier: 'blocks' },
  classifier: { mode: 'Auto', classifier: 'allows' },
  classifier_unsure: { mode: 'Auto', classifier: { block: false, confidence: 0.5 } },
  classifier_raises: { mode: 'Auto', classifier: 'raises' },
  no_classifier: { mode: 'Auto' },
  handler_allow: { handler: 'Allowed' },
  handler_deny: { handler: { Denied: 'no' } },
  handler_ask: { handler: { NeedMoreInfo: 'why?' } },
  handler_raises: { handler: 'raises' },
  handler: { handler: 'Allowed' },
  dont_ask: { mode: 'DontAsk' },
  no_handler: {},
  accept_edits: { mode: 'AcceptEdits', input: { path: 'notes.txt' } },
  hook: { hook: 'deny' },
  hook_block: { hook: 'block' },
  hook_allow: { hook: 'allow' },
  invalid: { input: { command: '' } },
  bubble: { mode: 'Bubble' },
  bubble_allow: { mode: 'Bubble', parent: { decision: 'allow' } },
  bubble_deny: { mode: 'Bubble', parent: { decision: 'deny' } },
  bubble_ask: { mode: 'Bubble', parent: { decision: 'ask' } },
};

/** Sources and words that stand for one of the reasons. */
const SAME_STAGE: Readonly<Record<string, string>> = {
  bypass_mode: 'bypass',
  plan_write: 'plan_mode',
  plan_read: 'plan_allow',
  rules: 'rule_match',
  rule: 'rule_match',
  protected_paths: 'protected_path',
  approval_cache: 'cache_hit',
  denial_tracker_fallback: 'denial_tracker',
  classifier_deny: 'classifier_block',
  classifier_error: 'classifier_raises',
  classifier_failed: 'classifier_raises',
  classifier_timeout: 'classifier_raises',
  auto: 'classifier',
  auto_no_classifier: 'no_classifier',
  plan_network: 'plan_allow',
  hook_deny: 'hook',
  classifier_undecided: 'classifier_unsure',
  classifier_low_confidence: 'classifier_unsure',
  plan_execute: 'plan_mode',
  plan_sensitive: 'plan_mode',
  handler_error: 'handler_raises',
  handler_failed: 'handler_raises',
  bubble_no_parent: 'bubble',
  handler_check: 'handler',
  mode_dispatch: 'handler',
  acceptEdits: 'accept_edits',
  dontAsk: 'dont_ask',
};

/** How a stage answered, in the words of the decision and of the people. */
const SAID = [
  [/_(denied|rejected)$/, '_deny'],
  [/_(allowed|approved)$/, '_allow'],
  [/_(asked|more_info|need_more_info)$/, '_ask'],
  [/_blocked$/, '_block'],
] as const;

export async function audit(given: Fields, expected: Fields): Promise<Fields> {
  if ('stage' in given) return auditOfStage(given);
  if ('composite' in given) return auditComposite(given, expected);
  if ('records' in given) return auditRing(given, expected);
  const sink = ringOf(given);
  const input = whole(given['input']);
  const tool = String(given['tool'] ?? 'Tool');
  const world = worldOf({ rules: [], tool }, { auditSink: sink });
  await world.service.check(tool, input);
  const entry = sink.recent(1)[0] as PermissionAuditEntry;
  const label = argsHash(input);
  return {
    ...entry,
    entry: JSON.stringify(entry),
    entries: sink.all().length,
    count: sink.all().length,
    args_hash: entry.args_hash === label ? label : null,
  };
}

/** A hook decides in front of the service, so its stage is reached through both. */
async function auditOfStage(given: Fields): Promise<Fields> {
  const stated = String(given['stage']);
  const said = SAID.reduce((text, [long, short]) => text.replace(long, short), stated);
  const name = SAME_STAGE[said] ?? said;
  const scenario = Object.hasOwn(SCENARIOS, name) ? SCENARIOS[name] : undefined;
  if (scenario === undefined) throw new Uninterpretable(`stage ${stated}`);
  const sink = ringOf(given);
  const described = layered(given, scenario);
  const world = worldOf(described, { auditSink: sink });
  const { tool, input } = callOf(described);
  const hook = hookOf(described['hook']);
  await new AgentPermissions(world.service, [hook]).checkToolApproval(tool, input);
  const entries = sink.all();
  const entry = entries[0];
  return { entries: entries.length, count: entries.length, ...entry, entry: JSON.stringify(entry) };
}

const ringOf = (given: Fields): InMemoryPermissionAuditSink => {
  const stated = given['sink_capacity'] ?? given['capacity'];
  if (stated === undefined || stated === 'default') return new InMemoryPermissionAuditSink();
  return new InMemoryPermissionAuditSink(Number(stated));
};

const namesOf = (entries: readonly PermissionAuditEntry[]) => entries.map((entry) => entry.tool_name);

interface NamedSink {
  readonly sink: PermissionAuditSink;
  readonly ring?: InMemoryPermissionAuditSink;
  tools(): readonly string[];
}

/** A sink that a case names, with the tools of its entries, oldest first. */
function sinkOf(name: string, given: Fields): NamedSink {
  if (name.startsWith('mem')) {
    const ring = ringOf(given);
    return { sink: ring, ring, tools: () => namesOf(ring.all()) };
  }
  if (name.startsWith('log')) {
    const lines: string[] = [];
    const info = (_message: string, fields: Record<string, unknown>) => void lines.push(String(fields['tool_name']));
    const sink = LoggingPermissionAuditSink.info({ info, trace: info, debug: info, warn: info });
    return { sink, tools: () => lines };
  }
  const { fault, why, answer, delayMs } = spoken(name);
  if (!fault && answer === '' && delayMs > 0) return sinkOf('mem', given);
  if (!fault) throw new Uninterpretable(`sink ${name}`);
  const record = () => {
    throw new Error(why);
  };
  return { sink: { record }, tools: () => [] };
}

async function auditComposite(given: Fields, expected: Fields): Promise<Fields> {
  const named = listOf(given['composite']).map((name) => [String(name), sinkOf(String(name), given)] as const);
  const plain = worldOf({});
  const world = worldOf({}, { auditSink: new CompositePermissionAuditSink(named.map(([, { sink }]) => sink)) });
  let unchanged = true;
  for (let index = 0; index < Number(given['records'] ?? 1); index++) {
    const [alone, recorded] = [
      await plain.service.check(`tool${index}`, {}),
      await world.service.check(`tool${index}`, {}),
    ];
    unchanged &&= JSON.stringify(recorded) === JSON.stringify(alone);
  }
  const shown = (name: string, tools: readonly string[]) => (wantsList(expected, name) ? tools : tools.length);
  const first = named.find(([, { ring }]) => ring)?.[1];
  return {
    ...keptOf(first?.tools() ?? [], expected),
    ...(first?.ring ? recentOf(first.ring, expected) : {}),
    ...Object.fromEntries(named.map(([name, one]) => [name, shown(name, one.tools())])),
    decision_unchanged: unchanged,
  };
}

async function auditRing(given: Fields, expected: Fields): Promise<Fields> {
  const sink = ringOf(given);
  const world = worldOf({}, { auditSink: sink });
  for (let index = 0; index < Number(given['records']); index++) await world.service.check(`tool${index}`, {});
  return { ...keptOf(namesOf(sink.all()), expected), ...recentOf(sink, expected) };
}

/** `recent(n)`: the tools of the newest entries, newest first; of all that are left where no number is given. */
const recentOf = (sink: InMemoryPermissionAuditSink, expected: Fields): Fields => ({
  recent: namesOf(sink.recent(sink.all().length)),
  ...Object.fromEntries(
    Object.keys(expected).flatMap((key) => {
      const count = /^recent\((\d+)\)/.exec(key);
      return count ? [[count[0], namesOf(sink.recent(Number(count[1])))]] : [];
    }),
  ),
});

/** The tools of the entries that are left, oldest first; a number of them where the case asks for one. */
const keptOf = (tools: readonly string[], expected: Fields): Fields => ({
  entries: tools.length,
  count: tools.length,
  kept: typeof expected['kept'] === 'number' ? tools.length : tools,
});
