/** Checks that saved queries ask all functions for fields that lines have, and where outputs lead. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CfnOutput } from 'aws-cdk-lib';
import type { Context } from 'aws-lambda';
import { describe, expect, inject, test } from 'vitest';
import { CountersignStack } from '../../../cdk/countersign-stack.ts';
import { logFault } from '../../../functions/runtime/telemetry/observe.ts';
import { withTelemetry } from '../../../functions/runtime/telemetry/with-telemetry.ts';
import { logged } from '../../functions/support/logged.ts';
import { newApp } from '../support/new-app.ts';
import { APP_ID, POLICY, ROOT } from '../support/run-app.ts';
import { all, type TemplateJson, target } from '../support/template.ts';

const production = JSON.parse(inject('production')) as TemplateJson;
const development = JSON.parse(inject('development')) as TemplateJson;

interface Query {
  readonly Name: string;
  readonly QueryString: string;
  readonly LogGroupNames: readonly unknown[];
}
const queries = all<Query>(production, 'AWS::Logs::QueryDefinition').map(({ properties }) => properties);

/** Names of fields: not those of the service, nor those that a query makes, nor words of the language. */
const WORDS =
  /^(?:as|asc|by|coalesce|count|desc|fields|filter|first|in|ispresent|last|latest|like|limit|longestMs|max|min|mostMb|ms|or|and|p99Ms|pct|processes|runs|sort|stats|faults)$/;
const fieldsOf = ({ QueryString }: Query) =>
  QueryString.replaceAll(/^#.*$/gm, '')
    .replaceAll(/"[^"]*"|@\w+/g, '')
    .match(/[A-Za-z][\w.]*/g)
    ?.filter((word) => !WORDS.test(word)) ?? [];

describe('saved queries', () => {
  test.each(queries)('$Name looks at every function', ({ LogGroupNames }) => {
    const groups = all<{ LoggingConfig: { LogGroup: unknown } }>(production, 'AWS::Lambda::Function').map(
      ({ properties }) => target(properties.LoggingConfig.LogGroup),
    );
    expect(LogGroupNames.map(target).toSorted()).toEqual(groups.toSorted());
    // The service takes no more.
    expect(groups.length).toBeLessThanOrEqual(50);
  });

  test('ask for fields that lines have', async () => {
    const context = { awsRequestId: 'r1', getRemainingTimeInMillis: () => 60_000 } as Context;
    const slackError = { code: 'slack_webapi_platform_error', data: { error: 'msg_too_long' } };
    const ids = { pid: 'a', proposalId: 'p', agent: 'builder' };
    const lines = await logged(() =>
      withTelemetry(async () => logFault('x', Object.assign(new Error('x'), slackError), ids))({}, context),
    );
    const known = new Set([...lines.flatMap(Object.keys), 'operation', 'agentId', 'type']);
    for (const field of ['metrics.durationMs', 'status']) known.add(`record.${field}`);
    expect(queries.flatMap(fieldsOf).filter((field) => !known.has(field))).toEqual([]);
    expect(queries.flatMap(fieldsOf)).toEqual(expect.arrayContaining(['fault', 'version', 'policyVersion', 'agent']));
  });

  test('are named in the runbook, and the local endpoints, which have none, are spared them', () => {
    const runbook = readFileSync(join(ROOT, 'docs/runbook.md'), 'utf8');
    const names = queries.map(({ Name }) => Name.replace('Gate-Test/', ''));
    expect(names.length).toBeGreaterThan(3);
    expect(names.filter((name) => !runbook.includes(`\`${name}\``))).toEqual([]);
    expect(all(development, 'AWS::Logs::QueryDefinition')).toEqual([]);
  });
});

test('outputs lead to the dashboard and to the dead letters of each queue', () => {
  const { Outputs = {} } = production;
  expect(JSON.stringify(Outputs['DashboardUrl']?.Value)).toMatch(/cloudwatch.*GateDashboard/);
  const dead = all(production, 'AWS::SQS::Queue').flatMap(
    ({ id }) => /^GateQueues(\w+Dead)[0-9A-F]{8}$/.exec(id)?.[1] ?? [],
  );
  expect(dead.length).toBe(8);
  for (const name of dead) expect(target(Outputs[`${name}QueueUrl`]?.Value)).toMatch(new RegExp(`^GateQueues${name}`));
});

test.each([
  ['eu-west-1', 'console.aws.amazon.com'],
  ['us-gov-west-1', 'console.amazonaws-us-gov.com'],
  ['cn-north-1', 'console.amazonaws.cn'],
  ['eusc-de-east-1', 'console.amazonaws-eusc.eu'],
])('in the console of its partition: %s', (region, host) => {
  const env = { account: '111122223333', region };
  const stack = new CountersignStack(newApp(), 'Gate', { policyFile: POLICY, slackAppId: APP_ID, env });
  const [url] = stack.node.findAll().filter((one) => one instanceof CfnOutput && one.node.id === 'DashboardUrl');
  expect((url as CfnOutput | undefined)?.value).toMatch(`https://${host}/cloudwatch/home?region=${region}#`);
});
