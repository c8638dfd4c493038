/** Reads the settings of the checks from the environment alone. */
import { STACK_SETTINGS, type StackSetting } from '../../domain/aws/stack-settings.ts';
import type { Io } from '../support/io.ts';

export const stated = (name: StackSetting, { env }: Io): string | undefined =>
  env[STACK_SETTINGS[name].variable] || undefined;

/** @throws Error without the setting: no alarm would be found under an empty name. */
export function deploymentOf(io: Io): string {
  const name = stated('deployment', io);
  if (name === undefined) throw new Error(`${STACK_SETTINGS.deployment.variable} is not set`);
  return name;
}
