/** Reads where each function writes its log. */
import { GetFunctionConfigurationCommand, type LambdaClient } from '@aws-sdk/client-lambda';

interface FunctionLog {
  /** Within the gate, such as `evaluate`. */
  readonly name: string;
  readonly group: string;
}

export const logGroupsOf = (client: LambdaClient, functions: readonly string[]): Promise<FunctionLog[]> =>
  Promise.all(
    functions.map(async (FunctionName) => {
      const { Environment, LoggingConfig } = await client.send(new GetFunctionConfigurationCommand({ FunctionName }));
      return {
        name: Environment?.Variables?.['GATE_FUNCTION'] ?? FunctionName,
        group: LoggingConfig?.LogGroup ?? `/aws/lambda/${FunctionName}`,
      };
    }),
  );
