/** Refuses one secret in the place of both of Slack's, by which whoever posts could vote. */
import { Stack, Token } from 'aws-cdk-lib';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import type { CountersignProps } from './props.ts';

/** Three functions read the token, and one the secret that Slack signs with. @throws Error that names the prop. */
export function checkSecrets(scope: Construct, { slackSecret, slackSigningSecret }: CountersignProps): void {
  if (slackSecret && slackSigningSecret && areOne(slackSecret, slackSigningSecret, scope))
    throw new Error(
      'slackSigningSecret: is the secret of slackSecret, and whoever reads the bot token there could vote as anyone: ' +
        'make a secret of its own for signingSecret, and take it out of the other one',
    );
}

/** By name or ARN, because an app may import one secret twice. */
const areOne = (one: ISecret, other: ISecret, scope: Construct): boolean =>
  (isKnown(one.secretName) && one.secretName === other.secretName) ||
  JSON.stringify(Stack.of(scope).resolve(one.secretArn)) === JSON.stringify(Stack.of(scope).resolve(other.secretArn));

const isKnown = (name: string): boolean => !Token.isUnresolved(name);
