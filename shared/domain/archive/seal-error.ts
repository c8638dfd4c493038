/** Declares the error of a seal, list or key that is not as this gate writes it. */
export class SealError extends Error {
  override readonly name = 'SealError';
}
