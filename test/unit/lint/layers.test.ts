/** `npm run lint` keeps the imports pointing one way, without a circle of files or folders. */
import { expect, test } from 'vitest';
import { circlesOf, importProblems, LAYERS } from '../../lint/layers.ts';

const problemsOf = (files: Readonly<Record<string, string>>): string[] =>
  importProblems(new Map(Object.entries(files)));

test('imports with the layers are fine, of types, of values and again exported', () => {
  expect(
    problemsOf({
      'shared/contract/a.ts': "import { z } from 'zod';\n",
      'shared/domain/b.ts': "import type { A } from '../contract/a.ts';\nexport * from './c.ts';\n",
      'shared/domain/c.ts': '',
      'shared/adapters/sqs/d.ts':
        "import { SQSClient } from '@aws-sdk/client-sqs';\nimport { b } from '../../domain/b.ts';\n",
    }),
  ).toEqual([]);
});

test.each([
  [
    'a lower layer that imports a higher one',
    'shared/domain/a.ts',
    "import type { B } from '../ports/b.ts';\n",
    'shared/ports/b.ts',
  ],
  ['the same, exported', 'shared/contract/a.ts', "export { b } from '../domain/b.ts';\n", 'shared/domain/b.ts'],
  [
    'the same, loaded late',
    'shared/permissions/a.ts',
    "const b = await import('../adapters/b.ts');\n",
    'shared/adapters/b.ts',
  ],
  [
    'the same, over several lines',
    'shared/ports/a.ts',
    "import {\n  b,\n} from '../config/b.ts';\n",
    'shared/config/b.ts',
  ],
])('%s is a problem', (_name, file, text, target) => {
  expect(problemsOf({ [file]: text, [target]: '' })).toHaveLength(1);
});

test.each(['@aws-sdk/client-sqs', '@slack/web-api', 'ai', 'aws-cdk-lib/aws-sqs', '@anthropic-ai/sdk'])(
  'a layer without I/O loads no %s',
  (name) => {
    expect(problemsOf({ 'shared/domain/a.ts': `import { x } from '${name}';\n` })).toHaveLength(1);
  },
);

test('files that import each other are a circle, types included', () => {
  const files = {
    'shared/domain/a.ts': "import type { B } from './b.ts';\n",
    'shared/domain/b.ts': "import { c } from './c.ts';\n",
    'shared/domain/c.ts': "import { a } from './a.ts';\n",
    'shared/domain/d.ts': "import { a } from './a.ts';\n",
  };
  expect(problemsOf(files)).toEqual([
    'files that import each other: shared/domain/a.ts shared/domain/b.ts shared/domain/c.ts',
  ]);
});

test('folders that import each other are a circle, and an entry that exports what stands below it is none', () => {
  const files = {
    'shared/domain/x/a.ts': "import { b } from '../y/b.ts';\n",
    'shared/domain/x/c.ts': '',
    'shared/domain/y/b.ts': '',
    'shared/domain/y/d.ts': "import { c } from '../x/c.ts';\n",
    'shared/domain/index.ts': "export { c } from './x/c.ts';\n",
  };
  expect(problemsOf(files)).toEqual(['folders that import each other: shared/domain/x shared/domain/y']);
});

test('two circles that share nothing are two', () => {
  const graph = new Map(
    Object.entries({ a: ['b'], b: ['a', 'c'], c: ['d'], d: ['c'] }).map(([k, v]) => [k, new Set(v)]),
  );
  expect(circlesOf(graph)).toEqual([
    ['c', 'd'],
    ['a', 'b'],
  ]);
});

test('the local Slack imports nothing of the gate', () => {
  const up = (folders: number) => '../'.repeat(folders);
  const files = {
    'test/local/slack/web-api/a.ts': `import { b } from '${up(4)}shared/domain/b.ts';\n`,
    'test/local/slack/page/c.ts': "import { a } from '../web-api/a.ts';\nimport { ROOT } from '../../browser.ts';\n",
    'shared/domain/b.ts': '',
  };
  expect(problemsOf(files)).toEqual([
    'test/local/slack/web-api/a.ts: test/local/slack does not import shared/domain/b.ts',
    'test/local/slack/page/c.ts: test/local/slack does not import test/local/browser.ts',
  ]);
});

test('the table names each folder of shared once', () => {
  const folders = LAYERS.map(({ folder }) => folder);
  expect(new Set(folders).size).toBe(folders.length);
});
