/**
 * Checks before every other stage that the input is a call at all.
 *
 * Unknown tools and modes, and inputs that JSON or the tool cannot hold, are `error`.
 */
import { ownValue } from '../../domain/own.ts';
import { nearestSpelling } from '../../domain/text/nearest.ts';
import type { CallContext } from '../call/call-context.ts';
import type { PreparedCall } from '../call/prepared-call.ts';
import { ownField } from '../matching/match.ts';
import { isMode } from '../model/modes.ts';
import type { ToolLookup } from '../model/tools.ts';
import type { Decided, ToolEntry } from '../model/types.ts';

const MAX_DEPTH = 64;
/** Keys that may be shown to their sender. */
const PRINTABLE = /^[\x21-\x7e]{1,64}$/;

function invalid(code: string, message: string): Decided {
  return { verdict: 'error', reason: 'invalid', source: 'input', code, message };
}

/** Why a value is not what I-JSON holds, or `undefined`. */
export function valueProblem(value: unknown, depth = 0): string | undefined {
  if (depth > MAX_DEPTH) return `it nests deeper than ${MAX_DEPTH} levels`;
  switch (typeof value) {
    case 'string':
      return value.isWellFormed() ? undefined : 'a text is not valid Unicode';
    case 'number':
      if (!Number.isFinite(value)) return 'a number is not finite';
      return Number.isInteger(value) && !Number.isSafeInteger(value) ? 'a number is outside the safe range' : undefined;
    case 'boolean':
      return undefined;
    case 'object':
      break;
    default:
      return `a value of type ${typeof value} is not JSON`;
  }
  if (value === null) return undefined;
  if (Array.isArray(value)) return firstProblem(value, depth);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return 'an object is not plain JSON';
  return keyProblem(value) ?? firstProblem(Object.values(value), depth);
}

function keyProblem(value: object): string | undefined {
  for (const key of Reflect.ownKeys(value)) {
    if (typeof key !== 'string' || key === '__proto__') return 'a key is not allowed';
    if (!key.isWellFormed()) return 'a key is not valid Unicode';
    if (key === 'constructor' || key === 'prototype') {
      const child = ownValue(value as Record<string, unknown>, key);
      if (typeof child === 'object' && child !== null) return `the key "${key}" holds an object`;
    }
  }
  return undefined;
}

function firstProblem(values: readonly unknown[], depth: number): string | undefined {
  for (const each of values) {
    const problem = valueProblem(each, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

export function refuseTool({ why, nearest }: Extract<ToolLookup, { kind: 'refused' }>): Decided {
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return invalid('unknown_tool', `No tool can have this name: ${why}.${hint}`);
}

/** Refuses a call for faults that show before it is prepared. */
export function refuseCall(call: CallContext, lookup: Exclude<ToolLookup, { kind: 'refused' }>): Decided | undefined {
  if (!isMode(call.mode)) return invalid('unknown_mode', 'The mode is unknown.');
  if (typeof call.input !== 'object' || call.input === null || Array.isArray(call.input)) {
    return invalid('invalid_input', 'The input of a tool is an object.');
  }
  const problem = valueProblem(call.input);
  if (problem !== undefined) return invalid('invalid_input', `The input is not acceptable: ${problem}.`);
  for (const name of ['cwd', 'projectRoot', 'home'] as const) {
    const path = call[name];
    if (typeof path !== 'string' || !path.startsWith('/') || path.includes('\0')) {
      return invalid('invalid_context', `The ${name} of the session is not an absolute path.`);
    }
  }
  return subjectProblem(call, lookup);
}

const NO_KEYS: readonly string[] = [];
const COMMAND = ['command'] as const;

/** The command of a shell tool is read, and nothing else that the tool may run: no other subject stands for it. */
const neededKeys = ({ subject = NO_KEYS, shell }: ToolEntry): readonly string[] => (shell === true ? COMMAND : subject);

/** A listed tool's subject field missing, not a text or empty. */
function subjectProblem(call: CallContext, lookup: Exclude<ToolLookup, { kind: 'refused' }>): Decided | undefined {
  const { subject = NO_KEYS } = lookup.entry;
  const needed = neededKeys(lookup.entry);
  if (needed.length === 0) return undefined;
  const input = call.input as Record<string, unknown>;
  const isStated = (key: string) => ownField(input, key) !== undefined;
  if (!needed.some(isStated)) {
    const given = Object.keys(input).filter((key) => PRINTABLE.test(key));
    const named = [...new Set(needed)];
    const nearest = named.map((key) => nearestSpelling(key, given)).find((key) => key !== undefined);
    const hint = nearest === undefined ? '' : ` (you gave ${nearest})`;
    return invalid('invalid_input', `${call.toolName} needs ${named.join(' or ')}${hint}.`);
  }
  for (const key of new Set([...subject, ...needed])) {
    if (!isStated(key)) continue;
    const value = ownField(input, key);
    if (typeof value !== 'string') return invalid('invalid_input', `${key} of ${call.toolName} must be text.`);
    if (value.trim() === '') return invalid('invalid_input', `${key} of ${call.toolName} is empty.`);
    if (value.includes('\0')) return invalid('invalid_input', `${key} of ${call.toolName} holds a NUL.`);
  }
  return undefined;
}

/** Refuses a call for faults that only its preparation shows. */
export function refusePrepared(prepared: PreparedCall): Decided | undefined {
  if (prepared.tooDeep) return invalid('invalid_input', `The input nests deeper than ${MAX_DEPTH} levels.`);
  const broken = prepared.paths.find((each) => each.path.finding?.level === 'error');
  if (broken !== undefined) return invalid('invalid_path', `A path is not acceptable: ${broken.path.finding?.why}.`);
  const refused = [prepared.call.policy, prepared.call.sessionRules].find((policy) => policy?.refused !== undefined);
  if (refused !== undefined) {
    return {
      verdict: 'error',
      reason: 'policy',
      source: 'input',
      code: 'policy_refused',
      message: 'The policy holds a malformed rule and decides nothing.',
    };
  }
  return undefined;
}
