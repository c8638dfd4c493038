/**
 * Answers Slack's requests.
 * The raw bytes are verified before anything else is loaded or parsed; only then comes Bolt.
 */
import type { LambdaFunctionURLEvent, LambdaFunctionURLResult } from 'aws-lambda';
import { systemClock } from '../shared/ports/clock.ts';
import { slackSecrets } from './runtime/clients/slack-secrets.ts';
import { readEnv } from './runtime/env.ts';
import { withTelemetry } from './runtime/telemetry/with-telemetry.ts';
import { answerVerified } from './slack/verify-request.ts';

const env = readEnv('slack');
const secrets = slackSecrets({ token: env.SLACK_SECRET, signing: env.SLACK_SIGNING_SECRET }, systemClock);

export const handler = withTelemetry<LambdaFunctionURLEvent, LambdaFunctionURLResult>(
  answerVerified({
    secrets,
    clock: systemClock,
    async answer(request) {
      const { answer } = await import('./slack/app.ts');
      const { botToken } = await secrets.get();
      return await answer(request, env, botToken, secrets.refresh);
    },
  }),
);
