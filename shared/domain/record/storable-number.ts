/** Tells which numbers no row holds: DynamoDB refuses any that is nearer to 0 than 1e-130. */

export const MIN_STORABLE = 1e-100;

export const isTiny = (value: unknown): boolean =>
  typeof value === 'number' && value !== 0 && Math.abs(value) < MIN_STORABLE;
