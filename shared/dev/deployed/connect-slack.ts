/** Connects a deployed gate with the local Slack: the secret of the one, the addresses of the other. */
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { LocalSlack } from '../../../test/local/slack/server.ts';
import { clientConfig, type Endpoint } from '../aws/endpoint.ts';
import { localFunctionUrl } from '../aws/function-url.ts';

/** A function that starts on a busy machine may take longer than Slack's three seconds: then it is tried again, as a person would. */
const MAX_TRIES = 20;

interface SlackSecrets {
  readonly signingSecret: string;
  readonly botToken: string;
}

/** @throws Error if the function does not answer Slack's challenge */
export async function connectSlack(
  endpoint: Endpoint,
  slack: LocalSlack,
  {
    secretArn,
    signingSecretArn,
    requestUrl,
    secrets,
  }: {
    readonly secretArn: string;
    /** Absent: a release before had one secret for both. */
    readonly signingSecretArn: string | undefined;
    readonly requestUrl: string;
    readonly secrets: SlackSecrets;
  },
): Promise<void> {
  const client = new SecretsManagerClient(clientConfig(endpoint));
  const put = (SecretId: string, fields: Partial<SlackSecrets>) =>
    client.send(new PutSecretValueCommand({ SecretId, SecretString: JSON.stringify(fields) }));
  const { botToken, signingSecret } = secrets;
  await put(secretArn, signingSecretArn ? { botToken } : secrets);
  if (signingSecretArn) await put(signingSecretArn, { signingSecret });
  client.destroy();
  const url = localFunctionUrl(endpoint, requestUrl);
  slack.setRequestUrl(url);
  slack.setCommandsUrl(url);
  for (let tried = 0; tried < MAX_TRIES; tried++) if (await slack.setEventsUrl(url)) return;
  throw new Error('the function does not answer the challenge of an events URL');
}
