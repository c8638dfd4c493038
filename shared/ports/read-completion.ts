/** Reads the answer of a language model's client: a text, or a text and its cost. */
import { type Completion, ParseError, type TokenUsage } from './llm-client.ts';

const UNKNOWN: TokenUsage = { inputTokens: 0, outputTokens: 0 };
const isCount = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY;

/** Reads a client's answer: a program without types may give anything. @throws ParseError if there is no text in it */
export function completionOf(answer: Completion | string): Completion {
  if (typeof answer === 'string') return { text: answer, usage: UNKNOWN };
  const { text, isCut, usage } = (answer ?? {}) as Partial<Completion>;
  if (typeof text !== 'string') throw new ParseError('the client gave no text');
  const isKnown = isCount(usage?.inputTokens) && isCount(usage.outputTokens);
  return { text, ...(isCut ? { isCut } : {}), usage: isKnown ? usage : UNKNOWN };
}
