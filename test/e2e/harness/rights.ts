/** Takes rights away from a role and gives them back, through IAM as an administrator would. */
import {
  AttachRolePolicyCommand,
  DeleteRolePolicyCommand,
  DetachRolePolicyCommand,
  GetPolicyCommand,
  GetPolicyVersionCommand,
  GetRoleCommand,
  GetRolePolicyCommand,
  type IAMClient,
  ListAttachedRolePoliciesCommand,
  ListRolePoliciesCommand,
  PutRolePolicyCommand,
} from '@aws-sdk/client-iam';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import type { GateFunctionName } from '../../../cdk/constructs/functions/function-names.ts';
import { e2eGate } from '../gate.ts';
import { functionNamed, renewed } from './functions.ts';
import { deadLetterUrl, type QueueName, resources } from './resources.ts';

interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource?: string | readonly string[];
  readonly Condition?: unknown;
}

/** IAM's unique id of a role: what SQS's SenderId begins with. */
export async function roleIdOf(arn: string): Promise<string> {
  const { root } = await e2eGate();
  const { Role } = await root.iam.send(new GetRoleCommand({ RoleName: arn.split('/').at(-1) ?? '' }));
  return Role?.RoleId ?? '';
}

/**
 * Takes `action` away from a function while `work` runs; with `rows`, only on that row type of the state table. Other rights stay. The removed ones
 * are back when the work ends, however it ends.
 */
export async function without<Result>(
  verb: GateFunctionName,
  action: string,
  work: () => Promise<Result>,
  rows?: string,
): Promise<Result> {
  const { root } = await e2eGate();
  const { role: RoleName } = await functionNamed(verb);
  const before = await policiesOf(root.iam, RoleName);
  const put = (PolicyName: string, document: unknown) =>
    root.iam.send(new PutRolePolicyCommand({ RoleName, PolicyName, PolicyDocument: JSON.stringify(document) }));
  let taken = 0;
  for (const [name, document] of before) {
    const Statement = document.Statement.flatMap((statement) => {
      if (rows !== undefined && !JSON.stringify(statement.Condition ?? '').includes(`"${rows}`)) return [statement];
      const actions = [statement.Action].flat();
      const kept = actions.filter((one) => one !== action);
      if (kept.length < actions.length) taken++;
      return kept.length ? [{ ...statement, Action: kept }] : [];
    });
    await put(name, { ...document, Statement });
  }
  try {
    if (!taken) throw new Error(`${verb} has no right ${action} ${rows ?? ''}`);
    return await work();
  } finally {
    for (const [name, document] of before) await put(name, document);
  }
}

/** Actions that a function may take by its own policies. */
export async function rightsOf(verb: GateFunctionName): Promise<string[]> {
  const { root } = await e2eGate();
  const { role } = await functionNamed(verb);
  const statements = (await policiesOf(root.iam, role)).flatMap(([, document]) => document.Statement);
  return [...new Set(statements.flatMap(({ Action }) => Action))];
}

/** A function remembers for a while what it reads with these. */
const REMEMBERED = /\b(secretsmanager|ssm|kms):|\balias#/;

/**
 * Takes one statement away from each of some roles of the stack, as the template names both. Other statements stay.
 * @returns gives it back
 */
export async function withoutStatement({
  of,
  statement,
}: {
  readonly of: readonly { readonly role: string; readonly policy: string; readonly place: number }[];
  /** The text of it. */
  readonly statement: string;
}): Promise<() => Promise<void>> {
  const taken = await Promise.all(of.map((one) => withoutOne({ ...one, statement })));
  return async () => {
    await Promise.all(taken.map((restore) => restore()));
  };
}

async function withoutOne(of: {
  readonly role: string;
  readonly policy: string;
  readonly place: number;
  readonly statement: string;
}): Promise<() => Promise<void>> {
  const { iam } = (await e2eGate()).root;
  const RoleName = (await resources('AWS::IAM::Role')).get(of.role) ?? '';
  const [, verb] = /^Gate(\w+)Role$/.exec(of.role) ?? [];
  const forgets = verb !== undefined && REMEMBERED.test(of.statement);
  const forget = async () => (forgets ? renewed(`Gate${verb}Function`) : undefined);
  const inline = (await policiesOf(iam, RoleName)).find(([name]) => name === of.policy);
  if (!inline) {
    const restore = await withoutManaged(iam, RoleName, of);
    await forget();
    return async () => {
      await restore();
      await forget();
    };
  }
  const [PolicyName, document] = inline;
  const put = (text: unknown) =>
    iam.send(new PutRolePolicyCommand({ RoleName, PolicyName, PolicyDocument: JSON.stringify(text) }));
  const Statement = document.Statement.filter((_, place) => place !== of.place);
  await (Statement.length
    ? put({ ...document, Statement })
    : iam.send(new DeleteRolePolicyCommand({ RoleName, PolicyName })));
  await forget();
  return async () => {
    await put(document);
    await forget();
  };
}

/** Without one statement of a managed policy: the role has its others by a policy of its own meanwhile. */
async function withoutManaged(
  iam: IAMClient,
  RoleName: string,
  { policy, place }: { readonly policy: string; readonly place: number },
): Promise<() => Promise<void>> {
  const { AttachedPolicies = [] } = await iam.send(new ListAttachedRolePoliciesCommand({ RoleName }));
  const found = AttachedPolicies.find(({ PolicyName = '' }) => PolicyName.includes(policy.slice(0, -8)));
  if (!found) throw new Error(`${RoleName} has no policy ${policy}`);
  const { PolicyArn } = found;
  const { Policy } = await iam.send(new GetPolicyCommand({ PolicyArn }));
  const version = new GetPolicyVersionCommand({ PolicyArn, VersionId: Policy?.DefaultVersionId });
  const { PolicyVersion } = await iam.send(version);
  const document = JSON.parse(decodeURIComponent(PolicyVersion?.Document ?? '')) as { Statement: Statement[] };
  const Statement = document.Statement.filter((_, index) => index !== place);
  const others = { RoleName, PolicyName: 'Others' };
  if (Statement.length)
    await iam.send(new PutRolePolicyCommand({ ...others, PolicyDocument: JSON.stringify({ ...document, Statement }) }));
  await iam.send(new DetachRolePolicyCommand({ RoleName, PolicyArn }));
  return async () => {
    await iam.send(new AttachRolePolicyCommand({ RoleName, PolicyArn }));
    if (Statement.length) await iam.send(new DeleteRolePolicyCommand(others));
  };
}

/**
 * Gives a role of the stack on other resources what it has on its own.
 *
 * @param otherOf the other resource for one of the role's, if there is one
 * @returns takes it away again
 */
export async function alsoOn(
  role: string,
  otherOf: (resource: string) => string | undefined,
): Promise<() => Promise<void>> {
  const { iam } = (await e2eGate()).root;
  const RoleName = (await resources('AWS::IAM::Role')).get(role) ?? '';
  const Statement = (await policiesOf(iam, RoleName)).flatMap(([, document]) =>
    document.Statement.flatMap((statement) => {
      const Resource = [statement.Resource ?? []].flat().flatMap((resource) => otherOf(resource) ?? []);
      return Resource.length ? [{ ...statement, Resource }] : [];
    }),
  );
  if (!Statement.length) throw new Error(`${role} has no right on such a resource`);
  const policy = { RoleName, PolicyName: 'AlsoOn' };
  const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement });
  await iam.send(new PutRolePolicyCommand({ ...policy, PolicyDocument }));
  return async () => void (await iam.send(new DeleteRolePolicyCommand(policy)));
}

const SETS_ASIDE = new Set<string>();

/** Lets a role of an agent or an operator put messages among the dead letters of a queue, where SQS names it as their sender. */
export async function maySetAside(roleArn: string, queue: QueueName): Promise<void> {
  const { root } = await e2eGate();
  const RoleName = roleArn.split('/').at(-1) ?? '';
  const PolicyName = `SetsAside${queue}`;
  const key = `${RoleName} ${PolicyName}`;
  if (SETS_ASIDE.has(key)) return;
  const QueueUrl = await deadLetterUrl(queue);
  const read = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] });
  const Resource = (await root.sqs.send(read)).Attributes?.['QueueArn'];
  const Statement = [{ Effect: 'Allow', Action: 'sqs:SendMessage', Resource }];
  const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement });
  await root.iam.send(new PutRolePolicyCommand({ RoleName, PolicyName, PolicyDocument }));
  SETS_ASIDE.add(key);
}

async function policiesOf(iam: IAMClient, RoleName: string) {
  const { PolicyNames = [] } = await iam.send(new ListRolePoliciesCommand({ RoleName }));
  const policies: [string, { readonly Statement: readonly Statement[] }][] = [];
  for (const PolicyName of PolicyNames) {
    const { PolicyDocument = '' } = await iam.send(new GetRolePolicyCommand({ RoleName, PolicyName }));
    policies.push([PolicyName, JSON.parse(decodeURIComponent(PolicyDocument)) as { Statement: Statement[] }]);
  }
  return policies;
}
