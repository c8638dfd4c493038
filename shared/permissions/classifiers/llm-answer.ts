/** Reads a classifier's answer: the whole text is one JSON object, or the model has decided nothing. */
import * as z from 'zod';
import { readJsonAnswer } from '../../ports/read-json-answer.ts';
import type { ClassifierResult } from '../model/types.ts';
import { allowResult, blockResult, undecidedResult } from './classifier.ts';

const answer = z
  .strictObject({
    should_block: z.boolean().optional(),
    decision: z.enum(['allow', 'deny']).optional(),
    reason: z.string().optional(),
    confidence: z.number().min(0).max(1).optional(),
    nonce: z.string().optional(),
  })
  .refine((fields) => (fields.should_block === undefined) !== (fields.decision === undefined));

/** An answer of an object's fields is far shorter. */
const MAX_ANSWER = 16_384;

/**
 * @param nonce - the random word of this question, if one was asked for: an object that the call itself holds cannot repeat it.
 * @returns an undecided result for every text that is not exactly the object; an absent confidence is unsure.
 */
export function readClassifierAnswer(text: string, nonce?: string): ClassifierResult {
  if (text.length > MAX_ANSWER) return undecidedResult('the answer is too long');
  const json = readJsonAnswer(text);
  if (!json.ok) return undecidedResult('the whole answer is not acceptable JSON');
  const parsed = answer.safeParse(json.value);
  if (!parsed.success) return undecidedResult('the answer does not have the fields of an answer');
  const { should_block: shouldBlock, decision, reason, confidence = 0, nonce: repeated } = parsed.data;
  if (repeated !== nonce) return undecidedResult('the answer does not repeat the word of its question');
  const words = reason === undefined || reason === '' ? 'no reason given' : reason;
  return (shouldBlock ?? decision === 'deny') ? blockResult(words, confidence) : allowResult(words, confidence);
}
