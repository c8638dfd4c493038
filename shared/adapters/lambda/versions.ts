/** Reads which package and which policy each function of a gate was deployed with. */
import { GetFunctionConfigurationCommand, type LambdaClient } from '@aws-sdk/client-lambda';

export interface FunctionVersion {
  /** Within the gate, such as `evaluate`. */
  readonly name: string;
  readonly version: string;
  readonly policyVersion: string;
  /** When it was last changed. */
  readonly since?: string;
}

/** In the order of their names. The same words begin the log of each of its processes. */
export async function versionsOf(client: LambdaClient, functions: readonly string[]): Promise<FunctionVersion[]> {
  const read = await Promise.all(
    functions.map(async (FunctionName) => {
      const { Environment, LastModified } = await client.send(new GetFunctionConfigurationCommand({ FunctionName }));
      if (Environment?.Error) throw new Error('the environment of a function cannot be decrypted');
      const { GATE_FUNCTION, COUNTERSIGN_VERSION, POLICY_VERSION } = Environment?.Variables ?? {};
      return {
        name: GATE_FUNCTION ?? FunctionName,
        version: COUNTERSIGN_VERSION ?? 'unknown',
        policyVersion: POLICY_VERSION ?? 'unknown',
        ...(LastModified ? { since: LastModified } : {}),
      };
    }),
  );
  return read.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
