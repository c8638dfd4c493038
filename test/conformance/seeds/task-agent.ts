/**
 * Decides the cases of the task agent (seed 2) through its public face.
 *
 * One small interpreter per feature.
 */
import { isDeepStrictEqual } from 'node:util';
import { auditRecord } from '../../../shared/task-agent/decisions/audit-record.ts';
import { userIntent } from '../../../shared/task-agent/decisions/schemas.ts';
import {
  CHAT,
  CLARIFICATION,
  CONFIRMATION,
  FAILURE,
  optionsOf,
  SUCCESS,
} from '../../../shared/task-agent/decisions/templates.ts';
import {
  type AgentDecision,
  type AuditRecord,
  classifyIntent,
  type DecisionContext,
  processMessage,
  type TaskAgentPorts,
  type ToolCall,
  type UserIntent,
  validateDecision,
  validateToolCall,
} from '../../../shared/task-agent/index.ts';
import { resolveReference } from '../../../shared/task-agent/rules/rule-3-task-reference.ts';
import { type Fields, isFields, textsOf } from '../fields.ts';
import { layered, whole } from '../reading.ts';
import { type Interpreted, type Interpreter, judge, type SeedCase } from './judge.ts';
import { mismatches } from './matching.ts';
import { classifierOf, contextOf, deadlineIn, tasksOf, toolsOf } from './task-agent-world.ts';
import { Uninterpretable } from './uninterpretable.ts';
import { VirtualTime } from './virtual-time.ts';
import { spoken } from './words.ts';

export const FEATURES: Readonly<Record<string, Interpreter>> = {
  intent: ({ message, message_history: history }) => ({
    ...classifyIntent(String(message), (Array.isArray(history) ? history : []).map(messageOf)),
  }),
  resolve: (given) => {
    const resolution = resolveReference(String(given['reference']), tasksOf(given));
    return { task_id: resolution.kind === 'one' ? resolution.task.id : null };
  },
  decision: message,
  pending: message,
  template: ({ template, args }) => ({ text: textOf(String(template), isFields(args) ? args : {}) }),
  validation,
  audit,
  degradation: (given) => message(layered(reachingTheTool(given), given)),
};

const messageOf = ({ role, content, timestamp }: Fields) =>
  ({ role, content, timestamp }) as NonNullable<DecisionContext['message_history']>[number];

export const interpretTaskAgent = (one: SeedCase): Promise<Interpreted> => judge(one, FEATURES, compare);

function compare(expected: Fields, got: Fields): string[] {
  const { tools_never: never, ...others } = expected;
  return [...mismatches(others, got), ...inexact(others, got), ...invoked(never, got)];
}

/** Calls and extracted parameters are compared exactly, not as subsets. */
function inexact(expected: Fields, got: Fields): string[] {
  const exact = ['tool_calls', 'extracted_params'].filter((key) => expected[key] != null);
  return exact.filter((key) => !isDeepStrictEqual(expected[key], got[key])).map((key) => `${key}: not exactly equal`);
}

function invoked(never: unknown, got: Fields): string[] {
  if (never === undefined) return [];
  const tools = got['tools_in_order'];
  // Read whole, also where nothing was invoked that it could be compared with.
  const unwanted = whole(never);
  if (!Array.isArray(tools) || !Array.isArray(unwanted)) return ['tools_never: no tools to look at'];
  return tools.filter((tool) => unwanted.includes(tool)).map((tool) => `tools_never: ${tool}`);
}

interface Turn {
  readonly decision: AgentDecision;
  readonly records: readonly AuditRecord[];
  readonly calls: readonly ToolCall[];
}

async function turnOf(given: Fields): Promise<Turn> {
  const time = new VirtualTime();
  const records: AuditRecord[] = [];
  const calls: ToolCall[] = [];
  const now = Date.parse(String(given['now'] ?? '2026-01-03T10:02:00Z'));
  const sinkFails = ['sink', 'audit_sink', 'audit'].some((key) => isFailing(given[key]));
  const ports: TaskAgentPorts = {
    clock: { now: () => now + time.now },
    tools: toolsOf(given, calls, time),
    deadline: deadlineIn(time),
    ...classifierOf(given['classifier'], time),
    audit: {
      decided: (record) => {
        if (sinkFails) throw new Error('the sink is down');
        records.push(record);
      },
    },
  };
  const decision = await time.run(processMessage(contextOf(given) as unknown as DecisionContext, ports));
  return { decision, records, calls };
}

function isFailing(sink: unknown): boolean {
  if (sink === undefined || sink === 'ok') return false;
  const { fault, delayMs, answer } = spoken(String(sink));
  // A sink that only takes its time writes.
  if (fault === undefined && delayMs > 0 && /^(ok)?$/.test(answer)) return false;
  if (fault === undefined) throw new Uninterpretable(`sink ${String(sink)}`);
  return true;
}

async function message(given: Fields): Promise<Fields> {
  const { decision, records, calls } = await turnOf(given);
  const parameters = Object.fromEntries(calls.map((call) => [call.tool_name, call.parameters]));
  const { response_text, clarification_question, pending_action } = decision;
  return {
    ...parameters,
    ...decision,
    tools_in_order: calls.map((call) => call.tool_name),
    pending_action: pending_action && { ...pending_action, expires_minus_created_s: lifetime(pending_action) },
    pending_cancelled: leavesNoTrace(contextOf(given)['pending_confirmation'], decision),
    response: [response_text, clarification_question].filter((text) => text !== null).join('\n'),
    classified_intent: records.at(-1)?.classified_intent,
    records: records.length,
  };
}

const lifetime = ({ created_at, expires_at }: NonNullable<AgentDecision['pending_action']>): number =>
  (Date.parse(expires_at ?? '') - Date.parse(created_at ?? '')) / 1000;

/** The caller keeps what the decision holds: an old confirmation that is not in it is gone. */
const leavesNoTrace = (pending: unknown, decision: AgentDecision): boolean =>
  isFields(pending) && !JSON.stringify(decision).includes(String(pending['task_id']));

function validation(given: Fields): Fields | Promise<Fields> {
  if ('tool_call' in given) return verdict(validateToolCall(whole(given['tool_call']) as Fields));
  if ('intent' in given) return { valid: userIntent.safeParse(whole(given['intent'])).success };
  if ('decision' in given) return verdict(validateDecision(whole(given['decision'])));
  return judgedMessage(given);
}

/** A message that the validator refused was classified as nothing (R2-132). */
async function judgedMessage(given: Fields): Promise<Fields> {
  const got = await message(given);
  return { ...got, valid: got['classified_intent'] !== 'NONE' };
}

const verdict = (checked: ReturnType<typeof validateDecision>): Fields =>
  checked.valid ? { valid: true, error: null } : { valid: false, error: checked.problem };

async function audit(given: Fields): Promise<Fields> {
  const length = Number(given['response_len'] ?? 0);
  const question = given['clarification_only'];
  if ('response_len' in given || question !== undefined) {
    const none = { tool_calls: null, response_text: null, clarification_question: null, pending_action: null };
    const decision: AgentDecision =
      question === undefined
        ? { ...none, decision_type: 'RESPOND_ONLY', response_text: 'r'.repeat(length) }
        : { ...none, decision_type: 'ASK_CLARIFICATION', clarification_question: questionOf(question) };
    return { ...auditRecord(contextOf(given), 'GENERAL_CHAT', decision, 0), records: 1 };
  }
  const { decision, records } = await turnOf(given);
  return { ...decision, ...records.at(-1), records: records.length };
}

const questionOf = (given: unknown): string =>
  typeof given === 'string' ? given : typeof given === 'number' ? 'q'.repeat(given) : CLARIFICATION.whichTask;

/** Without a message of its own, a case of a fault gets one that reaches what is at fault. */
function reachingTheTool(given: Fields): Fields {
  if ('message' in given) return {};
  if (!('tool_result' in given)) return { message: 'remind me to buy milk' };
  const tasks = [{ id: '11111111-1111-4111-8111-111111111111', description: 'buy groceries' }];
  return { message: 'mark the groceries task as done', tasks };
}

const NAMED_TEXTS: Readonly<Record<string, (args: Fields) => string>> = {
  add_task: (args) => SUCCESS.add_task(word(args, 'description')),
  list_tasks: (args) => SUCCESS.list_tasks(tasksOf(args)),
  complete_task: (args) => SUCCESS.complete_task(word(args, 'description')),
  update_task: (args) => SUCCESS.update_task(word(args, 'old_description'), word(args, 'new_description')),
  delete_task: (args) => SUCCESS.delete_task(word(args, 'description')),
  ambiguous: (args) => CLARIFICATION.ambiguous(options(args)),
  multiple_matches: (args) => CLARIFICATION.multipleMatches(word(args, 'reference'), textsOf(args['tasks'])),
  no_match: (args) => CLARIFICATION.noMatch(word(args, 'reference'), String(args['list'] ?? '')),
  missing_description: () => CLARIFICATION.missingDescription,
  delete_confirmation: (args) => CONFIRMATION.deleteTask(word(args, 'description')),
  tool_failure: (args) => FAILURE.tool(word(args, 'action')),
  auth_missing: () => FAILURE.authMissing,
  invalid_input: () => FAILURE.invalidInput,
  timeout: () => FAILURE.timeout,
  description_length: () => FAILURE.descriptionLength,
  which_task: () => CLARIFICATION.whichTask,
  delete_cancelled: () => CONFIRMATION.cancelled,
  confirmation_expired: () => CONFIRMATION.expired,
  greeting: () => CHAT.greeting,
  fallback: () => CHAT.fallback,
};
const SAME_TEXT: Readonly<Record<string, string>> = {
  ambiguous_intent: 'ambiguous',
  confirm_delete: 'delete_confirmation',
  delete_confirm: 'delete_confirmation',
  confirmation: 'delete_confirmation',
};

function textOf(name: string, args: Fields): string {
  const template = NAMED_TEXTS[SAME_TEXT[name] ?? name];
  if (!template) throw new Uninterpretable(`template ${name}`);
  return template(args);
}

function word(args: Fields, name: string): string {
  if (typeof args[name] !== 'string') throw new Uninterpretable(`no ${name}`);
  return args[name];
}

/** Given in words, or as the intents that the words stand for. */
const options = (args: Fields): readonly string[] =>
  'option1' in args
    ? [word(args, 'option1'), word(args, 'option2')]
    : optionsOf(textsOf(args['possible_intents'] ?? args['options']) as UserIntent['intent_type'][]);
