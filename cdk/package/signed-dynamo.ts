/** Has a bundle use our own small client of DynamoDB where the adapters import the SDK's. */
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

/** Loads the SDK itself, for what the small client does not do. */
const KEEPS_SDK = /[\\/]node_modules[\\/]|[\\/]dynamodb[\\/]signed[\\/]/;

export const signedDynamo: Plugin = {
  name: 'signed-dynamo',
  setup({ initialOptions, onResolve }) {
    const path = join(initialOptions.absWorkingDir ?? '', 'shared', 'adapters', 'dynamodb', 'signed', 'index.ts');
    onResolve({ filter: /^@aws-sdk\/client-dynamodb$/ }, ({ importer }) =>
      KEEPS_SDK.test(importer) ? undefined : { path },
    );
  },
};
