/** Declares classifiers and their answers. */
import type { ClassifierResult } from '../model/types.ts';
import type { ClassifierContext } from './context.ts';

/** A call that a classifier is to judge. */
export interface ClassifierRequest {
  readonly toolName: string;
  readonly input: unknown;
  /** Where the call runs; absent: not known. */
  readonly cwd?: string | undefined;
  /** Fields of the input that hold the agent's own words about the call, as the tool's entry names them. */
  readonly comments?: readonly string[] | undefined;
  /** The secrets were taken out of the input before, and every mark stands for a value. */
  readonly isRedacted?: true | undefined;
  /** The tracker of the service, which counts the denial: a classifier with the same one leaves it to the service. */
  readonly countedBy?: unknown;
  readonly context: ClassifierContext;
  readonly signal?: AbortSignal | undefined;
}

/** The port of everything that judges a call in auto mode. An exception is undecided. */
export interface PermissionClassifier {
  classify(request: ClassifierRequest): Promise<ClassifierResult>;
}

function clamped(confidence: number): number {
  return Number.isFinite(confidence) ? Math.min(1, Math.max(0, confidence)) : 0;
}

/** A classifier's yes. `confidence` from 0 to 1; below the threshold a person is asked. */
export const allowResult = (reason: string, confidence = 1): ClassifierResult => ({
  shouldBlock: false,
  reason,
  confidence: clamped(confidence),
});
/** A classifier's no. `confidence` from 0 to 1; below the threshold a person is asked. */
export const blockResult = (reason: string, confidence = 1): ClassifierResult => ({
  shouldBlock: true,
  reason,
  confidence: clamped(confidence),
});
/** Neither: a block that nobody is sure of. */
export const undecidedResult = (reason: string): ClassifierResult => ({ shouldBlock: true, reason, confidence: 0 });
