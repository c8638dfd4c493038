/** Checks that runs which start at once in a new cache have one certificate. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { endpointCertificate } from '../../../shared/dev/aws/certificate.ts';

test('two runs that find no certificate use the same one', async () => {
  const cache = mkdtempSync(join(tmpdir(), 'countersign-certificate-'));
  onTestFinished(() => rmSync(cache, { recursive: true }));
  const python = (name: string, seconds: number): string => {
    const program = join(cache, name);
    writeFileSync(program, `#!/bin/sh\nsleep ${seconds}\necho ${name} > "$2"\necho ${name} > "$3"\n`);
    chmodSync(program, 0o700);
    return program;
  };
  const [slow, fast] = await Promise.all([
    endpointCertificate(cache, python('slow', 0.5)),
    endpointCertificate(cache, python('fast', 0.1)),
  ]);
  expect(slow).toEqual(fast);
});
