/** Has a bundle use our own small clients of AWS where functions and adapters import the SDK's. */
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

const FOLDER = ['shared', 'adapters', 'aws', 'signed'] as const;
/** The file of each service in that folder, by the end of its package's name. Lambda and S3 speak another protocol. */
const FILES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    dynamodb: 'dynamodb',
    eventbridge: 'eventbridge',
    kms: 'kms',
    'secrets-manager': 'secrets-manager',
    sfn: 'step-functions',
    sqs: 'sqs',
    ssm: 'ssm',
  }),
);
/** Loads the SDK itself, for what the small clients do not do. */
const KEEPS_SDK = /[\\/]node_modules[\\/]|[\\/]aws[\\/]signed[\\/]/;

export const signedClients: Plugin = {
  name: 'signed-clients',
  setup({ initialOptions, onResolve }) {
    const folder = join(initialOptions.absWorkingDir ?? '', ...FOLDER);
    onResolve({ filter: /^@aws-sdk\/client-[\w-]+$/ }, ({ path, importer }) => {
      const file = FILES.get(path.slice('@aws-sdk/client-'.length));
      return file === undefined || KEEPS_SDK.test(importer) ? undefined : { path: join(folder, `${file}.ts`) };
    });
  },
};
