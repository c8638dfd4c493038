/** Declares the definition of an OpenAI tool, before and after it is put behind the gate. */
import type { StandardSchema } from '../../domain/standard-schema.ts';
import type { ToolInput } from './checked-edit.ts';
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
  readonly errorFunction?: ErrorFunction | undefined;
  readonly outputSchema?: unknown;
}

/** The parts of a definition that the gate replaces. The types do not say that an output may be words of the gate. */
interface GateParts<Output, Words> {
  readonly needsApproval: (context: unknown, input: unknown, callId?: string) => Promise<boolean>;
  readonly execute: (input: unknown, context?: unknown, details?: OpenAIToolDetails) => Promise<Output>;
  readonly errorFunction: (context: unknown, error: unknown) => Promise<Words> | Words;
}

/** The literals of a JSON schema, as `type: 'object'`, stay what they are. The SDK takes no read-only lists. */
export type GatedDefinition<Parameters, Definition> = Omit<
  Definition,
  keyof GateParts<unknown, unknown> | 'parameters'
> &
  GateParts<
    OutputOf<Definition>,
    Definition extends { readonly outputSchema: object } ? OutputOf<Definition> : string
  > & {
    readonly parameters: Parameters extends StandardSchema ? Parameters : Writable<Parameters>;
  };

type OutputOf<Definition> = Definition extends { readonly execute: (...given: never[]) => infer Output }
  ? Awaited<Output>
  : never;

type Writable<Value> = { -readonly [Key in keyof Value]: Writable<Value[Key]> };
