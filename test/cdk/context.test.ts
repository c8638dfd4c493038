/** Checks how the settings of a deployment are read, from cdk.json and from the command line. */
import { App, RemovalPolicy } from 'aws-cdk-lib';
import { describe, expect, test } from 'vitest';
import { contextOf } from '../../cdk/context.ts';
import { APP_ID } from './support/run-app.ts';

const settingsOf = (context: Record<string, unknown>) => contextOf(new App({ context }).node);

describe('settings of a deployment', () => {
  test('the Slack app is all that has to be said', () => {
    expect(settingsOf({ slackAppId: APP_ID })).toEqual({ policyFile: 'countersign.yaml', slackAppId: APP_ID });
  });

  test('from the command line all are text, in cdk.json they have types', () => {
    const typed = { removalPolicy: RemovalPolicy.DESTROY, slackConcurrency: 5 };
    expect(settingsOf({ slackAppId: APP_ID, development: 'true', slackConcurrency: '5' })).toMatchObject(typed);
    expect(settingsOf({ slackAppId: APP_ID, development: true, slackConcurrency: 5 })).toMatchObject(typed);
    expect(settingsOf({ slackAppId: APP_ID, development: 'false' })).not.toHaveProperty('removalPolicy');
    expect(settingsOf({ slackAppId: APP_ID, slackConcurrency: 'unreserved' })).toMatchObject({
      slackConcurrency: 'unreserved',
    });
  });

  test.each([
    ['slackAppId', undefined],
    ['slackAppId', 'U0NOTANAPP'],
    ['policyFile', ''],
    ['deployment', '1starts-with-a-digit'],
    ['deployment', 'x'.repeat(62)],
    ['slackApiUrl', 'slack'],
    ['development', 'perhaps'],
    ['slackConcurrency', '0'],
    ['alarmTopicArn', 'my-topic'],
    ['pageTopicArn', 'my-topic'],
    ['pageTopicArn', 'arn:aws:sns:eu-west-1:111122223333:page'],
    ['alarmTopicArn', 'arn:aws:sqs:eu-west-1:111122223333:queue'],
    ['archiveCopyArn', 'my-bucket'],
    ['archiveCopyArn', 'arn:aws:s3:::'],
    ['archiveLock', 'off'],
    ['archiveRetentionDays', '1y'],
    ['archiveRetentionDays', '183.5'],
    ['redeem', 'billing,'],
    ['redeem', 5],
    ['operatorPrincipals', 5],
    ['operatorPrincipals', '{"oncall":5}'],
    ['operatorPrincipals', ''],
    ['archiveKey', 'rsa'],
    ['logReaders', 'perhaps'],
    ['accountsAllowed', 'yes'],
  ])('%s %j is refused by name', (setting, value) => {
    const refused = () => settingsOf({ slackAppId: APP_ID, [setting]: value });
    expect(refused).toThrow(`context ${setting}`);
    // In words of ours: the schema library's begin so.
    expect(refused).not.toThrow(/Invalid|Too small|expected|not of a kind/);
  });

  test.each([
    ['archiveCopyArn', 'arn:aws:s3:::Copy_of_2014'],
    ['archiveCopyArn', 'arn:aws-us-gov:s3:::copy'],
    ['alarmTopicArn', 'arn:aws-cn:sns:cn-north-1:111122223333:on_call'],
  ])('%s %s is one', (setting, value) => {
    expect(settingsOf({ slackAppId: APP_ID, [setting]: value })).toHaveProperty(setting, value);
  });

  test('the app that nobody stated is asked for with the command', () => {
    expect(() => settingsOf({})).toThrow(
      'context slackAppId: must be the Slack app id, such as A0123ABCD: cdk deploy -c slackAppId=A0123ABCD',
    );
  });

  test('who may assume the roles is a list, or a list for each name, as text or typed', () => {
    const [one, two] = ['arn:aws:iam::111122223333:role/a', 'arn:aws:iam::111122223333:user/b'];
    const given = (operatorPrincipals: unknown) =>
      settingsOf({ slackAppId: APP_ID, operatorPrincipals }).operatorPrincipals;
    expect(given(`${one}, ${two}`)).toEqual([one, two]);
    expect(given([one, two])).toEqual([one, two]);
    expect(given(JSON.stringify({ oncall: one }))).toEqual({ oncall: [one] });
    expect(given({ oncall: [one, two] })).toEqual({ oncall: [one, two] });
    expect(() => given('{"oncall":')).toThrow('context operatorPrincipals: is no JSON');
    expect(() => given(7)).toThrow('context operatorPrincipals: ');
    expect(settingsOf({ slackAppId: APP_ID, auditorPrincipals: one }).auditorPrincipals).toEqual([one]);
  });

  test.each([
    ['operatorPrincipal', 'operatorPrincipals'],
    ['logreaders', 'logReaders'],
    ['developement', 'development'],
    ['archiveRetentionDay', 'archiveRetentionDays'],
    ['policy_file', 'policyFile'],
    ['alarm-topic-arn', 'alarmTopicArn'],
    ['stackname', 'stackName'],
    ['policy', 'policyFile'],
    ['appId', 'slackAppId'],
    ['eventBus', 'eventBusName'],
    ['alarmTopics', 'alarmTopicArn'],
    ['archiveRetention', 'archiveRetentionDays'],
    ['archiveCopy', 'archiveCopyArn'],
  ])('%s, which is near to %s, is refused: it would have no effect', (setting, nearest) => {
    expect(() => settingsOf({ slackAppId: APP_ID, [setting]: 'true' })).toThrow(
      `context ${setting}: there is no such setting; did you mean ${nearest}?`,
    );
    expect(() => settingsOf({ slackAppId: APP_ID, ownSetting: 'true', '@own/canaries': true })).not.toThrow();
  });

  test.each(['encryptionKey', 'logRetention', 'removalPolicy', 'slackSecret', 'slackSigningSecret'])(
    '%s, which no text can state, is refused',
    (prop) => {
      expect(() => settingsOf({ slackAppId: APP_ID, [prop]: 'x' })).toThrow(
        `context ${prop}: is a prop of the construct`,
      );
    },
  );

  test('keys of others are left to them', () => {
    const theirs = {
      'cli-telemetry': false,
      'acknowledged-issue-numbers': [1],
      account: '111122223333',
      stage: 'prod',
    };
    expect(() => settingsOf({ slackAppId: APP_ID, ...theirs })).not.toThrow();
  });

  test('every setting that is wrong is named at once', () => {
    expect(() => settingsOf({ development: 'perhaps' })).toThrow(/slackAppId[\s\S]*development/);
  });
});
