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
}

/** The parts of a definition that the gate replaces. */
interface GateParts {
  readonly needsApproval: (context: unknown, input: unknown, callId?: string) => Promise<boolean>;
  readonly execute: (input: unknown, context?: unknown, details?: OpenAIToolDetails) => Promise<unknown>;
  readonly errorFunction: (context: unknown, error: unknown) => Promise<string> | string;
}

/** The literals of a JSON schema, as `type: 'object'`, stay what they are. The SDK takes no read-only lists. */
export type GatedDefinition<Parameters, Definition> = Omit<Definition, keyof GateParts | 'parameters'> &
  GateParts & { readonly parameters: Parameters extends StandardSchema ? Parameters : Writable<Parameters> };

type Writable<Value> = { -readonly [Key in keyof Value]: Writable<Value[Key]> };
