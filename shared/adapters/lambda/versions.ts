/** Reads which package and policy each function runs, and the share of each while calls shift. */
import {
  GetAliasCommand,
  GetFunctionConfigurationCommand,
  type LambdaClient,
  ResourceNotFoundException,
} from '@aws-sdk/client-lambda';
import { LIVE_ALIAS } from '../../config/live-alias.ts';

export interface FunctionVersion {
  /** Within the gate, such as `evaluate`. */
  readonly name: string;
  readonly version: string;
  readonly policyVersion: string;
  /** When it was last changed. */
  readonly since?: string;
  /** From 0 to 1, the calls that go to it while calls shift from one version to another; absent: all. */
  readonly share?: number;
}

/** In the order of their names; a function whose calls shift is there once for each version. The same words begin the log of each process. */
export async function versionsOf(client: LambdaClient, functions: readonly string[]): Promise<FunctionVersion[]> {
  const read = await Promise.all(
    functions.map(async (FunctionName) => {
      const taking = await takingCalls(client, FunctionName);
      return Promise.all(taking.map((one) => versionOf(client, FunctionName, one)));
    }),
  );
  return read.flat().toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : (b.share ?? 1) - (a.share ?? 1)));
}

interface Taking {
  /** A published version; absent: the function has no alias, and runs as it was deployed last. */
  readonly qualifier?: string;
  readonly share?: number;
}

/** The versions that callers reach. Without an alias the newest code is the only one. */
async function takingCalls(client: LambdaClient, FunctionName: string): Promise<readonly Taking[]> {
  try {
    const alias = await client.send(new GetAliasCommand({ FunctionName, Name: LIVE_ALIAS }));
    const { FunctionVersion: main, RoutingConfig } = alias;
    if (main === undefined) return [{}];
    const shifted = Object.entries(RoutingConfig?.AdditionalVersionWeights ?? {}).filter(([, share]) => share > 0);
    if (!shifted.length) return [{ qualifier: main }];
    const rest = shifted.reduce((left, [, share]) => left - share, 1);
    return [
      ...(rest > 0 ? [{ qualifier: main, share: rounded(rest) }] : []),
      ...shifted.map(([qualifier, share]) => ({ qualifier, share: rounded(share) })),
    ];
  } catch (error) {
    // Nobody is granted to ask for an alias where there can be none, nor by a gate of an older release.
    if (error instanceof ResourceNotFoundException || (error as Error).name === 'AccessDeniedException') return [{}];
    throw error;
  }
}

const rounded = (share: number): number => Number(share.toFixed(4));

async function versionOf(
  client: LambdaClient,
  FunctionName: string,
  { qualifier, share }: Taking,
): Promise<FunctionVersion> {
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
    ...(share === undefined ? {} : { share }),
  };
}
