/**
 * Gives a test the credentials of every role of the deployed stack.
 *
 * A thief of these credentials could do what a test tries with them.
 */
import { GetRoleCommand, type IAMClient, UpdateAssumeRolePolicyCommand } from '@aws-sdk/client-iam';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { clientConfig } from '../../local/endpoint/index.ts';
import { e2eGate } from '../gate.ts';
import { type Clients, clientsOf } from '../rights/attempt.ts';

export interface StolenRole extends Clients {
  /** The logical id without the CDK's hash, such as `GateSlackRole`. */
  readonly name: string;
}

/** All roles that the stack made, whatever they are for. */
export async function stolenRoles(): Promise<readonly StolenRole[]> {
  const { root, resources } = await e2eGate();
  const roles = (await resources()).filter(({ ResourceType }) => ResourceType === 'AWS::IAM::Role');
  return Promise.all(
    roles.map(async ({ LogicalResourceId = '', PhysicalResourceId = '' }) => ({
      name: LogicalResourceId.replace(/[0-9A-F]{8}$/, ''),
      ...(await clientsWith(PhysicalResourceId, root.iam)),
    })),
  );
}

/** Lambda's roles trust Lambda alone: the account's root makes them trust itself, as nobody else could. */
async function clientsWith(RoleName: string, iam: IAMClient): Promise<Clients> {
  const { endpoint } = await e2eGate();
  const { Role } = await iam.send(new GetRoleCommand({ RoleName }));
  const trusted = JSON.parse(decodeURIComponent(Role?.AssumeRolePolicyDocument ?? '{}')) as { Statement: unknown[] };
  const itself = { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { AWS: 'arn:aws:iam::000000000000:root' } };
  const PolicyDocument = JSON.stringify({ ...trusted, Statement: [...trusted.Statement, itself] });
  await iam.send(new UpdateAssumeRolePolicyCommand({ RoleName, PolicyDocument }));
  const sts = new STSClient(clientConfig(endpoint));
  const { Credentials } = await sts.send(new AssumeRoleCommand({ RoleArn: Role?.Arn, RoleSessionName: 'stolen' }));
  sts.destroy();
  const credentials = {
    accessKeyId: Credentials?.AccessKeyId ?? '',
    secretAccessKey: Credentials?.SecretAccessKey ?? '',
    sessionToken: Credentials?.SessionToken ?? '',
  };
  return clientsOf({ ...clientConfig(endpoint), credentials });
}
