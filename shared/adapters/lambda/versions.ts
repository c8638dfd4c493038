/** Reads which package and policy each function runs, and the share of each while calls shift. */
import {
  GetAliasCommand,
  GetFunctionConfigurationCommand,
  type LambdaClient,
  ResourceNotFoundException,
} from '@aws-sdk/client-lambda';
import { ENTRANCES, LIVE_ALIAS } from '../../config/live-alias.ts';

export interface FunctionVersion {
  /** Within the gate, such as `evaluate`. */
  readonly name: string;
  readonly version: string;
  readonly policyVersion: string;
  /** When it was last changed. */
  readonly since?: string;
  /** From 0 to 1, the calls that go to it while calls shift from one version to another; absent: all. */
  readonly share?: number;
  /** The alias may not be read: calls may go to another version than this one, the newest. */
  readonly aliasUnread?: true;
}

/** In the order of their names; a function whose calls shift is there once for each version. The same words begin the log of each process. */
export async function versionsOf(client: LambdaClient, functions: readonly string[]): Promise<FunctionVersion[]> {
  const read = await Promise.all(
    functions.map(async (FunctionName) => {
      const newest = await versionOf(client, FunctionName);
      if (!ENTRANCES.some((name) => name === newest.name)) return [newest];
      const taking = await takingCalls(client, FunctionName);
      if (taking === 'none') return [newest];
      if (taking === 'unread') return [{ ...newest, aliasUnread: true as const }];
      return Promise.all(
        taking.map(async ({ qualifier, share }) => ({
          ...(await versionOf(client, FunctionName, qualifier)),
          ...(share === undefined ? {} : { share }),
        })),
      );
    }),
  );
  return read.flat().toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : (b.share ?? 1) - (a.share ?? 1)));
}

interface Taking {
  /** A published version. */
  readonly qualifier: string;
  readonly share?: number;
}

/** The versions that callers reach; `none`: without an alias the newest code is the only one. */
async function takingCalls(client: LambdaClient, FunctionName: string): Promise<readonly Taking[] | 'none' | 'unread'> {
  try {
    const alias = await client.send(new GetAliasCommand({ FunctionName, Name: LIVE_ALIAS }));
    const { FunctionVersion: main, RoutingConfig } = alias;
    if (main === undefined) return 'none';
    const shifted = Object.entries(RoutingConfig?.AdditionalVersionWeights ?? {}).filter(([, share]) => share > 0);
    if (!shifted.length) return [{ qualifier: main }];
    const rest = shifted.reduce((left, [, share]) => left - share, 1);
    return [
      ...(rest > 0 ? [{ qualifier: main, share: rounded(rest) }] : []),
      ...shifted.map(([qualifier, share]) => ({ qualifier, share: rounded(share) })),
    ];
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return 'none';
    // A gate of an older release grants nobody to ask.
    if ((error as Error).name === 'AccessDeniedException') return 'unread';
    throw error;
  }
}

const rounded = (share: number): number => Number(share.toFixed(4));

async function versionOf(client: LambdaClient, FunctionName: string, qualifier?: string): Promise<FunctionVersion> {
  const { Environment, LastModified } = await client.send(
    new GetFunctionConfigurationCommand({ FunctionName, ...(qualifier === undefined ? {} : { Qualifier: qualifier }) }),
  );
  if (Environment?.Error) throw new Error('the environment of a function cannot be decrypted');
  const { GATE_FUNCTION, COUNTERSIGN_VERSION, POLICY_VERSION } = Environment?.Variables ?? {};
  return {
    name: GATE_FUNCTION ?? FunctionName,
    version: COUNTERSIGN_VERSION ?? 'unknown',
    policyVersion: POLICY_VERSION ?? 'unknown',
    ...(LastModified ? { since: LastModified } : {}),
  };
}
