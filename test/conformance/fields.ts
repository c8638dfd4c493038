/** Reads the parts of a case, which may be missing or of another kind. */
export type Fields = Record<string, unknown>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

/** A value that is no list counts as a list of one. */
export const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];

/** A value that is no list counts as none. */
export const itemsOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

export const textsOf = (value: unknown): string[] => itemsOf(value).map(String);

export const objectsOf = (value: unknown): Fields[] => itemsOf(value).filter(isFields);
