/** Opens the enums of a published schema to values of later versions. */

/** The known values stay for readers and generators of code, and a later one is a text like any other. */
export function openEnum(jsonSchema: { type?: unknown; enum?: unknown; anyOf?: unknown[] }): void {
  jsonSchema.anyOf = [{ enum: jsonSchema.enum }, { type: 'string' }];
  delete jsonSchema.enum;
  delete jsonSchema.type;
}
