/** Interprets cases of the permissions: the hook that a case names. */
import type { HookAnswer, PermissionHook } from '../../../shared/permissions/service/permission-hooks.ts';
import { isFields } from '../fields.ts';
import { Uninterpretable } from './uninterpretable.ts';
import { spoken } from './words.ts';

/** One hook, or several in their order. */
export const hooksOf = (value: unknown): PermissionHook[] => (Array.isArray(value) ? value : [value]).map(hookOf);

/** The hook of a case, read before it is asked. */
export function hookOf(value: unknown): PermissionHook {
  const words = typeof value === 'string' ? spoken(value) : undefined;
  if (words?.fault) return () => Promise.reject(new Error(words.why));
  // One that only takes its time leaves the call to the service.
  const answer = hookAnswer(words?.answer === '' && words.delayMs > 0 ? 'ask' : words ? words.answer : value);
  return () => answer;
}

function hookAnswer(value: unknown): HookAnswer {
  if (value === undefined || value === 'ask' || value === 'none' || value === null) return undefined;
  if (value === 'block') return { block: true };
  if (value === 'allow' || value === 'deny') return { decision: value };
  if (isFields(value)) {
    if ('block' in value) return { block: true, reason: value['block'] as string };
    const mode = 'mode_override' in value ? { modeOverride: String(value['mode_override']) } : undefined;
    if ('deny' in value) return { decision: 'deny', reason: value['deny'] as string, ...mode };
    if ('allow' in value) return { decision: 'allow', reason: value['allow'] as string, ...mode };
    // An ask leaves the call to the service (R4-156).
    if ('ask' in value && value['ask'] !== undefined) return mode;
    if (mode) return mode;
  }
  throw new Uninterpretable(`hook ${JSON.stringify(value)}`);
}
