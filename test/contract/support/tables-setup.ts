/** Synthesises the gate's tables once for all files: each process would load the CDK for them. */
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import type { TestProject } from 'vitest/node';
import { GateTables } from '../../../cdk/constructs/data/tables.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Properties of the tables by their logical ids, as JSON text. */
    readonly tables: string;
  }
}

export type TableProperties = Pick<
  CreateTableCommandInput,
  'KeySchema' | 'AttributeDefinitions' | 'GlobalSecondaryIndexes' | 'BillingMode'
>;

export function setup({ provide }: TestProject): void {
  // Validating a template takes seconds; `test/cdk` does it.
  process.env['CDK_VALIDATION'] = 'false';
  const stack = new Stack(new App(), 'Tables');
  new GateTables(stack, 'Tables', { development: true, encryptionKey: undefined });
  const found = Template.fromStack(stack).findResources('AWS::DynamoDB::Table');
  provide(
    'tables',
    JSON.stringify(Object.fromEntries(Object.entries(found).map(([id, { Properties }]) => [id, Properties]))),
  );
}
