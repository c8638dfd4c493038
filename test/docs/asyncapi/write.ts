/** Writes the AsyncAPI document; `npm run schemas` runs it. A test finds one that is out of date. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ASYNCAPI_FILE, asyncapiDocument } from './document.ts';

writeFileSync(join(import.meta.dirname, '../../..', ASYNCAPI_FILE), `${JSON.stringify(asyncapiDocument(), null, 2)}\n`);
