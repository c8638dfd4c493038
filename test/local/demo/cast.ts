/** Casts the demo: the first agent of a policy file, and people who may approve its calls. */
import type { PolicyDocument } from '../../../shared/config/document.ts';

export interface Cast {
  readonly agent: string;
  readonly channel: string;
  /** Slack ids of two people, or the same one twice where the group has no other. */
  readonly approvers: readonly [string, string];
  readonly tools: ReadonlySet<string>;
}

/** @throws Error if nobody of the file could approve. */
export function castOf({ policy }: PolicyDocument): Cast {
  const [[agent, { owner }] = ['', { owner: '' }]] = Object.entries(policy.agents);
  const usual = policy.approvals.approvers;
  const group = policy.approvers[usual ?? ''] ?? Object.values(policy.approvers)[0];
  const members = group?.members ?? Object.keys(policy.people);
  const [first, second = first] = members.filter((name) => name !== owner).map((name) => policy.people[name]?.user);
  if (!agent || !first || !second)
    throw new Error('the policy file names no agent, or nobody who may approve its calls');
  const channel = policy.channels[group?.channel ?? '']?.id ?? Object.values(policy.channels)[0]?.id ?? '';
  const ruled = JSON.stringify(policy.rules).match(/[A-Z][A-Za-z]+/g) ?? [];
  return { agent, channel, approvers: [first, second], tools: new Set([...Object.keys(policy.tools), ...ruled]) };
}
