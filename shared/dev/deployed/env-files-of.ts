/** Makes the env files of a deployed gate from the outputs of its stacks. */
import { join } from 'node:path';
import { settingsIn } from '../../../cdk/constructs/published-values.ts';
import {
  CLIENT_SETTINGS,
  REDEEMING_SETTINGS,
  SLACK_REQUEST_URL,
  STACK_SETTINGS,
  type StackSetting,
} from '../../domain/aws/stack-settings.ts';
import type { StackOutputs } from '../aws/deploy-stack.ts';
import type { Endpoint } from '../aws/endpoint.ts';
import { localFunctionUrl } from '../aws/function-url.ts';
import type { Variables } from '../env-files.ts';
import type { LocalAssembly } from './local-assembly.ts';
import { ADDED } from './local-template.ts';
import { roleKeys, roleVariables } from './role-environment.ts';

/** By name of the file, without its ending. Agents stand alone, operators and auditors each in a folder. */
export async function filesOf(
  endpoint: Endpoint,
  outputs: StackOutputs,
  { gateStack, actors }: Pick<LocalAssembly, 'gateStack' | 'actors'>,
): Promise<Readonly<Record<string, Variables>>> {
  const own = outputs[gateStack] ?? {};
  const settings = settingsIn(own[ADDED.settings] ?? '', own[ADDED.functions] ?? '');
  const requestUrl = { [SLACK_REQUEST_URL.variable]: localFunctionUrl(endpoint, own[ADDED.slackUrl] ?? '') };
  const files = await Promise.all(
    actors.map(async ({ kind, name, output, redeems, stack }) => {
      const keys = await roleKeys(endpoint, outputs[stack]?.[output] ?? '', name);
      if (kind !== 'agents')
        return [join(kind, name), { ...roleVariables(endpoint, keys, settings), ...requestUrl }] as const;
      const wanted = [...CLIENT_SETTINGS, ...(redeems ? REDEEMING_SETTINGS : [])];
      return [name, roleVariables(endpoint, keys, only(settings, wanted), name)] as const;
    }),
  );
  return Object.fromEntries(files);
}

const only = (settings: Readonly<Record<StackSetting, string>>, wanted: readonly StackSetting[]) =>
  Object.fromEntries(
    Object.keys(STACK_SETTINGS)
      .filter((name) => wanted.includes(name as StackSetting))
      .map((name) => [name, settings[name as StackSetting]]),
  );
