/**
 * Decides the features of the permissions that concern the whole service.
 *
 * Features: pipeline, denial, hooks, need_appeal, and the cache behind a service.
 */
import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { InvalidSettingError } from '../../../shared/domain/errors.ts';
import { DenialTracker, type PermissionRequestHandler } from '../../../shared/permissions/index.ts';
import { AgentPermissions } from '../../../shared/permissions/service/agent-permissions.ts';
import { type Fields, fieldsOf, isFields, listOf } from '../fields.ts';
import { layered, whole } from '../reading.ts';
import { hookOf, hooksOf } from './permissions-hooks.ts';
import { callOf, observed, shell, type World, worldOf } from './permissions-world.ts';
import { Uninterpretable } from './uninterpretable.ts';

export async function pipeline(given: Fields): Promise<Fields> {
  if ('hook' in given) return hooks(given);
  const world = acceptedWorld(given);
  if (!world) return { decision: 'error', error: true };
  const { tool, input } = callOf(given);
  return observed(world, await world.service.check(tool, input));
}

/** Undefined: the service refuses the case's own settings, such as a mode that nobody knows (D1). */
function acceptedWorld(given: Fields): World | undefined {
  try {
    return worldOf(given);
  } catch (error) {
    if (error instanceof InvalidSettingError) return undefined;
    throw error;
  }
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
  const { consecutive = 0, total = 0 } = fieldsOf(given['tracker']);
  const state = { consecutive: Number(consecutive), total: Number(total) };
  let tracker = new DenialTracker({ clock: { now: () => 5 }, state });
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
  if ('two_concurrent_checks_with_modified_args' in given) return twoChecks(given);
  const original = 'original' in given ? { input: given['original'] } : {};
  const described = layered(original, given);
  const world = worldOf(described);
  const counter = counted(world);
  const { tool, input } = callOf(described);
  const agent = new AgentPermissions(world.service, hooksOf(given['hook']));
  const decision = await agent.checkToolApproval(tool, input);
  return {
    ...observed(world, decision),
    service_calls: counter.calls,
    configured_after: given['configured'] ?? 'Default',
    ...modeAfter(given, world),
  };
}

/** Two calls wait at once, and each handler answers with arguments of its own. */
async function twoChecks(given: Fields): Promise<Fields> {
  const stated = whole(given['two_concurrent_checks_with_modified_args']);
  const [first = { command: 'ls a' }, second = { command: 'ls b' }] = Array.isArray(stated) ? stated : [];
  const inputs = [
    { command: 'ls', which: 'first' },
    { command: 'ls', which: 'second' },
  ];
  const answers = [first, second];
  const waiting: (() => void)[] = [];
  const requestHandler: PermissionRequestHandler = {
    handle: async ({ toolInput }) => {
      const index = inputs.findIndex((one) => isDeepStrictEqual(one, toolInput));
      // Nobody is answered before both ask, and the later one first.
      await new Promise<void>((resolve) => {
        waiting.unshift(resolve);
        if (waiting.length === inputs.length) for (const answer of waiting) answer();
      });
      return { kind: 'Allowed', modifiedArgs: answers[index] };
    },
  };
  // Bash without a command would be no call.
  const named = answers.every((each) => typeof fieldsOf(each)['command'] === 'string') ? {} : { tool: 'Custom' };
  const described = layered(given, named);
  const world = worldOf(described, { requestHandler });
  const agent = new AgentPermissions(world.service, [hookOf(given['hook'])]);
  const { tool } = callOf(described);
  const decisions = await Promise.all(inputs.map((input) => agent.checkToolApproval(tool, input)));
  return {
    each_gets_its_own: decisions.every(({ modifiedArgs }, index) => isDeepStrictEqual(modifiedArgs, answers[index])),
    decisions: decisions.map(({ decision }) => decision),
    modified_args: decisions.map(({ modifiedArgs }) => modifiedArgs),
    service_calls: decisions.length,
  };
}

/** In the case's own spelling where it did not change. */
function modeAfter(given: Fields, world: World): Fields {
  const before = worldOf({ configured: given['configured'] }).service.mode;
  return world.service.mode === before ? {} : { configured_after: world.service.mode };
}

export async function needAppeal(given: Fields, expected: Fields): Promise<Fields> {
  const world = worldOf(given);
  const initial = world.service.rules.length;
  const hasService = flag(given, 'service') ?? true;
  const agent = new AgentPermissions(hasService ? world.service : undefined);
  const names = listOf(given['register']).map(String);
  const insideLoop = flag(given, 'inside_running_loop');
  const before = flag(given, 'before_first_check');
  const after = flag(given, 'after_first_check');
  const checks = Number(
    given['checks'] ??
      (before !== true && (after || 'check' in given || !hasService || insideLoop || asksForRun(expected)) ? 1 : 0),
  );
  const wanted = typeof given['check'] === 'string' ? given['check'] : names[0];
  const input = fieldsOf(whole(given['input']));
  await shell();
  // Registering gives nothing to wait for; a check ends although nobody answers.
  let blocks = names.some((name) => (agent.addNeedAppealTool(name) as unknown) !== undefined);
  let last: Fields = {};
  for (let index = 0; index < checks; index++) {
    const decision = await withinTurns(agent.checkToolApproval(String(wanted), input));
    if (!decision) {
      blocks = true;
      break;
    }
    const allowed = decision.decision === 'allow';
    const unasked = allowed && (world.handler?.calls ?? 0) === 0;
    last = { ...observed(world, decision), executes: allowed, executed: allowed, executes_without_approval: unasked };
  }
  return {
    ...last,
    tool_registered: names.every((name) => agent.tools.includes(name)),
    service_rules: world.service.rules.length - initial,
    buffered: agent.bufferedRules.length,
    blocks,
  };
}

/** A check shows whether a call runs. */
const asksForRun = (expected: Fields): boolean => Object.keys(expected).some((key) => key.startsWith('execute'));

function flag(given: Fields, key: string): boolean | undefined {
  const value = given[key];
  if (value === undefined || typeof value === 'boolean') return value;
  throw new Uninterpretable(`${key} ${JSON.stringify(value)}`);
}

const TURNS = 200;

/** The result, or nothing if work that needs no time has not brought it. */
async function withinTurns<Result>(work: Promise<Result>): Promise<Result | undefined> {
  let result: Result | undefined;
  let failed: { readonly error: unknown } | undefined;
  work.then(
    (value) => {
      result = value;
    },
    (error: unknown) => {
      failed = { error };
    },
  );
  for (let turn = 0; turn < TURNS && result === undefined && !failed; turn++) await setImmediate();
  if (failed) throw failed.error;
  return result;
}

/** Bash inputs through the service, with a handler whose answer has a scope. */
export async function cachedChecks(given: Fields): Promise<Fields> {
  const world = worldOf(layered(given, { handler: 'Allowed' }));
  let last: Fields = {};
  for (const input of listOf(given['checks'])) {
    if (isFields(input) && 'advance_s' in input) {
      world.clock.time += Number(input['advance_s']) * 1000;
      continue;
    }
    if (isFields(input) && ('revoke' in input || 'clear' in input)) {
      if ('revoke' in input) world.cache.revoke(String(input['revoke']));
      else if (input['clear'] === true) world.cache.clear();
      continue;
    }
    last = observed(world, await world.service.check('Bash', whole(input)));
  }
  return { ...last, handler_calls: world.handler?.calls ?? 0 };
}
