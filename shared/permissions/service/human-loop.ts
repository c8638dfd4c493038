/** Asks people: what a handler and a provider are given, and what they answer. */
import { fn, having } from '../../domain/settings.ts';
import type { ApprovalScope, HumanLoopProvider, HumanLoopRequest, HumanLoopResponse } from '../../ports/human-loop.ts';
import type { Severity, ToolPermission } from '../model/types.ts';

/** A call that a person is asked about. */
export interface PermissionRequest {
  readonly toolName: string;
  readonly toolInput: unknown;
  readonly requiredPermissions: readonly ToolPermission[];
  readonly riskLevel: Severity;
  readonly prompt: string;
  readonly suggestions: readonly string[];
  readonly context?: string | undefined;
  readonly requestId: string;
  readonly sessionId: string;
  readonly agentName: string;
}

export type { HumanLoopProvider, HumanLoopRequest, HumanLoopResponse };

/** A person's answer to a permission request. */
export type PermissionResponse =
  | { readonly kind: 'Allowed'; readonly scope?: ApprovalScope | undefined; readonly modifiedArgs?: unknown }
  | { readonly kind: 'Denied'; readonly reason?: string | undefined }
  | { readonly kind: 'NeedMoreInfo'; readonly question: string };

/** The port of people, who decide calls that the mode leaves to them. */
export interface PermissionRequestHandler {
  /** @param options `signal` aborts when nobody waits for the answer any more */
  handle(
    request: PermissionRequest,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<PermissionResponse>;
}

/** Time-out, deferral and free text are no approval. */
export function responseOf(answer: HumanLoopResponse): PermissionResponse {
  switch (answer.kind) {
    case 'Approved':
      return { kind: 'Allowed', scope: 'Once' };
    case 'ApprovedWithScope':
      return { kind: 'Allowed', scope: answer.scope };
    case 'ModifiedArgs':
      return { kind: 'Allowed', scope: answer.scope ?? 'Once', modifiedArgs: answer.args };
    case 'Rejected':
      return { kind: 'Denied', reason: answer.reason };
    case 'Timeout':
      return { kind: 'Denied', reason: 'Nobody answered in time.' };
    case 'Deferred':
      return { kind: 'Denied', reason: 'The decision was put off.' };
    case 'Text':
      return { kind: 'Denied', reason: answer.text };
    default:
      answer satisfies never;
      return { kind: 'Denied', reason: 'The answer is unknown.' };
  }
}

/** Lets a provider decide permission requests. */
export class ProviderRequestHandler implements PermissionRequestHandler {
  readonly #provider: HumanLoopProvider;

  constructor(provider: HumanLoopProvider) {
    having('request')(provider, 'provider');
    this.#provider = provider;
  }

  async handle(
    request: PermissionRequest,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<PermissionResponse> {
    const { requestId, prompt, toolName, toolInput } = request;
    const asked = { kind: 'approval', requestId, prompt, toolName, args: toolInput } as const;
    return responseOf(await this.#provider.request(asked, options));
  }
}

/** Answers a request in code; `undefined` is no answer. */
export type HumanLoopCallback = (
  request: HumanLoopRequest,
  options: { readonly signal?: AbortSignal | undefined },
) => HumanLoopResponse | undefined | Promise<HumanLoopResponse | undefined>;

/**
 * A provider whose requests code answers through a responder; one that is dropped counts as a rejection.
 *
 * @example
 * const provider = new CallbackHumanLoopProvider(({ toolName }) => (toolName === 'Read' ? { kind: 'Approved' } : undefined));
 * const service = new PermissionService({ requestHandler: new ProviderRequestHandler(provider) });
 * console.log(await service.decide('Read', { file_path: 'a.txt' }));
 */
export class CallbackHumanLoopProvider implements HumanLoopProvider {
  readonly #ask: HumanLoopCallback;

  constructor(ask: HumanLoopCallback) {
    fn(ask, 'ask');
    this.#ask = ask;
  }

  async request(
    request: HumanLoopRequest,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<HumanLoopResponse> {
    return (await this.#ask(request, options)) ?? { kind: 'Rejected', reason: 'Nobody answered.' };
  }
}
