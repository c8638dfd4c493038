/** Asks Slack whether it takes the app's token, of which workspace that is, and what scopes lack. */
import { type AuthTestResponse, WebClient } from '@slack/web-api';
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

interface SlackNeeds {
  readonly scopes: readonly string[];
  /** Whether the policy file names people or channels of this workspace. */
  readonly isOurs: (workspace: string) => boolean;
}

/** @throws the errors of a post that fails: SlackBusyError, SlackProblemError with `missing_scope`, `other_workspace`, `token_refused` or `down` */
export async function checkSlack(
  token: string,
  slackApiUrl: string | undefined,
  { scopes, isOurs }: SlackNeeds,
  onTokenRefused?: OnTokenRefused,
): Promise<void> {
  const answer = await askAbout(token, slackApiUrl, onTokenRefused);
  const { team_id: workspace, enterprise_id: organisation } = answer;
  // Each channel would be unknown to Slack, as one that was deleted. Workspaces of one organisation share channels.
  if (workspace !== undefined && !organisation && !isOurs(workspace)) throw new SlackProblemError('other_workspace');
  if (missingIn(answer, scopes).length) throw new SlackProblemError('missing_scope');
}

export async function missingScopes(
  token: string,
  slackApiUrl: string | undefined,
  needed: readonly string[],
): Promise<string[]> {
  return missingIn(await askAbout(token, slackApiUrl), needed);
}

const askAbout = (token: string, slackApiUrl: string | undefined, onTokenRefused?: OnTokenRefused) => {
  const client = new WebClient(token, clientOptions(slackApiUrl, onTokenRefused));
  return heeding(() => client.auth.test());
};

/** Slack states the scopes with each answer; without that statement none is known to be missing. */
function missingIn({ response_metadata: about }: AuthTestResponse, needed: readonly string[]): string[] {
  const scopes = about?.scopes;
  return scopes?.length ? needed.filter((scope) => !scopes.includes(scope)) : [];
}
