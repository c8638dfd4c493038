/**
 * Finds the deployed functions by their verb.
 *
 * Reads their configuration and rights, and calls them directly as root.
 */
import {
  DeleteFunctionConcurrencyCommand,
  GetFunctionConcurrencyCommand,
  GetFunctionConfigurationCommand,
  InvokeCommand,
  PutFunctionConcurrencyCommand,
  UpdateFunctionConfigurationCommand,
  waitUntilFunctionUpdatedV2,
} from '@aws-sdk/client-lambda';
import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import type { GateFunctionName } from '../../../cdk/constructs/functions/function-names.ts';
import { e2eGate } from '../gate.ts';
import { resource } from './resources.ts';

/** Only a hang reaches it. */
const UPDATE_SECONDS = 120;

interface DeployedFunction {
  readonly name: string;
  readonly role: string;
  readonly environment: Readonly<Record<string, string>>;
}

function nameOf(verb: GateFunctionName): Promise<string> {
  const id = verb.replace(/(^|-)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
  return resource('AWS::Lambda::Function', `Gate${id}Function`);
}

export async function functionNamed(verb: GateFunctionName): Promise<DeployedFunction> {
  const { root } = await e2eGate();
  const name = await nameOf(verb);
  const { Role = '', Environment } = await root.lambda.send(
    new GetFunctionConfigurationCommand({ FunctionName: name }),
  );
  return { name, role: Role.split('/').at(-1) ?? '', environment: Environment?.Variables ?? {} };
}

/** The key of the digests that this deployment stores. */
export async function digestKeyOfGate(): Promise<Uint8Array> {
  const { root } = await e2eGate();
  const { environment } = await functionNamed('redeem');
  const SecretId = environment['DIGEST_KEY_SECRET'] ?? '';
  const { SecretString = '' } = await root.secrets.send(new GetSecretValueCommand({ SecretId }));
  return Buffer.from(SecretString);
}

/** Calls a function and waits for its answer; `error` is the name of what it threw. */
export async function invoke(
  verb: GateFunctionName,
  event: unknown,
): Promise<{ readonly answer: unknown; readonly error: string | undefined }> {
  const { root } = await e2eGate();
  const result = await root.lambda.send(
    new InvokeCommand({ FunctionName: await nameOf(verb), Payload: JSON.stringify(event) }),
  );
  const answer: unknown = JSON.parse(Buffer.from(result.Payload ?? []).toString() || 'null');
  const failed = result.FunctionError !== undefined;
  return { answer, error: failed ? String((answer as { errorType?: string } | null)?.errorType) : undefined };
}

/**
 * While `work` runs, the function looks for something where it is not: a fault on every endpoint, also where no rights are enforced. The environment
 * is restored when the work ends, however it ends.
 */
export async function misled<Result>(
  verb: GateFunctionName,
  variables: Readonly<Record<string, string>>,
  work: () => Promise<Result>,
): Promise<Result> {
  const { root } = await e2eGate();
  const { name: FunctionName, environment } = await functionNamed(verb);
  const unknown = Object.keys(variables).filter((variable) => environment[variable] === undefined);
  if (unknown.length) throw new Error(`${verb} reads no ${unknown.join(', ')}`);
  const put = async (Variables: Record<string, string>) => {
    await root.lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Environment: { Variables } }));
    await updated(FunctionName);
  };
  await put({ ...environment, ...variables });
  try {
    return await work();
  } finally {
    await put(environment);
  }
}

/** Ends the idle processes of a function, so that the next one reads its secrets anew. `id` is its logical id, without the hash. */
export async function renewed(id: string): Promise<void> {
  const { root } = await e2eGate();
  const FunctionName = await resource('AWS::Lambda::Function', id);
  const { Environment } = await root.lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
  await root.lambda.send(
    new UpdateFunctionConfigurationCommand({ FunctionName, Environment: { Variables: Environment?.Variables ?? {} } }),
  );
  await updated(FunctionName);
}

/** Waits for the end of an update: until then the function runs as it was before. */
export async function updated(FunctionName: string): Promise<void> {
  const { root } = await e2eGate();
  const waiter = { client: root.lambda, maxWaitTime: UPDATE_SECONDS, minDelay: 0.1, maxDelay: 0.5 };
  await waitUntilFunctionUpdatedV2(waiter, { FunctionName });
}

/** While `work` runs, the function takes at most so many requests at once: each more is a process here. The rest is told to come again. */
export async function atMost<Result>(
  most: number,
  verb: GateFunctionName,
  work: () => Promise<Result>,
): Promise<Result> {
  const { root } = await e2eGate();
  const { name: FunctionName } = await functionNamed(verb);
  const { ReservedConcurrentExecutions: before } = await root.lambda.send(
    new GetFunctionConcurrencyCommand({ FunctionName }),
  );
  const put = (ReservedConcurrentExecutions: number) =>
    root.lambda.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions }));
  await put(most);
  try {
    return await work();
  } finally {
    if (before === undefined) await root.lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }));
    else await put(before);
  }
}
