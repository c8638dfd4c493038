/** Validates input as the contract demands: gives the context, or the text that refuses it. */
import { decisionContext, type ReadContext } from './schemas.ts';
import { FAILURE } from './templates.ts';

type ValidInput = { readonly ok: true; readonly context: ReadContext } | { readonly ok: false; readonly text: string };

/** Reports a missing user before any other problem. Takes anything: callers may be JavaScript. */
export function validateInput(value: unknown): ValidInput {
  const parsed = decisionContext.safeParse(value);
  if (parsed.success) return { ok: true, context: parsed.data };
  const isAnonymous = parsed.error.issues.some(({ path }) =>
    path.length === 0 ? !isObject(value) : path[0] === 'user_id',
  );
  return { ok: false, text: isAnonymous ? FAILURE.authMissing : FAILURE.invalidInput };
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;
