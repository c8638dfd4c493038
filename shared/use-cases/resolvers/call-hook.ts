/** Asks a permission hook about one call. A failure, a delay or an unknown answer never allows. */
import * as z from 'zod';
import type { HookSettings } from '../../config/schema/hooks.ts';
import { type HookEntry, mode, type ToolCall, text } from '../../contract/index.ts';
import { nothing, orElse } from '../../domain/maybe-promise.ts';
import { readIJson } from '../../domain/raw-json.ts';
import { scrubTexts } from '../../domain/redaction/redact.ts';
import { isOutside } from '../../permissions/classifiers/shown-call.ts';
import type { HookCaller, HookTarget } from '../../ports/hook-caller.ts';
import type { SetTimer } from '../../ports/timers.ts';
import { LATE, withTimeout } from '../../ports/with-timeout.ts';
import type { KernelPorts } from '../kernel/calls/authorization/authorize-call.ts';
import type { HookNeed } from '../kernel/state/need.ts';
import { outsiderViewOf } from '../redaction/redact-for-outsiders.ts';
import type { Redactor } from '../redactor.ts';
import type { About, ClassifierDependencies } from './classify.ts';
import { limitsOf, MINUTE_MS, reserve } from './question-limits.ts';

/** Only `deliberate` can ask. */
export interface Hooks {
  readonly caller: HookCaller;
  readonly after: SetTimer;
}

type Answered = Pick<HookEntry, 'type' | 'by' | 'answer'>;

interface AboutHook extends Omit<About, 'session'> {
  readonly pid: string;
}

/** Asks one hook. Undefined where the hook has to be asked, and nobody here can. */
export async function callHook(
  need: HookNeed,
  { pid, agent, shown, until }: AboutHook,
  deps: KernelPorts &
    Pick<ClassifierDependencies, 'clock' | 'asking' | 'redactor'> & { readonly hooks?: Hooks | undefined },
): Promise<Answered | undefined> {
  const { policy, hooks, asking, clock } = deps;
  if (!hooks || !asking) return undefined;
  const settings = policy.settings.hooks[need.hook];
  if (!settings) return failed(need, 'the policy file no longer lists the hook');
  const view = outsiderViewOf(need.call, shown);
  const call = settings.secrets ? need.call : view.call;
  const root = policy.settings.agents[need.level.agent]?.projectRoot;
  const body = JSON.stringify(requestOf({ ...need, call, cwd: call.cwd ?? need.cwd }, pid, root));
  const time = Math.min(settings.timeout, until - clock.now());
  if (time <= 0) return failed(need, 'no time was left to ask it');
  try {
    const target = targetOf(settings);
    const bounds = limitsOf(`hook#${need.hook}`, agent, settings.perMinute, { windowMs: MINUTE_MS, amount: 1 });
    const reserved = await reserve(bounds, asking);
    if (!reserved) return failed(need, 'the calls of it that the policy file allows are used up');
    const [text] = await Promise.all([
      withTimeout(time, hooks.after, (signal) => hooks.caller.call(target, body, signal, need.hook, time)),
      // A budget that cannot be written takes no answer back: the reservation ends by itself, and a deny stays one.
      ...reserved.map((reservation) =>
        orElse(() => asking.budgets.closeReservation(reservation, reservation.amount), nothing),
      ),
    ]);
    if (text === LATE) return failed(need, 'no answer in time');
    const given = await withoutSecrets(readAnswer(need, text), call, deps.redactor);
    return view.isJudgeable || settings.secrets ? given : tightening(given);
  } catch (error) {
    return failed(need, error instanceof Error ? error.name.slice(0, 100) : 'an error');
  }
}

/** The reason is kept, and told to the agent: a hook that is given secrets may quote one that nothing but its place in the call betrays. */
async function withoutSecrets(given: Answered, told: ToolCall, redactor: Redactor): Promise<Answered> {
  const { answer } = given;
  if (answer.state === 'failed' || answer.reason === undefined) return given;
  const [{ secrets }, reason] = await Promise.all([redactor.json(told), redactor.text(answer.reason)]);
  const kept = scrubTexts({ reason }, secrets).reason.slice(0, MAX_REASON).toWellFormed();
  return { ...given, answer: { ...answer, reason: kept } };
}

/** A hook that was shown a mark in place of a path or a command can refuse the call, and not allow it. */
function tightening(given: Answered): Answered {
  const { answer } = given;
  if (answer.state === 'failed') return given;
  const { decision, mode: wanted, reason: why } = answer;
  if (decision === 'block' || decision === 'deny' || (decision === 'pass' && wanted === undefined)) return given;
  return { ...given, answer: { state: 'answered', decision: 'ask', ...(why === undefined ? {} : { reason: why }) } };
}

const failed = ({ hook }: Pick<HookNeed, 'hook'>, why: string): Answered => ({
  type: 'hook',
  by: hook,
  answer: { state: 'failed', why },
});

function targetOf({ url, secret, function: name }: HookSettings): HookTarget {
  if (name !== undefined) return { kind: 'function', name };
  if (url === undefined || secret === undefined) throw new Error('the hook has no target');
  return { kind: 'url', url, secret };
}

/** The names that hooks of agents know already. The envelope's words about the call are left out. */
const requestOf = ({ call, cwd, level, mode: under }: HookNeed, pid: string, root: string | undefined) => ({
  hook_event_name: 'PermissionRequest',
  request_id: `${pid}.${call.id}`,
  session_id: level.sessionId,
  agent_id: level.agent,
  permission_mode: under,
  cwd,
  ...(isOutside(cwd, root) ? { cwd_outside_project: true } : {}),
  tool_name: call.toolName,
  tool_use_id: call.id,
  tool_input: call.input,
});

const MAX_CHARACTERS = 64 * 1024;
const MAX_REASON = 1000;
/** Cut before it is kept: a long reason takes no deny back. */
const reason = text(MAX_CHARACTERS).optional();
const plainAnswer = z.strictObject({
  decision: z.enum(['block', 'deny', 'allow', 'ask', 'pass']).optional(),
  reason,
  mode: mode.optional(),
});
/** The answer of a hook that is written for Claude Code. With `interrupt` the call is denied, and the agent is not stopped. */
const agentAnswer = z.strictObject({
  hookSpecificOutput: z.strictObject({
    hookEventName: z.literal('PermissionRequest'),
    decision: z.discriminatedUnion('behavior', [
      z.strictObject({ behavior: z.literal('allow'), message: reason }),
      z.strictObject({ behavior: z.literal('deny'), message: reason, interrupt: z.boolean().optional() }),
    ]),
  }),
});

/** Whether a hook may answer so. */
export const isHookAnswer = (text: string): boolean => readAnswer({ hook: '' }, text).answer.state === 'answered';

function readAnswer(need: Pick<HookNeed, 'hook'>, text: string): Answered {
  const json = readIJson(text, MAX_CHARACTERS);
  if (!json.ok) return failed(need, 'the answer is not JSON');
  const native = agentAnswer.safeParse(json.value);
  const parsed = native.success
    ? {
        decision: native.data.hookSpecificOutput.decision.behavior,
        reason: native.data.hookSpecificOutput.decision.message,
      }
    : plainAnswer.safeParse(json.value).data;
  if (!parsed) return failed(need, 'the answer is not one that a hook may give');
  const { decision = 'pass', reason: why = '' } = parsed;
  const isTightening = decision === 'block' || decision === 'deny' || decision === 'ask';
  if (why.length > MAX_REASON && !isTightening) return failed(need, 'the reason is too long');
  return { type: 'hook', by: need.hook, answer: { state: 'answered', ...parsed, decision } };
}
