/** Interprets seed 4: the hook that a case names. */
import type { HookAnswer, PermissionHook } from '../../../shared/permissions/index.ts';
import { isFields } from './seed-4-world.ts';
import { Uninterpretable } from './uninterpretable.ts';
import { spoken } from './words.ts';

/** The hook of a case, read before it is asked. */
export function hookOf(value: unknown): PermissionHook {
  const words = typeof value === 'string' ? spoken(value) : undefined;
  if (words?.fault) return () => Promise.reject(new Error(words.why));
  const answer = hookAnswer(words ? words.answer : value);
  return () => answer;
}

function hookAnswer(value: unknown): HookAnswer {
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
