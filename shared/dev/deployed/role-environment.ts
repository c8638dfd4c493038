/** Makes the environment in which a process has a role's rights on the local endpoint, and no others. */
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { AGENT_VARIABLE, STACK_SETTINGS, type StackSetting } from '../../domain/aws/stack-settings.ts';
import { childEnvironment, clientConfig, type Endpoint } from '../aws/endpoint.ts';
import type { Variables } from '../env-files.ts';

/** A working day; locally there is nothing to protect, and nobody who would renew the keys. */
const SESSION_SECONDS = 12 * 3600;

/** Keys of a role, as a process of its holder would get them on AWS. */
export async function roleKeys(endpoint: Endpoint, roleArn: string, session: string): Promise<Variables> {
  const client = new STSClient(clientConfig(endpoint));
  const assume = { RoleArn: roleArn, RoleSessionName: session.replace(/[^\w+=,.@-]/g, '-').slice(0, 60) };
  const { Credentials: given } = await client.send(
    new AssumeRoleCommand({ ...assume, DurationSeconds: SESSION_SECONDS }),
  );
  client.destroy();
  return {
    AWS_ACCESS_KEY_ID: given?.AccessKeyId,
    AWS_SECRET_ACCESS_KEY: given?.SecretAccessKey,
    AWS_SESSION_TOKEN: given?.SessionToken,
  };
}

/** For an env file: the endpoint for AWS's own tools, the role's keys, and these settings of the gate. */
export function roleVariables(
  endpoint: Endpoint,
  keys: Variables,
  settings: Readonly<Partial<Record<StackSetting, string>>>,
  agent?: string,
): Variables {
  const wanted = Object.entries(childEnvironment(endpoint)).filter(([name]) =>
    /^(?:AWS_|NODE_EXTRA_CA_CERTS$|no_proxy$)/i.test(name),
  );
  const stated = Object.entries(STACK_SETTINGS).map(([name, { variable }]) => [
    variable,
    settings[name as StackSetting],
  ]);
  return { ...Object.fromEntries(wanted), ...keys, ...Object.fromEntries(stated), [AGENT_VARIABLE]: agent };
}
