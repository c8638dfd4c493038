/**
 * Identifies the sender of a message: SQS's id, looked up among the registered ones.
 * Nothing in the body is believed.
 */
import { roleOf } from '../domain/aws/sender.ts';

export interface Registry {
  /** Name of the agent (or operator) behind a unique id; undefined if it is registered as none. */
  nameOf(senderId: string): Promise<string | undefined>;
}

/** An account id: a root user, or any caller of an endpoint without IAM. */
const ACCOUNT = /^\d{12}$/;

/**
 * SQS gives `AIDA…` for users and `AROA…:session` for roles. A whole value wins over a role's id, so that a role that several
 * people share can be told apart by session.
 */
export async function resolveSender(
  senderId: string,
  registry: Registry,
  options: { readonly accountsAllowed: boolean },
): Promise<string | undefined> {
  if (ACCOUNT.test(senderId) && !options.accountsAllowed) return undefined;
  const whole = await registry.nameOf(senderId);
  if (whole !== undefined || !senderId.includes(':')) return whole;
  return registry.nameOf(roleOf(senderId));
}

/** Stands in the audit for senders that are registered as nobody; no agent can have this name. */
export const UNREGISTERED = '-unregistered';
