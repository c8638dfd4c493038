/**
 * Asks over HTTP: posts the proposal with its alternatives, and takes the answer from the response. The request is signed, so that the
 * receiver can trust it. An unclear answer is thrown, and counts as a refusal.
 */
import * as z from 'zod';
import type { Action, ActionSpace, AgentSnapshot } from '../../contract/action-space.ts';
import { CountersignError } from '../../domain/errors.ts';
import { readIJson } from '../../domain/raw-json.ts';
import { signedHeaders } from '../../domain/webhook-signature.ts';
import { type ApprovalChannel, ApprovalResult } from '../../policies/approval-channel.ts';
import { type Clock, systemClock } from '../../ports/clock.ts';

/** Settings of `WebhookApprovalChannel`. */
export interface WebhookChannelOptions {
  /** Milliseconds that the receiver has to answer; after them it has timed out. */
  readonly timeoutMs: number;
  /** Signs `v1:<seconds>:<body>` with HMAC-SHA-256, in `x-countersign-signature: v1=<hex>`. */
  readonly secret?: string | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly clock?: Clock | undefined;
}

/** The answer was no 2xx, or no clear one. `code`: webhook_refused, webhook_unclear. */
export class WebhookChannelError extends CountersignError {
  override readonly name = 'WebhookChannelError';
}

const MAX_ANSWER = 64 * 1024;
const who = { by: z.string().max(300).optional() };
const answer = z.discriminatedUnion('decision', [
  z.object({ decision: z.literal('approved'), ...who }),
  z.object({ decision: z.literal('rejected'), reason: z.string().max(1000).optional(), ...who }),
  z.object({ decision: z.literal('substitute'), index: z.int().nonnegative(), ...who }),
  z.object({ decision: z.literal('timeout') }),
]);

/**
 * Posts `{ proposed, action_space, snapshot }`. Throws `WebhookChannelError`, and what fetch throws; a RangeError or TypeError for options that are none.
 *
 * @example
 * const webhook = new WebhookApprovalChannel('https://approvals.example/ask', { timeoutMs: 180_000, secret: 'shared with the receiver' });
 * console.log(new HumanInTheLoopPolicy(new FirstAvailablePolicy(), webhook, 180_000));
 */
export class WebhookApprovalChannel implements ApprovalChannel {
  readonly #url: string;
  readonly #options: WebhookChannelOptions;

  constructor(url: string, options: WebhookChannelOptions) {
    const { protocol } = new URL(url);
    if (protocol !== 'https:' && protocol !== 'http:') throw new RangeError('a webhook is an http or https address');
    if (!(options.timeoutMs > 0)) throw new RangeError('timeoutMs must be above zero');
    if (options.secret === '') throw new RangeError('the secret is empty');
    this.#url = url;
    this.#options = options;
  }

  async requestApproval(
    proposed: Action,
    actionSpace: ActionSpace,
    snapshot: AgentSnapshot,
    noLonger?: AbortSignal,
  ): Promise<ApprovalResult> {
    const { secret, clock = systemClock, fetch: send = globalThis.fetch, timeoutMs } = this.#options;
    const body = JSON.stringify({ proposed, action_space: actionSpace, snapshot });
    const headers =
      secret === undefined ? { 'content-type': 'application/json' } : signedHeaders(secret, clock.now(), body);
    const late = AbortSignal.timeout(timeoutMs);
    const signal = noLonger ? AbortSignal.any([late, noLonger]) : late;
    let text: string;
    try {
      const response = await send(this.#url, { method: 'POST', headers, body, signal, redirect: 'error' });
      if (!response.ok) throw new WebhookChannelError('webhook_refused', `the webhook answered ${response.status}`);
      text = await response.text();
    } catch (error) {
      if (late.aborted) return ApprovalResult.Timeout;
      throw error;
    }
    return resultOf(text, actionSpace);
  }
}

function resultOf(text: string, { actions }: ActionSpace): ApprovalResult {
  const read = readIJson(text, MAX_ANSWER);
  const parsed = answer.safeParse(read.ok ? read.value : undefined);
  if (!parsed.success) throw new WebhookChannelError('webhook_unclear', 'the webhook gave no clear answer');
  const said = parsed.data;
  switch (said.decision) {
    case 'approved':
      return { type: 'approved', by: said.by };
    case 'rejected':
      return { type: 'rejected', by: said.by, reason: said.reason };
    case 'timeout':
      return ApprovalResult.Timeout;
    case 'substitute': {
      // By its place in the space, so that nothing else of it can be another.
      const action = actions[said.index];
      if (!action) throw new WebhookChannelError('webhook_unclear', 'the webhook named no action of the space');
      return { type: 'substitute', action, by: said.by };
    }
    default:
      return said satisfies never;
  }
}
