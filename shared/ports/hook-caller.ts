/** Takes a question to a permission hook and brings back what it answered, unread. */

/** An endpoint that is sent a signed request, or a Lambda function. */
export type HookTarget =
  | { readonly kind: 'url'; readonly url: string; readonly secret: string }
  | { readonly kind: 'function'; readonly name: string };

export interface HookCaller {
  /**
   * @param hook its name in the policy file
   * @param timeoutMs the time after which nobody waits for the answer
   * @throws whatever keeps the hook from answering: a status other than 2xx, a redirect, an error of the function, too long an answer.
   */
  call(target: HookTarget, body: string, signal: AbortSignal, hook: string, timeoutMs: number): Promise<string>;
}
