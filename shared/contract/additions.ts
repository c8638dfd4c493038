/**
 * Keeps fields that the previous release refuses to read beside a stored word.
 *
 * The fields are where it does not look.
 */
import * as z from 'zod';

const ADDED = new WeakSet<z.core.$ZodType>();

/**
 * Marks an optional field of a stored word that the release 0.1.0 does not know. Readers of that release refuse a row with unknown keys, and a gate
 * that goes back to it has to decide what waits. The mark belongs to this very schema: describe and make it optional first.
 */
export function added<Schema extends z.ZodType>(field: Schema): Schema {
  ADDED.add(field);
  return field;
}

export const isAdded = (schema: z.core.$ZodType): boolean => ADDED.has(schema);

/** Values of marked fields by their path: `["levels", 0, "agentMode"]`. `version`: of the word that they were taken from. */
export interface Additions {
  readonly version: number;
  readonly fields: readonly (readonly [path: readonly (string | number)[], value: unknown])[];
}

/** A word as the previous release reads it, and the rest; undefined where there is none. `version`: of a row that changes. */
export function apart<Word>(
  schema: z.ZodType<Word>,
  word: Word,
  version = 0,
): { readonly known: Word; readonly additions?: Additions } {
  const fields: [readonly (string | number)[], unknown][] = [];
  const known = take(schema, word, [], fields) as Word;
  return fields.length ? { known, additions: { version, fields } } : { known };
}

/**
 * Puts the additions back into the word. A release that does not know additions may have written the word meanwhile, which the version shows.
 * Positions in lists may have changed then, so that only additions outside of lists are put back.
 */
export function together(known: unknown, additions: unknown, version = 0): unknown {
  // Rows of earlier releases have none, and some of them no version.
  if (additions === undefined) return known;
  const { version: of, fields } = additionsSchema.parse(additions);
  const isSame = of === version;
  let word = known;
  for (const [path, value] of fields)
    if (isSame || path.every((step) => typeof step === 'string')) word = put(word, path, value);
  return word;
}

const additionsSchema = z.object({
  version: z.number(),
  fields: z.array(z.tuple([z.array(z.union([z.string(), z.number()])).min(1), z.unknown()])),
});

/** Puts a value where none is. A value that another release wrote there is newer, and stays. */
function put(word: unknown, [step, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (typeof word !== 'object' || word === null || step === undefined) return word;
  const at = Object.hasOwn(word, step) ? (word as Record<string | number, unknown>)[step] : undefined;
  if (rest.length === 0 ? at !== undefined : at === undefined) return word;
  const changed = rest.length === 0 ? value : put(at, rest, value);
  return Array.isArray(word)
    ? word.map((entry: unknown, index) => (index === step ? changed : entry))
    : { ...word, [step]: changed };
}

type Taken = [readonly (string | number)[], unknown][];

/** Whether a schema holds a marked field: most do not, and are not walked. */
const holdsMark = new WeakMap<z.core.$ZodType, boolean>();

function holds(schema: z.core.$ZodType): boolean {
  const known = holdsMark.get(schema);
  if (known !== undefined) return known;
  const found = isAdded(schema) || within(schema).some(holds);
  holdsMark.set(schema, found);
  return found;
}

function within(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodObject) return Object.values(schema.def.shape);
  if (schema instanceof z.ZodArray) return [schema.def.element];
  if (schema instanceof z.ZodUnion) return schema.def.options;
  if (isWrapper(schema)) return [schema.def.innerType];
  return [];
}

const isWrapper = (schema: z.core.$ZodType) =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodReadonly;

function take(schema: z.core.$ZodType, value: unknown, path: readonly (string | number)[], taken: Taken): unknown {
  if (typeof value !== 'object' || value === null || !holds(schema)) return value;
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value.map((entry: unknown, index) => take(schema.def.element, entry, [...path, index], taken));
  if (schema instanceof z.ZodUnion) {
    const option = schema.def.options.find((one) => isOf(one, value));
    return option ? take(option, value, path, taken) : value;
  }
  if (isWrapper(schema)) return take(schema.def.innerType, value, path, taken);
  if (schema instanceof z.ZodObject) return takeFields(schema.def.shape, value, path, taken);
  return value;
}

function takeFields(
  shape: Readonly<Record<string, z.core.$ZodType>>,
  value: object,
  path: readonly (string | number)[],
  taken: Taken,
): Record<string, unknown> {
  const fields = Object.entries(value).flatMap(([key, field]): [string, unknown][] => {
    const schema = Object.hasOwn(shape, key) ? shape[key] : undefined;
    const at = [...path, key];
    if (schema === undefined) return [[key, field]];
    if (!isAdded(schema)) return [[key, take(schema, field, at, taken)]];
    if (field !== undefined) taken.push([at, field]);
    return [];
  });
  return Object.fromEntries(fields);
}

/** Options of the stored words are told apart by fields that are one word each. */
function isOf(option: z.core.$ZodType, value: object): boolean {
  if (!(option instanceof z.ZodObject)) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  return Object.entries(option.def.shape as Readonly<Record<string, z.core.$ZodType>>).every(
    ([key, field]) => !(field instanceof z.ZodLiteral) || field.def.values.includes(fields.get(key) as never),
  );
}
