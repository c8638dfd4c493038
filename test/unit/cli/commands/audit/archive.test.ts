/**
 * Checks `countersign audit verify --offline` on a copy of the archive, without an account.
 *
 * Every flaw is named, and exits with 3.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { saveBundle } from '../../../../../shared/cli/support/audit/archive-bundle.ts';
import type { ArchiveKey } from '../../../../../shared/domain/archive/seal-key.ts';
import { ArchiveWorld, DEPLOYMENT } from '../../../use-cases/archive/archive-world.ts';
import { cli } from '../../run-cli.ts';

const parent = mkdtempSync(join(tmpdir(), 'countersign-bundle-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

let count = 0;
async function copied(kind?: ArchiveKey) {
  const world = await new ArchiveWorld(kind).filled();
  count += 1;
  const folder = join(parent, `copy-${count}`);
  const bundle = { archive: world.archive, deployment: DEPLOYMENT, publicKey: await world.signer.publicKey() };
  const { newest } = await saveBundle(bundle, folder);
  return { world, folder, bundle, hash: newest?.hash ?? '' };
}

const verify = (folder: string, ...more: string[]) => cli(['audit', 'verify', '--offline', folder, ...more]);
const change = (file: string, by: (text: string) => string) => writeFileSync(file, by(readFileSync(file, 'utf8')));

describe('a copy of the archive', () => {
  test('that nobody touched is told so, with its newest seal', async () => {
    const { folder, hash } = await copied();
    const { code, out } = await verify(folder, '--anchor', hash);
    expect(code).toBe(0);
    expect(out).toContain('Compared: seals 4, sealed objects 5, entries 10.');
    expect(out).toContain(`hash ${hash}`);
    expect(out).toContain('Nothing was changed.');
  });

  test('is told of without an anchor that its end proves nothing', async () => {
    expect((await verify((await copied()).folder)).out).toContain('cut off at the end cannot be noticed');
  });

  test.each([
    ['an object was changed', 'entry/2026-11-23T0500Z/1000-1001.jsonl', 'is not as it was sealed'],
    ['a seal was changed', 'seal/000000000001', 'is no seal of this deployment and key'],
  ])('in which %s names it and exits with 3', async (_, file, words) => {
    const { folder } = await copied();
    change(join(folder, file), (text) => text.replace('2026', '2025'));
    const { code, out } = await verify(folder);
    expect(code).toBe(3);
    expect(out).toContain(`${file} ${words}`);
    expect(out).toContain('The record was changed.');
  });

  test.each([
    [['--deployment', 'other'], 3, 'the copy says that it is of the deployment shop, not of other'],
    [['--deployment', DEPLOYMENT], 0, ''],
    [['--archive-bucket', 'b'], 2, '--offline compares the copy alone'],
    [['--audit-table', 't'], 2, '--offline compares the copy alone'],
  ])('is compared with nothing that is not in it: %j', async (more, code, words) => {
    const { folder } = await copied();
    const verified = await verify(folder, ...more);
    expect(verified).toMatchObject({ code, err: expect.stringContaining(words) });
  });

  test('is of the whole archive, and not of one agent', async () => {
    const asked = await cli(['audit', 'export', '--out', join(parent, 'one'), '--agent', 'bot']);
    expect(asked).toMatchObject({ code: 2, err: expect.stringContaining('--agent goes with --proposal') });
  });

  test('without any seal says that nothing is proved, and exits with 3', async () => {
    const { folder } = await copied();
    for (const kind of ['seal', 'anchor', 'entry']) rmSync(join(folder, kind), { recursive: true, force: true });
    const { code, out } = await verify(folder);
    expect(code).toBe(3);
    expect(out).toContain('holds no seal');
    expect(out).toContain('Nothing is proved: there is no seal.');
    expect(out).not.toContain('was changed');
  });

  test('without its last seals is found by an anchor', async () => {
    const { folder, hash } = await copied();
    rmSync(join(folder, 'seal/000000000003'));
    expect((await verify(folder)).code).toBe(0);
    const { code, out } = await verify(folder, '--anchor', hash, '--json');
    expect({ code, found: JSON.parse(out) as unknown }).toEqual({
      code: 3,
      found: { kind: 'seals-cut-off', subject: hash },
    });
    const both = await verify(folder, '--anchor', hash, '--anchor', 'f'.repeat(64));
    expect(both.out.match(/^[0-9a-f]{64}(?= )/gm)).toEqual([hash, 'f'.repeat(64)]);
  });

  test('is not believed about its own key where one is given', async () => {
    const [mine, theirs] = [await copied(), await copied()];
    const key = join(mine.folder, 'public-key.pem');
    expect((await verify(theirs.folder, '--key', key)).code).toBe(3);
    expect((await verify(mine.folder, '--key', key)).code).toBe(0);
  });

  test('that a P-256 key signed is verified with it, and with no Ed25519 key', async () => {
    const [mine, theirs] = [await copied('p256'), await copied()];
    const key = join(mine.folder, 'public-key.pem');
    expect(await verify(mine.folder, '--key', key, '--anchor', mine.hash)).toMatchObject({ code: 0 });
    expect(await verify(mine.folder)).toMatchObject({ code: 0 });
    expect((await verify(mine.folder, '--key', join(theirs.folder, 'public-key.pem'))).code).toBe(3);
    expect((await verify(theirs.folder, '--key', key)).out).toContain('is no seal of this deployment and key');
  });

  test('of another deployment is none of this one', async () => {
    const { folder } = await copied();
    change(join(folder, 'bundle.json'), (text) => text.replace('shop', 'else'));
    expect((await verify(folder)).out).toContain('is no seal of this deployment and key');
  });

  test('that is no copy, or half of one, is never valid', async () => {
    const { folder } = await copied();
    expect(await verify(parent)).toMatchObject({ code: 3, err: expect.stringContaining('is no copy of an archive') });
    const nowhere = await verify(join(parent, 'nowhere'));
    expect(nowhere).toMatchObject({ code: 2, err: expect.stringContaining('--offline: there is no folder') });
    writeFileSync(join(folder, 'bundle.json'), '{');
    expect(await verify(folder)).toMatchObject({ code: 3, err: expect.stringContaining('bundle.json is not as') });
    const { folder: other } = await copied();
    rmSync(join(other, 'seal'), { recursive: true });
    expect(await verify(other)).toMatchObject({ code: 3, out: expect.stringContaining('shop holds no seal') });
  });

  test('that is cut off within any of its files is found, and the file is named', async () => {
    const { folder, hash } = await copied();
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    expect(files.length).toBeGreaterThan(12);
    for (const file of files) {
      const whole = readFileSync(file);
      for (const length of [0, Math.floor(whole.length / 2), whole.length - 1]) {
        writeFileSync(file, whole.subarray(0, length));
        const { code, out, err } = await verify(folder, '--anchor', hash);
        const isKey = file.endsWith('.pem') && length === whole.length - 1;
        const isAbout = file.endsWith('.json') && length === whole.length - 1;
        // The last line end of these two says nothing.
        expect({ file, length, code }).toEqual({ file, length, code: isKey || isAbout ? 0 : 3 });
        if (code === 3) expect(`${out}${err}`).toContain(relative(folder, file));
      }
      writeFileSync(file, whole);
    }
    expect((await verify(folder, '--anchor', hash)).code).toBe(0);
  });

  test('may be packed in any order of its files, and in no other order of lines', async () => {
    const { folder, hash } = await copied();
    const packed = join(parent, `packed-${count}`);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
    for (const file of files.toSorted().toReversed()) {
      mkdirSync(dirname(join(packed, file)), { recursive: true });
      writeFileSync(join(packed, file), readFileSync(join(folder, file)));
    }
    expect((await verify(packed, '--anchor', hash)).code).toBe(0);
    const entry = 'entry/2026-11-23T0500Z/1000-1001.jsonl';
    change(join(packed, entry), (text) => `${text.trimEnd().split('\n').toReversed().join('\n')}\n`);
    const { code, out } = await verify(packed, '--anchor', hash);
    expect({ code, first: out.split('\n')[0] }).toEqual({ code: 3, first: `${entry} is not as it was sealed` });
    // A tool that changes line ends.
    change(join(packed, entry), () => readFileSync(join(folder, entry), 'utf8').replaceAll('\n', '\r\n'));
    expect((await verify(packed, '--anchor', hash)).code).toBe(3);
  });

  test.each([
    [['--anchor', 'abc'], '--anchor takes 64 hex digits'],
    [['--key', 'missing.pem'], 'holds no Ed25519 or P-256 public key'],
  ])('takes no wrong option: %j', async (more, words) => {
    expect(await verify((await copied()).folder, ...more)).toMatchObject({
      code: 2,
      err: expect.stringContaining(words),
    });
  });

  test('names a stranger without the effects of its name', async () => {
    const { folder } = await copied();
    writeFileSync(join(folder, 'entry', '\u001b[2Jgone'), 'x');
    const { code, out } = await verify(folder);
    expect({ code, out }).toEqual({
      code: 3,
      out: expect.stringMatching(/gone stands in the archive and is no object/),
    });
    expect(out).not.toContain('\u001b');
  });

  test.each(['entry/../../../evil', '../evil', 'entry//x', 'entry/./x'])(
    'is not made of an archive whose names lead elsewhere: %s',
    async (name) => {
      const { world, bundle } = await copied();
      world.objects.set(name, 'x');
      const folder = join(parent, `elsewhere-${count}-${name.length}`, 'copy');
      // `//` and `./` are other names for the same file: one object would hide another.
      const prefix = name.startsWith('entry/');
      const saved = saveBundle(bundle, folder);
      if (prefix) await expect(saved).rejects.toThrow('leads elsewhere');
      else await saved;
      expect(existsSync(join(parent, 'evil'))).toBe(false);
      expect(existsSync(join(folder, '..', 'evil'))).toBe(false);
    },
  );

  test('is not written over something else', async () => {
    const { folder, bundle } = await copied();
    await expect(saveBundle(bundle, folder)).rejects.toThrow('is there already');
  });
});
