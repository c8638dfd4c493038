/** Puts together what drawing a card takes: stores, the bot's client, the names of the policy file. */
import { dynamoCardLists } from '../../shared/adapters/dynamodb/approvals/card-lists.ts';
import { dynamoVoteHistory } from '../../shared/adapters/dynamodb/approvals/vote-history.ts';
import { DynamoRateLimits } from '../../shared/adapters/dynamodb/guardrails/rate-limits.ts';
import { checkSlack, scopesNeeded } from '../../shared/adapters/slack/check-token.ts';
import { slackDirectory } from '../../shared/adapters/slack/directory.ts';
import type { Drawing } from '../../shared/adapters/slack/posting/drawing.ts';
import { SlackProblemError } from '../../shared/adapters/slack/posting/errors.ts';
import { type SlackPoster, slackPoster } from '../../shared/adapters/slack/posting/poster.ts';
import { sqsCardQueue } from '../../shared/adapters/sqs/outbox.ts';
import { systemClock } from '../../shared/ports/clock.ts';
import type { PeopleDirectory } from '../../shared/ports/people.ts';
import { audienceOf } from '../../shared/use-cases/approvals/voting/audience.ts';
import { namesWorkspace } from '../../shared/use-cases/people/seats.ts';
import { dynamo } from '../runtime/clients/aws.ts';
import { isUnfilled } from '../runtime/clients/secrets.ts';
import type { Cached, SlackToken } from '../runtime/clients/slack-secrets.ts';
import { sqs } from '../runtime/clients/sqs.ts';
import type { Env } from '../runtime/env.ts';
import { lazy } from '../runtime/lazy.ts';
import { policyNames } from '../runtime/policy-file.ts';
import { count } from '../runtime/telemetry/observe.ts';
import { storesOf } from '../runtime/wiring/stores.ts';

export function drawingOf(env: Env<'slackOut'>, secrets: Cached<SlackToken>): () => Promise<Drawing> {
  const parts = lazy(() => ({
    approvals: storesOf(env).approvals,
    delegations: storesOf(env).delegations,
    history: dynamoVoteHistory(dynamo(), { state: env.STATE_TABLE }),
    clock: systemClock,
    cards: sqsCardQueue(sqs(), env.CARD_QUEUE_URL),
    rates: new DynamoRateLimits({ client: dynamo(), table: env.STATE_TABLE, now: systemClock.now }),
    lists: dynamoCardLists(dynamo(), { state: env.STATE_TABLE }),
    newCards: {
      burst: Number(env.NEW_CARDS_BURST),
      perMinute: Number(env.NEW_CARDS_PER_MINUTE),
      listFrom: Number(env.NEW_CARDS_LIST_FROM),
    },
  }));

  /** One directory for each token, so that its answers are cached. */
  let directories: { readonly token: string; readonly directory: PeopleDirectory } | undefined;
  function directoryOf(token: string): PeopleDirectory {
    if (directories?.token !== token)
      directories = { token, directory: slackDirectory(token, env.SLACK_API_URL, systemClock, secrets.refresh) };
    return directories.directory;
  }

  async function drawing(): Promise<Drawing> {
    const { botToken, unfilled } = await tokenNow(secrets);
    const { names, people } = policyNames();
    const directory = directoryOf(botToken);
    const dependencies = {
      policy: people,
      people: directory,
      delegations: parts().delegations,
      clock: systemClock,
    };
    return {
      ...parts(),
      poster: unfilled ? posterWithout(unfilled) : slackPoster(botToken, env.SLACK_API_URL, secrets.refresh),
      names,
      // Slack is asked nothing without a token.
      people: unfilled ? undefined : directory,
      shown: (delayMs) => count('CardDelay', delayMs),
      audienceOf: unfilled ? undefined : (approval) => audienceOf(approval, dependencies),
      async checkSlack() {
        let isReached = false;
        try {
          if (unfilled) throw unfilled;
          const needs = {
            scopes: scopesNeeded(people.settings),
            isOurs: (workspace: string) => namesWorkspace(workspace, people),
          };
          await checkSlack(botToken, env.SLACK_API_URL, needs, secrets.refresh);
          isReached = true;
        } finally {
          count('SlackReachable', isReached ? 1 : 0);
        }
      },
      async drawHome(person) {
        if (unfilled) throw unfilled;
        // Loaded with the first Home: most of these functions draw cards alone.
        const { drawHomeOf } = await import('./home-without-request.ts');
        await drawHomeOf(person, env, { botToken, people: directory, onTokenRefused: secrets.refresh });
      },
    };
  }

  return drawing;
}

/** Without a token each post fails as Slack would refuse it: the row, the alarms and `doctor` then say what to mend. */
async function tokenNow(secrets: Cached<SlackToken>) {
  try {
    return { botToken: (await secrets.get()).botToken, unfilled: undefined };
  } catch (error) {
    if (!isUnfilled(error)) throw error;
    return { botToken: '', unfilled: new SlackProblemError('not_authed', { cause: error }) };
  }
}

function posterWithout(problem: SlackProblemError): SlackPoster {
  const refuse = () => Promise.reject(problem);
  return { post: refuse, update: refuse, reply: refuse, announce: refuse, message: refuse };
}
