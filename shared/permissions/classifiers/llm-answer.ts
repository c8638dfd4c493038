/** Reads a classifier's answer: exactly one JSON object within its text, or it is undecided (rules.md, "Classifier"). */
import * as z from 'zod';
import { readIJson } from '../../domain/raw-json.ts';
import type { ClassifierResult } from '../types.ts';
import { allowResult, blockResult, undecidedResult } from './classifier.ts';

const answer = z
  .strictObject({
    should_block: z.boolean().optional(),
    decision: z.enum(['allow', 'deny']).optional(),
    reason: z.string().optional(),
    confidence: z.number().min(0).max(1).optional(),
  })
  .refine((fields) => (fields.should_block === undefined) !== (fields.decision === undefined));

/** Texts of the balanced top-level objects; `undefined` if braces do not balance. */
function objectsIn(text: string): string[] | undefined {
  const found: string[] = [];
  let depth = 0;
  let start = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (quoted) {
      if (char === '\\') at += 1;
      else if (char === '"') quoted = false;
    } else if (depth > 0 && char === '"') {
      quoted = true;
    } else if (char === '{') {
      if (depth === 0) start = at;
      depth += 1;
    } else if (char === '}') {
      depth -= 1;
      if (depth < 0) return undefined;
      if (depth === 0) found.push(text.slice(start, at + 1));
    }
  }
  return depth === 0 ? found : undefined;
}

export function readClassifierAnswer(text: string): ClassifierResult {
  const objects = objectsIn(text);
  if (objects?.length !== 1) return undecidedResult('the answer is not exactly one JSON object');
  const json = readIJson(objects[0] as string);
  if (!json.ok) return undecidedResult('the answer is not acceptable JSON');
  const parsed = answer.safeParse(json.value);
  if (!parsed.success) return undecidedResult('the answer does not have the fields of an answer');
  const { should_block: shouldBlock, decision, reason, confidence } = parsed.data;
  const said = reason === undefined || reason === '' ? 'no reason given' : reason;
  return (shouldBlock ?? decision === 'deny') ? blockResult(said, confidence ?? 1) : allowResult(said, confidence ?? 1);
}
