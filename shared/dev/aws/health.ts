// Checks whether an endpoint answers, and waits until it does.
import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { get as httpGet } from 'node:http';
import { get as httpsGet } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { EndpointError } from './errors.ts';

const READY_TIMEOUT_MS = 120_000;
const POLL_MS = 50;

interface Expected {
  name: string;
  /** Answers 200 once it is up. */
  url: string;
  ca: string | undefined;
  logFile: string;
}

/** @throws EndpointError with the last lines of the log if it ends, or is not there within two minutes */
export async function ready(child: ChildProcess, { name, url, ca, logFile }: Expected): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  let failed: Error | undefined;
  child.once('error', (error) => {
    failed = error;
  });
  while ((await status(url, ca).catch(() => 0)) !== 200) {
    if (failed || child.exitCode !== null || child.signalCode !== null || Date.now() > deadline) {
      const tail = (await readFile(logFile, 'utf8')).trimEnd().split('\n').slice(-3).join(' | ');
      throw new EndpointError(`${name} did not start: ${failed?.message ?? tail} (all of it in ${logFile})`);
    }
    await delay(POLL_MS);
  }
}

/** The HTTP status; `ca` are the authorities to trust for TLS, if not Node's own. */
export function status(url: string, ca: string | undefined): Promise<number> {
  return new Promise((done, fail) => {
    const get = url.startsWith('https:') ? httpsGet : httpGet;
    get(url, { ...(ca ? { ca } : {}), timeout: 5_000, agent: false }, (response) => {
      response.resume();
      done(response.statusCode ?? 0);
    })
      .on('timeout', function (this: { destroy(error: Error): void }) {
        this.destroy(new Error('no answer in 5 s'));
      })
      .on('error', fail);
  });
}
