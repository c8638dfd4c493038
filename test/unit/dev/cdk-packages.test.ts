/** Checks where the CDK is looked for, and the error where it can be neither found nor installed. */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { cdkProject } from '../../../shared/dev/aws/cdk-packages.ts';

const base = mkdtempSync(join(tmpdir(), 'countersign-cdk-'));
afterAll(() => rmSync(base, { recursive: true }));

/** As where the package is installed without the CDK: this repository has it. */
const root = join(base, 'package');
const found = (folder: string, env: Record<string, string>, told: string[] = []) =>
  cdkProject(folder, env, { onProgress: (line) => told.push(line) }, root);

const PINNED = { 'aws-cdk': '2.1.0', 'aws-cdk-lib': '2.2.0', constructs: '10.3.0' };
mkdirSync(root);
writeFileSync(join(root, 'package.json'), JSON.stringify({ devDependencies: PINNED }));

/** A folder that has these packages. */
function project(name: string, packages: readonly string[]): string {
  const folder = join(base, name);
  mkdirSync(folder, { recursive: true });
  for (const each of packages) {
    mkdirSync(join(folder, 'node_modules', each), { recursive: true });
    writeFileSync(join(folder, 'node_modules', each, 'package.json'), '{}');
  }
  return folder;
}

/** An npm that is a script, which writes its arguments and its environment down. */
function npm(name: string, script: string): Record<string, string> {
  const bin = join(base, name);
  mkdirSync(bin);
  writeFileSync(join(bin, 'npm'), `#!/bin/sh\necho "$@" > ${bin}/args; env > ${bin}/env\n${script}\n`);
  chmodSync(join(bin, 'npm'), 0o755);
  return { PATH: `${bin}:/usr/bin:/bin`, COUNTERSIGN_CACHE: join(bin, 'cache') };
}

const install = Object.keys(PINNED)
  .map((name) => `mkdir -p "$3/node_modules/${name}" && echo '{}' > "$3/node_modules/${name}/package.json"`)
  .join('\n');

test('the CDK of the project is used, whole', async () => {
  const folder = project('whole', Object.keys(PINNED));
  expect(await found(folder, { PATH: '' })).toBe(folder);
});

test('a project with a part of it gets the tested versions into the cache, once, and nothing in its own folder', async () => {
  const folder = project('part', ['aws-cdk-lib', 'constructs']);
  const env = { ...npm('good', install), npm_config_workspace: 'mine', npm_config_registry: 'http://127.0.0.1:1/' };
  const told: string[] = [];
  const cached = await found(folder, env, told);
  expect(cached).toBe(join(base, 'good', 'cache', 'endpoint', 'cdk-2.1.0-2.2.0-10.3.0'));
  expect(told).toEqual([`installing the CDK into ${cached} (once, seconds; 200 MB)`]);
  expect(readFileSync(join(base, 'good', 'args'), 'utf8')).toMatch(
    / --ignore-scripts aws-cdk@2\.1\.0 aws-cdk-lib@2\.2\.0 constructs@10\.3\.0\n$/,
  );
  const given = readFileSync(join(base, 'good', 'env'), 'utf8');
  expect([given.includes('npm_config_registry='), given.includes('npm_config_workspace')]).toEqual([true, false]);
  rmSync(join(base, 'good', 'npm'));
  expect(await found(folder, env)).toBe(cached);
  expect(readdirSync(folder)).toEqual(['node_modules']);
});

test.each([
  ['an npm that fails', 'echo "npm error network request failed" >&2; exit 1', 'npm error network request failed'],
  ['an npm that installs nothing', 'true', 'npm failed'],
])(
  '%s is told with the way to install it, and leaves nothing that a later run takes for the CDK',
  async (name, script, why) => {
    const folder = project(`alone-${name}`, []);
    const env = npm(name.replaceAll(' ', '-'), script);
    const failed = found(folder, env);
    await expect(failed).rejects.toMatchObject({ code: 'endpoint_unavailable' });
    await expect(failed).rejects.toThrow(
      `the CDK is not installed here, and could not be (${why}): npm install --save-dev aws-cdk aws-cdk-lib constructs`,
    );
    expect(readdirSync(join(env['COUNTERSIGN_CACHE'] ?? '', 'endpoint'))).toEqual([]);
  },
);

test('without an npm the way to install the CDK is told, too', async () => {
  const env = { PATH: join(base, 'nowhere'), COUNTERSIGN_CACHE: join(base, 'cache') };
  await expect(found(project('bare', []), env)).rejects.toThrow('ENOENT');
});
