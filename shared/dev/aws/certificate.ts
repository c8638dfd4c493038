// Makes the endpoint's TLS certificate: self-signed, for loopback names only.
//
// The certificate is used until it is near its end.
import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cachedDirectory } from './cache.ts';
import { EndpointError } from './errors.ts';
import { MINISTACK } from './ministack-folder.ts';
import { run } from './run.ts';

const PREFIX = 'tls-';
const RENEW_BEFORE_MS = 30 * 24 * 3600 * 1000;

interface Certificate {
  certificate: string;
  key: string;
}

/** Paths of a certificate and its key that are good for at least a month. */
export async function endpointCertificate(cache: string, python: string): Promise<Certificate> {
  const names = (existsSync(cache) ? await readdir(cache) : []).filter((name) => /^tls-\d+$/.test(name));
  for (const name of names) {
    const found = paths(join(cache, name));
    if (isGood(found.certificate)) return found;
    await rm(join(cache, name), { recursive: true, force: true });
  }
  // Runs that start at once make it under one name, and use what the first of them made.
  const number = 1 + Math.max(0, ...names.map((name) => Number(name.slice(PREFIX.length))));
  const directory = await cachedDirectory(cache, `${PREFIX}${number}`, async (partial) => {
    const { certificate, key } = paths(partial);
    const made = await run(python, [join(MINISTACK, 'certificate.py'), certificate, key]);
    if (made.code !== 0) throw new EndpointError(`The TLS certificate could not be made: ${made.output}`);
  });
  return paths(directory);
}

/** The authorities that this process trusts through its environment, and the certificate: for NODE_EXTRA_CA_CERTS. */
export async function caBundle(certificate: string, env: Record<string, string | undefined>): Promise<string> {
  const existing = new Set([env.NODE_EXTRA_CA_CERTS, env.AWS_CA_BUNDLE].filter((path) => path && existsSync(path)));
  const parts = await Promise.all([...existing, certificate].map((path) => readFile(path as string, 'utf8')));
  return parts.map((part) => `${part.trimEnd()}\n`).join('');
}

function paths(directory: string): Certificate {
  return { certificate: join(directory, 'certificate.pem'), key: join(directory, 'key.pem') };
}

function isGood(certificate: string): boolean {
  try {
    const { validTo } = new X509Certificate(readFileSync(certificate));
    return Date.parse(validTo) - Date.now() > RENEW_BEFORE_MS;
  } catch {
    return false;
  }
}
