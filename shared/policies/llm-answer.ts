/** Reads what a model answered. */
import type { Action, ActionSpace } from '../contract/action-space.ts';
import { readIJson } from '../domain/raw-json.ts';
import type { Completion } from '../ports/llm-client.ts';

/** `problem` is written for the model, which is asked again with it. */
type ModelChoice =
  | { readonly ok: true; readonly action: Action | null }
  | { readonly ok: false; readonly problem: string };

/** The canonical action that the answer names, never the model's version of it; the first of that flow. */
export function readChoice({ text: answer, isCut }: Completion, space: ActionSpace): ModelChoice {
  // A whole object may stand in it by chance, and the provider says that the model did not end there.
  if (isCut) return { ok: false, problem: 'The response was cut before its end' };
  // Not JSON.parse: an answer that names an action twice is no answer.
  const json = readIJson(withoutFences(answer));
  if (!json.ok) return { ok: false, problem: `Failed to parse JSON: ${json.fault.message}` };
  const named = field(json.value, 'action');
  if (named === undefined) return { ok: false, problem: "Response missing 'action' field" };
  if (named === null) return { ok: true, action: null };
  const flowId = field(named, 'flow_id');
  if (typeof flowId !== 'string') {
    return { ok: false, problem: "Action missing 'flow_id' field or it is not a string" };
  }
  const action = space.actions.find((candidate) => candidate.flow_id === flowId);
  if (action) return { ok: true, action };
  const available = space.actions.map((candidate) => candidate.flow_id).join(', ');
  return {
    ok: false,
    problem: `flow_id '${flowId}' is not in the available action space. Available: [${available}]`,
  };
}

/** A fence counts only if it is closed. */
function withoutFences(answer: string): string {
  const text = answer.trim();
  const fenced = text.startsWith('```') && text.endsWith('```') && text.length >= 6;
  if (!fenced) return text;
  const inner = text.slice(3, -3);
  return (inner.startsWith('json') ? inner.slice(4) : inner).trim();
}

function field(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
}
