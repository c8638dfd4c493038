/** Tells that a case has words or fields that no interpreter understands. */
export class Uninterpretable extends Error {
  override readonly name = 'Uninterpretable';
}
