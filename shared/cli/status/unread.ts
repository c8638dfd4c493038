/** Words parts of a gate that could not be read, each with the reason. */
import { kindOf, nextStep, refusalOf, unreadLines } from '../support/reason-of.ts';

export interface UnreadPart<Part extends string = string> {
  readonly part: Part;
  readonly why: string;
  /** Such as `AccessDeniedException`. */
  readonly kind: string;
  /** Absent where the kind tells nothing. */
  readonly step?: string;
}

export function unreadPart<Part extends string>(part: Part, error: unknown): UnreadPart<Part> {
  const step = nextStep(error);
  return { part, why: refusalOf(error), kind: kindOf(error), ...(step === undefined ? {} : { step }) };
}

/** A line for each part, and each next step once. */
export const unreadText = (unread: readonly UnreadPart[]): string =>
  unreadLines(
    unread.map(({ part, why }) => `${part} cannot be read: ${why}`),
    unread.map(({ step }) => step),
  );
