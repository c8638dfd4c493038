/** Declares a person behind any way to reach them: console, webhook, WebSocket, code. */

/** How long an approval holds: not at all, for these arguments, for the tool. */
export type ApprovalScope = 'Once' | 'Session' | 'SessionAllTools';

/** An approval before a tool runs, or free text that the agent needs. */
export interface HumanLoopRequest {
  readonly kind: 'approval' | 'input';
  readonly requestId: string;
  readonly prompt: string;
  readonly toolName?: string | undefined;
  readonly args?: unknown;
}

/** The end of a request: one of five answers of a person, `Timeout` without an answer, or `Deferred` for a later one. */
export type HumanLoopResponse =
  | { readonly kind: 'Approved' }
  | { readonly kind: 'ApprovedWithScope'; readonly scope: ApprovalScope }
  | { readonly kind: 'ModifiedArgs'; readonly args: unknown; readonly scope?: ApprovalScope | undefined }
  | { readonly kind: 'Rejected'; readonly reason?: string | undefined }
  | { readonly kind: 'Text'; readonly text: string }
  | { readonly kind: 'Timeout' }
  | { readonly kind: 'Deferred' };

/** The port of a way to reach a person: console, webhook, WebSocket, Slack, or a custom one. */
export interface HumanLoopProvider {
  /** @param options `signal` aborts when nobody waits for the answer any more: what the provider holds open, it lets go */
  request(
    request: HumanLoopRequest,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<HumanLoopResponse>;
}
