/**
 * Decides the features of seed 4 that concern the whole service.
 *
 * Features: pipeline, denial, audit, hooks, need_appeal, and the cache behind a service.
 */
import {
  AgentPermissions,
  CompositePermissionAuditSink,
  DenialTracker,
  type HookAnswer,
  InMemoryPermissionAuditSink,
  type PermissionAuditEntry,
  type PermissionAuditSink,
} from '../../../shared/permissions/index.ts';
import { argsHash } from '../../../shared/permissions/service/grants.ts';
import type { Fields } from './matching.ts';
import { callOf, fieldsOf, isFields, listOf, observed, Uninterpretable, type World, worldOf } from './seed-4-world.ts';

export async function pipeline(given: Fields): Promise<Fields> {
  const world = worldOf(given);
  const { tool, input } = callOf(given);
  return observed(world, await world.service.check(tool, input));
}

export async function denial(given: Fields): Promise<Fields> {
  if (Array.isArray(given['ops'])) return denialOps(given);
  const world = worldOf(given);
  const protectedPath = given['protected'];
  const decisions: string[] = [];
  let last: Fields = {};
  const steps = Array.isArray(given['sequence']) ? given['sequence'] : ['check'];
  for (const [index, step] of steps.entries()) {
    const word = typeof step === 'string' ? step.toLowerCase() : '';
    const call = callOf(given);
    const input =
      typeof protectedPath === 'string'
        ? { path: protectedPath }
        : steps.length === 1
          ? call.input
          : { command: `ls dir${index}` };
    const tool = typeof protectedPath === 'string' ? 'Write' : call.tool;
    if (word === 'check') {
      const decision = await world.service.check(tool, input);
      decisions.push(decision.decision);
      last = observed(world, decision);
    } else if (word.includes('approv') || word.includes('human')) {
      world.service.approve(tool, input);
    } else {
      throw new Uninterpretable(`step ${JSON.stringify(step)}`);
    }
  }
  return { ...last, decisions, ...counters(world.tracker) };
}

function denialOps(given: Fields): Fields {
  let tracker = new DenialTracker({ clock: { now: () => 5 } });
  if ('max_consecutive' in given) tracker = tracker.withMaxConsecutive(Number(given['max_consecutive']));
  if ('max_total' in given) tracker = tracker.withMaxTotal(Number(given['max_total']));
  for (const op of listOf(given['ops'])) {
    if (op === 'd') tracker.recordDenial();
    else if (op === 'a') tracker.reset();
    else throw new Uninterpretable(`op ${JSON.stringify(op)}`);
  }
  return counters(tracker);
}

function counters(tracker: DenialTracker): Fields {
  return {
    fallback: tracker.shouldFallback(),
    consecutive: tracker.consecutive,
    total: tracker.total,
    last_denial_time: tracker.lastDenialTime ?? null,
  };
}

const RULE = { pattern: 'Bash', source: 'UserSettings' };
/** A case that reaches each stage; its name is a stage, a reason, or a stage and what it says. */
const SCENARIOS: Readonly<Record<string, Fields>> = {
  bypass: { mode: 'BypassPermissions' },
  bypass_disabled: { mode: 'BypassPermissions', bypass_disabled: true },
  plan: { mode: 'Plan' },
  plan_mode: { mode: 'Plan' },
  plan_deny: { mode: 'Plan' },
  plan_allow: { mode: 'Plan', tool: 'Read', input: { path: 'a' } },
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
  handler_allow: { handler: 'Allowed' },
  handler_deny: { handler: { Denied: 'no' } },
  handler_ask: { handler: { NeedMoreInfo: 'why?' } },
  handler: { handler: 'Allowed' },
  dont_ask: { mode: 'DontAsk' },
  no_handler: {},
  accept_edits: { mode: 'AcceptEdits', input: { path: 'notes.txt' } },
  bubble: { mode: 'Bubble' },
};

export async function audit(given: Fields): Promise<Fields> {
  if ('stage' in given) return auditOfStage(given);
  if ('composite' in given) return auditComposite(given);
  if ('records' in given) return auditRing(given);
  const sink = new InMemoryPermissionAuditSink();
  const world = worldOf({ rules: [] }, { auditSink: sink });
  const input = given['input'];
  await world.service.check('Tool', input);
  const entry = sink.recent(1)[0] as PermissionAuditEntry;
  const label = argsHash(input);
  return {
    ...entry,
    entry: JSON.stringify(entry),
    entries: sink.all().length,
    args_hash: entry.args_hash === label ? label : null,
  };
}

async function auditOfStage(given: Fields): Promise<Fields> {
  const name = String(given['stage']);
  const scenario = Object.hasOwn(SCENARIOS, name) ? SCENARIOS[name] : undefined;
  if (scenario === undefined) throw new Uninterpretable(`stage ${name}`);
  const sink = new InMemoryPermissionAuditSink();
  const world = worldOf({ ...scenario, ...given }, { auditSink: sink });
  const { tool, input } = callOf({ ...scenario, ...given });
  await world.service.check(tool, input);
  const entries = sink.all();
  const entry = entries[0];
  return { entries: entries.length, ...entry, entry: JSON.stringify(entry) };
}

async function auditComposite(given: Fields): Promise<Fields> {
  const memory = new InMemoryPermissionAuditSink();
  const raising: PermissionAuditSink = {
    record() {
      throw new Error('the sink raises');
    },
  };
  const sinks = listOf(given['composite']).map((name): PermissionAuditSink => {
    if (name === 'raises') return raising;
    if (typeof name === 'string' && name.startsWith('mem')) return memory;
    throw new Uninterpretable(`sink ${String(name)}`);
  });
  const plain = await worldOf({}).service.check('Bash', { command: 'ls' });
  const world = worldOf({}, { auditSink: new CompositePermissionAuditSink(sinks) });
  let unchanged = true;
  for (let index = 0; index < Number(given['records'] ?? 1); index++) {
    const decision = await world.service.check('Bash', { command: 'ls' });
    unchanged &&= JSON.stringify(decision) === JSON.stringify(plain);
  }
  return { mem: memory.all().length, decision_unchanged: unchanged };
}

async function auditRing(given: Fields): Promise<Fields> {
  const sink = new InMemoryPermissionAuditSink(...('capacity' in given ? [Number(given['capacity'])] : []));
  const world = worldOf({}, { auditSink: sink });
  for (let index = 0; index < Number(given['records']); index++) await world.service.check(`tool${index}`, {});
  const names = (entries: readonly PermissionAuditEntry[]) => entries.map((entry) => entry.tool_name);
  const recents = Object.fromEntries([1, 2, 3, 5, 10].map((count) => [`recent(${count})`, names(sink.recent(count))]));
  return {
    entries: sink.all().length,
    kept: names(sink.all()),
    recent: names(sink.recent(sink.all().length)),
    ...recents,
  };
}

function hookOf(value: unknown): HookAnswer {
  if (value === undefined || value === 'ask' || value === 'none' || value === null) return undefined;
  if (value === 'block') return { block: true };
  if (value === 'allow' || value === 'deny') return { decision: value };
  if (isFields(value)) {
    if ('block' in value) return { block: true, reason: value['block'] as string };
    if ('deny' in value) return { decision: 'deny', reason: value['deny'] as string };
    if ('allow' in value) return { decision: 'allow', reason: value['allow'] as string };
    if ('mode_override' in value) return { modeOverride: String(value['mode_override']) };
  }
  throw new Uninterpretable(`hook ${JSON.stringify(value)}`);
}

function counted(world: World): { calls: number } {
  const counter = { calls: 0 };
  const check = world.service.check.bind(world.service);
  world.service.check = (...args) => {
    counter.calls += 1;
    return check(...args);
  };
  return counter;
}

export async function hooks(given: Fields): Promise<Fields> {
  const original = 'original' in given ? { input: given['original'] } : {};
  const world = worldOf({ ...given, ...original });
  const counter = counted(world);
  const { tool, input } = callOf({ ...given, ...original });
  const agent = new AgentPermissions(world.service, [() => hookOf(given['hook'])]);
  const decision = await agent.checkToolApproval(tool, input);
  return {
    ...observed(world, decision),
    service_calls: counter.calls,
    configured_after: given['configured'] ?? 'Default',
    ...modeAfter(given, world),
  };
}

/** In the case's own spelling where it did not change. */
function modeAfter(given: Fields, world: World): Fields {
  const before = worldOf({ configured: given['configured'] }).service.mode;
  return world.service.mode === before ? {} : { configured_after: world.service.mode };
}

export async function needAppeal(given: Fields): Promise<Fields> {
  const world = worldOf(given);
  const initial = world.service.rules.length;
  const agent = new AgentPermissions(given['service'] === false ? undefined : world.service);
  const names = listOf(given['register']).map(String);
  for (const name of names) agent.addNeedAppealTool(name);
  const checks = Number(
    given['checks'] ?? (given['after_first_check'] === true || 'check' in given || given['service'] === false ? 1 : 0),
  );
  let last: Fields = {};
  for (let index = 0; index < checks; index++) {
    const tool = typeof given['check'] === 'string' ? given['check'] : (names[0] as string);
    const decision = await agent.checkToolApproval(tool, fieldsOf(given['input']));
    last = {
      ...observed(world, decision),
      executes: decision.decision === 'allow',
      executed: decision.decision === 'allow',
    };
  }
  return {
    ...last,
    tool_registered: names.every((name) => agent.tools.includes(name)),
    service_rules: world.service.rules.length - initial,
    buffered: agent.bufferedRules.length,
  };
}

/** Bash inputs through the service, with a handler whose answer has a scope. */
export async function cachedChecks(given: Fields): Promise<Fields> {
  const world = worldOf({ ...given, handler: given['handler'] ?? 'Allowed' });
  let last: Fields = {};
  for (const input of listOf(given['checks'])) {
    if (isFields(input) && 'advance_s' in input) {
      world.clock.time += Number(input['advance_s']) * 1000;
      continue;
    }
    last = observed(world, await world.service.check('Bash', input));
  }
  return { ...last, handler_calls: world.handler?.calls ?? 0 };
}
