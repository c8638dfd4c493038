/**
 * Makes a Slack workspace with the people and channels of a policy file.
 *
 * Approvers of the policy file approve here, too.
 */
import type { LocalSlackOptions, SlackUser } from '../../test/local/slack/types.ts';
import { SLACK_SCOPES } from '../adapters/slack/check-token.ts';
import type { PolicyFile } from '../config/schema/policy-file.ts';

const BOT = 'U0COUNTERSIGN';

/** Names what the policy names, and one person who is in no group. `secrets` are of this run only. */
export function workspaceOf(
  policy: PolicyFile,
  appId: string,
  secrets: { signingSecret: string; botToken: string },
): LocalSlackOptions {
  const teamId = Object.values(policy.channels)[0]?.team ?? 'T0LOCAL';
  const people: SlackUser[] = Object.entries(policy.people).map(([name, person]) => ({
    id: person.user,
    name,
    realName: person.name,
    ...(person.team === teamId ? {} : { teamId: person.team }),
  }));
  const stranger: SlackUser = { id: 'U0STRANGER', name: 'sam', realName: 'Sam Stranger' };
  const users = [...people, stranger, { id: BOT, name: 'countersign', realName: 'Countersign', isBot: true }];
  const channels = Object.entries(policy.channels).map(([name, { id }]) => ({
    id,
    name,
    members: users.map((user) => user.id),
  }));
  return {
    ...secrets,
    appId,
    appName: 'Countersign',
    teamId,
    teamName: 'Local workspace',
    botUserId: BOT,
    // The scopes of the manifest and no others: a call that needs one more fails here too.
    scopes: SLACK_SCOPES,
    users,
    channels,
    rateLimits: true,
    commands: [{ command: '/countersign', description: 'What waits for you' }],
  };
}
