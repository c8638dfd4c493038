/** Asks Slack whether it takes the app's token, and which scopes are missing. */
import { WebClient } from '@slack/web-api';
import type { PolicyFile } from '../../config/schema/policy-file.ts';
import { clientOptions, type OnTokenRefused } from './posting/client-options.ts';
import { SlackProblemError } from './posting/errors.ts';
import { heeding } from './posting/poster.ts';

/** Cards, votes and the command need these whatever the policy file says. */
const ALWAYS = ['chat:write', 'commands', 'users:read'] as const;
const OF_USER_GROUPS = ['usergroups:read'] as const;
const OF_TASK_AGENT = ['im:history', 'app_mentions:read'] as const;

/** All that any policy file needs, as the manifest of docs/deploy.md asks for them. */
export const SLACK_SCOPES = [...ALWAYS, ...OF_USER_GROUPS, ...OF_TASK_AGENT];

export const scopesNeeded = ({ approvers, taskAgent }: Pick<PolicyFile, 'approvers' | 'taskAgent'>): string[] => [
  ...ALWAYS,
  ...(Object.values(approvers).some(({ userGroup }) => userGroup !== undefined) ? OF_USER_GROUPS : []),
  ...(taskAgent.agent === undefined ? [] : OF_TASK_AGENT),
];

/** @throws the errors of a post that fails: SlackBusyError, SlackProblemError with `missing_scope`, `token_refused` or `down` */
export async function checkSlack(
  token: string,
  slackApiUrl: string | undefined,
  needed: readonly string[],
  onTokenRefused?: OnTokenRefused,
): Promise<void> {
  const missing = await missingScopes(token, slackApiUrl, needed, onTokenRefused);
  if (missing.length) throw new SlackProblemError('missing_scope');
}

/** Slack states the scopes with each answer; without that statement none is known to be missing. */
export async function missingScopes(
  token: string,
  slackApiUrl: string | undefined,
  needed: readonly string[],
  onTokenRefused?: OnTokenRefused,
): Promise<string[]> {
  const client = new WebClient(token, clientOptions(slackApiUrl, onTokenRefused));
  const { response_metadata: about } = await heeding(() => client.auth.test());
  const scopes = about?.scopes;
  return scopes?.length ? needed.filter((scope) => !scopes.includes(scope)) : [];
}
