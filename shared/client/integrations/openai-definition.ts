/** Declares the definition of an OpenAI tool, before and after it is put behind the gate. */
import type { StandardSchema } from '../../domain/standard-schema.ts';
import type { ToolInput } from './common/checked-edit.ts';
import type { ErrorFunction } from './openai-failure.ts';

/** The SDK's details of one call. */
export interface OpenAIToolDetails {
  readonly toolCall?: { readonly callId: string };
  readonly signal?: AbortSignal;
}

/** A definition as `tool` takes it. `execute` gets the arguments that the permit is for. */
export interface OpenAIToolDefinition<Parameters> {
  readonly name: string;
  readonly description: string;
  readonly parameters: Parameters;
  readonly execute: (input: ToolInput<Parameters>, context?: never, details?: OpenAIToolDetails) => unknown;
  readonly errorFunction?: ErrorFunction | null | undefined;
  readonly outputSchema?: unknown;
}

/**
 * A definition for `tool`, behind the gate. The types do not say that an output may be words of the gate. The literals of a JSON schema, as
 * `type: 'object'`, stay what they are.
 */
export type GatedDefinition<
  Parameters,
  Definition,
  Output = Definition extends { readonly execute: (...given: never[]) => infer Own } ? Awaited<Own> : never,
  Words = Definition extends { readonly outputSchema: object } ? Output : string,
> = Omit<Definition, 'parameters' | 'outputSchema' | 'needsApproval' | 'execute' | 'errorFunction'> & {
  readonly [Name in keyof Definition & 'outputSchema']: WritableSchema<Definition[Name]>;
} & {
  readonly parameters: WritableSchema<Parameters>;
  readonly needsApproval: (context: unknown, input: unknown, callId?: string) => Promise<boolean>;
  readonly execute: (input: unknown, context?: unknown, details?: OpenAIToolDetails) => Promise<Output>;
  readonly errorFunction: (context: unknown, error: unknown, details?: unknown) => Promise<Words> | Words;
};

/** A schema as the SDK takes it: of JSON, one that is not read-only. */
export type WritableSchema<Schema> = Schema extends StandardSchema
  ? Schema
  : { -readonly [Key in keyof Schema]: WritableSchema<Schema[Key]> };
