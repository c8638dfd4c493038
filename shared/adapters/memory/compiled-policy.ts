/** Compiles each policy file once: a test may make thousands of gates of one. */
import { compilePolicy, type Policy } from '../../config/compile.ts';
import type { PolicyDocument } from '../../config/document.ts';
import { type CardNames, cardNamesOf } from '../../config/readers/card-names.ts';

const compiled = new WeakMap<PolicyDocument, { readonly policy: Policy; readonly names: CardNames }>();

export function compiledOf(document: PolicyDocument) {
  const known = compiled.get(document);
  if (known) return known;
  const made = { policy: compilePolicy(document), names: cardNamesOf(document) };
  compiled.set(document, made);
  return made;
}
