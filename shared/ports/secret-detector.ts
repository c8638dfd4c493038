/** Declares the port to a maintained set of rules that find secrets. */
import type { SecretSpan } from '../domain/redaction/text/marker.ts';

/** A maintained set of rules that know secrets by their shape. */
export interface SecretDetector {
  find(text: string): readonly SecretSpan[];
}
