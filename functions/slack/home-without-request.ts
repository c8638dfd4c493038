/** Draws the App Home of a person outside of any request, as once new cards ask them something. */
import { WebClient } from '@slack/web-api';
import { pendingApprovals } from '../../shared/adapters/dynamodb/approvals/pending-approvals.ts';
import { dynamoVoteHistory } from '../../shared/adapters/dynamodb/approvals/vote-history.ts';
import { sessionsOf } from '../../shared/adapters/dynamodb/sessions/session-store.ts';
import { clientOptions, type OnTokenRefused } from '../../shared/adapters/slack/posting/client-options.ts';
import type { Person } from '../../shared/contract/index.ts';
import { systemClock } from '../../shared/ports/clock.ts';
import type { PeopleDirectory } from '../../shared/ports/people.ts';
import { dynamo } from '../runtime/clients/aws.ts';
import type { Env } from '../runtime/env.ts';
import { policy } from '../runtime/policy.ts';
import { storesOf } from '../runtime/wiring/stores.ts';
import type { HomeDependencies } from './dependencies.ts';
import { drawHome } from './draw-home.ts';

/** App Home reads so many sessions of an agent, the last changed first. Older ones hardly hold a grant that still counts. */
export const MAX_SESSIONS = 200;

export async function drawHomeOf(
  person: Person,
  env: Env<'slackOut'>,
  {
    botToken,
    people,
    onTokenRefused,
  }: { readonly botToken: string; readonly people: PeopleDirectory; readonly onTokenRefused: OnTokenRefused },
): Promise<void> {
  const { approvals, delegations, control } = storesOf(env);
  const listening: HomeDependencies = {
    deps: { policy: policy(), approvals, delegations, people, clock: systemClock },
    ...homeReadersOf(env),
    control: () => control.read(),
  };
  const client = new WebClient(botToken, clientOptions(env.SLACK_API_URL, onTokenRefused));
  await drawHome(person, { client, listening });
}

/** Reads of App Home that take nothing but the table. */
export const homeReadersOf = ({ STATE_TABLE: state }: { readonly STATE_TABLE: string }) => ({
  history: dynamoVoteHistory(dynamo(), { state }),
  pending: (groups: readonly string[]) => pendingApprovals(dynamo(), state, groups),
  sessions: (agent: string) => sessionsOf(dynamo(), state, agent, MAX_SESSIONS),
});
