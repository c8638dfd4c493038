/** Writes docs/policy-file.md; `npm run schemas` runs it. A test finds a page that is out of date. */
import { readFileSync, writeFileSync } from 'node:fs';
import { policyPage } from './page.ts';

const at = (path: string) => new URL(`../../../docs/${path}`, import.meta.url);

writeFileSync(at('policy-file.md'), policyPage(readFileSync(at('examples/policy-file.yaml'), 'utf8')));
