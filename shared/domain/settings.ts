/** Checks the settings that a program states, so that a wrong one is named where it is stated. */
import { InvalidSettingError } from './errors.ts';
import { shown, withoutFields } from './text/shown.ts';

export { shown };

/** Checks one value. @throws InvalidSettingError that names the setting */
export type Check = (value: unknown, setting: string) => void;

const must =
  (isFit: (value: unknown) => boolean, wanted: string): Check =>
  (value, setting) => {
    if (!isFit(value)) throw unfit(value, setting, wanted);
  };

/** The error for a value that is not what is `wanted`, such as `a function`. */
export const unfit = (value: unknown, setting: string, wanted: string): InvalidSettingError =>
  new InvalidSettingError(
    setting,
    value === undefined ? `is missing: it is ${wanted}` : `${shown(value)} is not ${wanted}`,
  );

/** For a setting that its reader checks itself, with an error that names it. */
export const checkedElsewhere: Check = () => {};
export const flag = must((value) => typeof value === 'boolean', 'true or false');
export const text = must(
  (value) => typeof value === 'string' && value.trim() !== '',
  'a text with at least one letter',
);
export const anyText = must((value) => typeof value === 'string', 'a text');
export const list = must((value) => Array.isArray(value), 'a list');
export const texts = must(
  (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  'a list of texts',
);
/** Any object that can be iterated over: a list, a set, a generator. */
export const iterable = must(
  (value) => typeof value === 'object' && value !== null && Symbol.iterator in value,
  'a list or another iterable',
);
export const fn = must((value) => typeof value === 'function', 'a function');
export const record = must(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value) && withoutFields(value) === undefined,
  'an object with fields',
);
export const count = must(
  (value) => Number.isSafeInteger(value) && (value as number) >= 1,
  'a whole number of one or more',
);
export const natural = must(
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  'a whole number of zero or more',
);
export const fraction = must((value) => typeof value === 'number' && value >= 0 && value <= 1, 'a number from 0 to 1');

/** An object or a function with these methods. */
export const having = (...methods: readonly string[]): Check =>
  must(
    (value) =>
      ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
      methods.every((method) => typeof Reflect.get(value, method) === 'function'),
    `an object with ${methods.length > 1 ? 'the methods' : 'the method'} ${methods.join(', ')}`,
  );

export const oneOf = (...values: readonly string[]): Check =>
  must((value) => typeof value === 'string' && values.includes(value), `one of ${values.join(', ')}`);

/** A list whose every item passes. The error names the item, as in `tools[2]`. */
export const listOf =
  (check: Check): Check =>
  (value, setting) => {
    list(value, setting);
    for (const [index, item] of (value as readonly unknown[]).entries()) check(item, `${setting}[${index}]`);
  };

const isSignal = having('throwIfAborted', 'addEventListener');

/** An AbortSignal, of whichever library. */
export const signal: Check = (value, setting) => {
  try {
    isSignal(value, setting);
  } catch {
    throw new InvalidSettingError(setting, `${shown(value)} is no AbortSignal: ${signalInstead(value)}`);
  }
};

function signalInstead(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'string') return 'state a length of time as timeout';
  const isController = typeof value === 'object' && value !== null && 'signal' in value && 'abort' in value;
  return isController ? 'pass the signal of this AbortController' : 'pass the signal of an AbortController';
}

/** Refuses arguments that a function does not take: they would do nothing. @throws InvalidSettingError */
export function nothingMore(more: readonly unknown[], next: string): void {
  if (!isOfMap(more) && more.some((one) => one !== undefined))
    throw new InvalidSettingError('arguments', `are too many: ${next}`);
}

/** `calls.map(f)` hands on the index and the list, which state nothing. */
export const isOfMap = ([index, list]: readonly unknown[]): boolean => typeof index === 'number' && Array.isArray(list);

/** The check of each setting of `Options`: none can be forgotten. */
export type Checks<Options> = { readonly [Name in keyof Required<Options>]: Check };

/**
 * Checks every setting that is stated. A name that is no setting is refused: it would do nothing. One that is undefined states nothing.
 * @param of names the options as a whole
 * @throws InvalidSettingError that names the first wrong one
 */
export function checkSettings<Options extends object>(
  given: Options,
  checks: Checks<Options>,
  { required = [], of = 'options' }: { readonly required?: readonly (keyof Options)[]; readonly of?: string } = {},
): void {
  record(given, of);
  checkFields(given, checks, required, '');
}

/**
 * An object of which every stated field passes, as of a list of settings. A name that is no field is refused, too. The error names the field, as in
 * `tools[2].severity`.
 */
export const objectOf =
  <Options extends object>(checks: Checks<Options>, required: readonly (keyof Options)[] = []): Check =>
  (value, setting) => {
    record(value, setting);
    checkFields(value as object, checks, required, `${setting}.`);
  };

function checkFields<Options extends object>(
  given: object,
  checks: Checks<Options>,
  required: readonly (keyof Options)[],
  within: string,
): void {
  for (const name of Object.keys(given))
    if (!Object.hasOwn(checks, name) && Reflect.get(given, name) !== undefined)
      throw new InvalidSettingError(`${within}${name}`, `is no setting: there are ${Object.keys(checks).join(', ')}`);
  for (const [name, check] of Object.entries<Check>(checks)) {
    const value: unknown = Reflect.get(given, name);
    if (value !== undefined || required.includes(name as keyof Options)) check(value, `${within}${name}`);
  }
}
