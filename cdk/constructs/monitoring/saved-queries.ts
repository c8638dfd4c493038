/** Saves queries of CloudWatch Logs Insights over the logs of all functions. */
import { CfnQueryDefinition } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { GateFunction } from '../functions/gate-function.ts';

/** By their names in the console, after the deployment's. */
const QUERIES = {
  'one proposal': [
    '# Write the id of a proposal, a decision (pid) or a message in the place of ID.',
    'fields @timestamp, function, message, fault, operation, slackError, @message',
    'filter @message like "ID"',
    'sort @timestamp',
    'limit 1000',
  ],
  'one agent': [
    "# Write the agent's name in the place of AGENT.",
    'fields @timestamp, function, message, proposalId, pid, fault, operation',
    'filter agent = "AGENT" or agentId = "AGENT"',
    'sort @timestamp',
    'limit 1000',
  ],
  'faults by kind': [
    '# A metric line has a fault and no message.',
    'filter ispresent(fault) and ispresent(message)',
    'stats count(*) as faults, min(@timestamp) as first, max(@timestamp) as last by function, fault, operation, version',
    'sort faults desc',
  ],
  'slow functions': [
    '# Each run tells its time; Lambda tells that of one that it ended.',
    'filter ispresent(runMs) or (type = "platform.report" and record.status in ["timeout", "failure"])',
    'fields coalesce(runMs, record.metrics.durationMs) as ms',
    'stats pct(ms, 99) as p99Ms, max(ms) as longestMs, max(memoryMb) as mostMb, count(*) as runs by @log',
    'sort p99Ms desc',
  ],
  versions: [
    '# Every process begins with such a line.',
    'filter message = "started"',
    'stats min(@timestamp) as first, max(@timestamp) as last, count(*) as processes by function, version, policyVersion',
    'sort first desc',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export class SavedQueries extends Construct {
  constructor(scope: Construct, id: string, deployment: string, functions: readonly GateFunction[]) {
    super(scope, id);
    const logGroupNames = functions.map(({ logGroup }) => logGroup.logGroupName);
    for (const [name, [first = '', ...rest]] of Object.entries<readonly string[]>(QUERIES))
      new CfnQueryDefinition(this, name.replaceAll(' ', '-'), {
        name: `${deployment}/${name}`,
        queryString: first.startsWith('#') ? `${first}\n${rest.join('\n| ')}` : [first, ...rest].join('\n| '),
        logGroupNames,
      });
  }
}
