/** Checks that the tests left out on LocalStack exist. */
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { DIFFERENCES } from '../../local/localstack/differences.ts';

const FILES = globSync('test/{local,e2e}/**/*.test.ts');

test.each(DIFFERENCES.map(({ test: name }) => name))(
  'a test left out on LocalStack is one that there is: %s',
  (name) => {
    const [file = '', ...names] = name.split(' > ');
    const path = FILES.find((one) => basename(one) === file);
    const text = path ? readFileSync(path, 'utf8') : '';
    expect(path).toBeDefined();
    expect(names.filter((part) => !text.includes(part.replaceAll("'", "\\'")) && !text.includes(part))).toEqual([]);
  },
);
