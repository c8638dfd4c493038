/** Finds queues, buckets and functions of the stack that are no output, by their logical ids. */
import { ACCOUNT, REGION } from '../../local/endpoint/index.ts';
import { e2eGate } from '../gate.ts';

/** The physical id of the one resource of `type` whose logical id is `name` with the CDK's hash. */
export async function resource(type: string, name: string): Promise<string> {
  const StackResources = await (await e2eGate()).resources();
  const pattern = new RegExp(`^${name}[0-9A-F]{8}$`);
  const found = StackResources.filter(
    ({ ResourceType, LogicalResourceId = '' }) => ResourceType === type && pattern.test(LogicalResourceId),
  );
  const [only] = found;
  if (found.length !== 1 || !only?.PhysicalResourceId) {
    const known = StackResources.filter(({ ResourceType }) => ResourceType === type).map(
      (one) => one.LogicalResourceId,
    );
    throw new Error(`${found.length} resources ${type} are named ${name}; there are ${known.join(', ')}`);
  }
  return only.PhysicalResourceId;
}

/** All of one type that the stack made: their physical ids by their logical ones, without the CDK's hash. */
export async function resources(type: string): Promise<ReadonlyMap<string, string>> {
  const StackResources = await (await e2eGate()).resources();
  return new Map(
    StackResources.flatMap(({ ResourceType, LogicalResourceId = '', PhysicalResourceId = '' }) =>
      ResourceType === type ? [[LogicalResourceId.replace(/[0-9A-F]{8}$/, ''), PhysicalResourceId]] : [],
    ),
  );
}

/** Turns the name of a resource in a policy, as tests of the template read it, to the name that requests have for it. */
export async function physicalNames(): Promise<(resource: string) => string> {
  const StackResources = await (await e2eGate()).resources();
  const known = new Map(
    StackResources.map(({ LogicalResourceId = '', PhysicalResourceId = '' }) => [
      LogicalResourceId.replace(/[0-9A-F]{8}$/, ''),
      PhysicalResourceId,
    ]),
  );
  return (resource) => {
    // Resources of others have a whole ARN; the end of a secret's is random.
    const [, other] = /^arn:[^/]*?(?:function:|secret:|event-bus\/|parameter(?=\/))(.+)$/.exec(resource) ?? [];
    if (other !== undefined) return other.replace(/-\?{6}$/, '');
    // Models of Bedrock are asked by their ARN, of which a statement may leave the region open.
    if (/^arn:[^:]*::Partition:bedrock:/.test(resource))
      return resource
        .replace('AWS::Partition', 'aws')
        .replace('AWS::AccountId', ACCOUNT)
        .replace(':bedrock:*:', `:bedrock:${REGION}:`);
    const [name = '', ...path] = resource.split('/');
    const physical = known.get(name);
    if (physical === undefined) throw new Error(`the stack has no ${name}`);
    return [physical, ...path].join('/');
  };
}

export type QueueName =
  | 'Proposals'
  | 'Deferred'
  | 'Operators'
  | 'Cards'
  | 'Talk'
  | 'Executions'
  | 'Outcomes'
  | 'Webhooks';

export const queueUrl = (name: QueueName): Promise<string> => resource('AWS::SQS::Queue', `GateQueues${name}`);
export const deadLetterUrl = (name: QueueName): Promise<string> => resource('AWS::SQS::Queue', `GateQueues${name}Dead`);
