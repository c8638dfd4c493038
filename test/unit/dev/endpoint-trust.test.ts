/** Checks that a client of a local endpoint trusts the authorities that its file names now. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterAll, expect, test } from 'vitest';
import { clientConfig } from '../../../shared/dev/aws/endpoint.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-trust-'));
afterAll(() => rmSync(folder, { recursive: true }));

const contextOf = (file: string) =>
  clientConfig({
    ...{ kind: 'given', url: 'https://127.0.0.1:1', pid: undefined, logFile: undefined, stop: async () => undefined },
    env: { NODE_EXTRA_CA_CERTS: join(folder, file) },
  }).requestHandler.httpsAgent.options.secureContext;

test('one context for the same authorities, another for others, and none without', () => {
  const [first = '', second = ''] = rootCertificates;
  writeFileSync(join(folder, 'a.pem'), first);
  writeFileSync(join(folder, 'b.pem'), second);
  const [a, b] = [contextOf('a.pem'), contextOf('b.pem')];
  expect(a).toBeDefined();
  expect(contextOf('a.pem')).toBe(a);
  expect(b).not.toBe(a);
  // An endpoint that was started again has another certificate in the same file.
  writeFileSync(join(folder, 'a.pem'), second);
  expect(contextOf('a.pem')).toBe(b);
  expect(contextOf('none.pem')).toBeUndefined();
});
