/** Checks that `countersign frames` names the sources behind the frames that a bundled function logs. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { cli, textOf } from '../unit/cli/run-cli.ts';
import { type Aws, AwsFault, startAws } from './support/aws.ts';
import { type Deployed, deploy } from './support/deployed.ts';
import { intakeEnv } from './support/intake-aws.ts';
import { askingPolicy } from './support/waiting.ts';

const ROOT = resolve(import.meta.dirname, '../..');

let aws: Aws;
let resume: Deployed;

beforeAll(async () => {
  aws = await startAws({
    GetSecretValue: () => ({ SecretString: 'digest-key' }),
    GetParametersByPath: () => ({ Parameters: [] }),
    Query: () => {
      throw new AwsFault('AccessDeniedException');
    },
  });
  const env = { ...intakeEnv(aws), GATE_FUNCTION: 'resume', COUNTERSIGN_VERSION: manifest.version };
  resume = await deploy('resume', { policy: askingPolicy, env, aws: aws.url });
}, 60_000);
afterAll(async () => {
  await resume?.stop();
  await aws?.stop();
});

const OWN = /^(?:(?<name>[\w$.<>]+) )?(?<file>(?:functions|shared)\/[\w/.-]+\.ts):(?<line>\d+)$/;

async function faultLine(): Promise<string> {
  await resume.invoke({ pid: 'a'.repeat(64) });
  return resume.log.find((line) => line.includes('"at":')) ?? '';
}

const named = async (text: string, ...argv: string[]) => cli(['frames', ...argv], { stdin: () => textOf(text) });

test('the frames of a fault lead from the call of AWS to the handler, by lines of sources', async () => {
  const { code, out, err } = await named(await faultLine());
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const { at } = JSON.parse(out) as { readonly at: readonly string[] };
  const own = at.flatMap((frame) => {
    const { file, line } = OWN.exec(frame)?.groups ?? {};
    return file === undefined ? [] : [{ file, line: Number(line) }];
  });
  // Each line does something: a comment or a blank throws nothing.
  const lines = own.map(({ file, line }) => readFileSync(join(ROOT, file), 'utf8').split('\n')[line - 1]);
  expect(lines.filter((text = '') => /^\s*(?:\/[/*]|\*|$)/.test(text))).toEqual([]);
  const client = 'shared/adapters/aws/signed/';
  expect(new Set(own.map(({ file }) => file).filter((file) => !file.startsWith(client)))).toEqual(
    new Set([
      'functions/runtime/telemetry/aws-operations.ts',
      'shared/adapters/dynamodb/approvals/approval-store.ts',
      'shared/use-cases/approvals/resolution/look-at.ts',
      'shared/use-cases/approvals/resolution/resolve-approval.ts',
      'shared/use-cases/retry-on-conflict.ts',
      'functions/resume.ts',
      'functions/runtime/telemetry/with-telemetry.ts',
    ]),
  );
  expect(at.at(0)).toMatch(/^\w+ shared\/adapters\/aws\/signed\/errors\.ts:\d+$/);
  expect(out).not.toMatch(/index\.mjs|chunk-|node:internal/);
});

test('a frame of another build stays as it is, and says so', async () => {
  const fault = await faultLine();
  const other = await named('f chunk-AAAAAAAA.mjs:1:2\n');
  expect(other).toMatchObject({ code: 1, out: 'f chunk-AAAAAAAA.mjs:1:2\n' });
  expect(other.err).toContain('1 frame is not of this build');
  const older = await named(fault.replace(`"version":"${manifest.version}"`, '"version":"0.0.1"'));
  expect(older).toMatchObject({ code: 1, out: expect.stringContaining(' index.mjs:') });
});

test('a frame alone needs the function of its index.mjs', async () => {
  const frame = /[\w$.]+ index\.mjs:\d+:\d+/.exec(await faultLine())?.[0] ?? '';
  expect(await named('', frame)).toMatchObject({ code: 1 });
  const { code, out } = await named('', frame, '--function', 'resume');
  expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/ shared\/.+\.ts:\d+\n$/) });
});
