/** Tries classifiers in order; the first that is sure wins. */
import { having, listOf } from '../../domain/settings.ts';
import type { ClassifierResult } from '../model/types.ts';
import { MIN_CONFIDENCE } from '../stages/mode-dispatch.ts';
import { type ClassifierRequest, type PermissionClassifier, undecidedResult } from './classifier.ts';

/**
 * Asks classifiers in turn until one is sure.
 *
 * @example
 * const classifier = new CompositeClassifier([new RuleClassifier({ deny: ['Bash'] }), new LlmClassifier(model, 'claude-sonnet-4-5')]);
 * console.log(new PermissionService({ mode: 'auto', classifier }).mode);
 */
export class CompositeClassifier implements PermissionClassifier {
  readonly #classifiers: readonly PermissionClassifier[];

  constructor(classifiers: readonly PermissionClassifier[] = []) {
    listOf(having('classify'))(classifiers, 'classifiers');
    this.#classifiers = classifiers;
  }

  withClassifiers(classifiers: readonly PermissionClassifier[]): CompositeClassifier {
    return new CompositeClassifier([...this.#classifiers, ...classifiers]);
  }

  /** One that fails is not sure; the next is asked. */
  async classify(request: ClassifierRequest): Promise<ClassifierResult> {
    for (const classifier of this.#classifiers) {
      request.signal?.throwIfAborted();
      try {
        const result = await classifier.classify(request);
        if (result.confidence >= MIN_CONFIDENCE && result.confidence <= 1) return result;
      } catch {
        // Undecided: the next classifier, or a person.
      }
    }
    return undecidedResult('no classifier is sure');
  }
}
