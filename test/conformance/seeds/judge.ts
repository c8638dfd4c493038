/** Judges one case of a seed: runs its interpreter, compares, and fails what was not read. */
import type { Fields } from '../fields.ts';
import { reading } from '../reading.ts';
import { mismatches } from './matching.ts';
import { Uninterpretable } from './uninterpretable.ts';

export interface SeedCase {
  readonly id: string;
  readonly seed: number;
  readonly feature: string;
  readonly given: Fields;
  readonly expect: Fields;
}

export interface Interpreted {
  readonly passed: boolean;
  readonly expected: unknown;
  readonly got: unknown;
}

export type Interpreter = (given: Fields, expected: Fields) => Fields | Promise<Fields>;
/** Every expectation that does not hold, in words. */
type Comparison = (expected: Fields, got: Fields, given: Fields) => string[];

/** A case that cannot be interpreted has failed; an error of the product is an observation. */
export async function judge(
  { feature, given, expect }: SeedCase,
  interpreters: Readonly<Record<string, Interpreter>>,
  compare: Comparison = mismatches,
): Promise<Interpreted> {
  const [asked, wanted] = [reading(given), reading(expect)];
  const interpret = Object.hasOwn(interpreters, feature) ? interpreters[feature] : undefined;
  try {
    if (!interpret) throw new Uninterpretable(`feature ${feature}`);
    const startedAt = performance.now();
    const observed = await observations(interpret, asked.fields, wanted.fields);
    const got: Fields = { ...observed, wall_ms: performance.now() - startedAt };
    const problems = [
      ...compare(wanted.fields, got, asked.fields),
      ...asked.unread().map((key) => `given.${key}: nobody read it`),
      ...wanted.unread().map((key) => `expect.${key}: nobody read it`),
    ];
    return { passed: problems.length === 0, expected: expect, got: problems.length === 0 ? got : { ...got, problems } };
  } catch (error) {
    return { passed: false, expected: expect, got: { error: String(error) } };
  }
}

async function observations(interpret: Interpreter, given: Fields, expected: Fields): Promise<Fields> {
  try {
    return await interpret(given, expected);
  } catch (error) {
    // `error: true`: throws or refuses. Any other case is about something else.
    if (error instanceof Uninterpretable || !Object.hasOwn(expected, 'error')) throw error;
    return { error: isObject(error) ? errorFields(error) : { message: String(error) } };
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const errorFields = (error: object): Fields => ({
  ...(isObject((error as Fields)['details']) ? (error as { details: Fields }).details : {}),
  ...error,
  name: (error as Error).name,
  message: (error as Error).message,
});
