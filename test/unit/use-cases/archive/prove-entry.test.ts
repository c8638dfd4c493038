/**
 * Checks proofs of single entries with a program in another language.
 *
 * The documents give this program to auditors.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { itemKey, summaryOf } from '../../../../shared/domain/archive/lines.ts';
import { publicKeyFrom, SEAL_KEYS } from '../../../../shared/domain/archive/seal-key.ts';
import { type EntryProof, proveEntries } from '../../../../shared/use-cases/archive/prove-entry.ts';
import { ArchiveWorld, DEPLOYMENT, insertAt, itemAt, MINUTE, START } from './archive-world.ts';

const CHECK = join(import.meta.dirname, '../../../../docs/examples/check_proof.py');
const keys = (...numbers: number[]) => new Set(numbers.map((n) => itemKey(itemAt(n))));

/** Runs the program as its own main module for each line of arguments: a start of Python takes longer than a check. */
const RUN_MANY = `
import contextlib, io, json, runpy, sys
for line in sys.stdin:
    sys.argv, output, code = json.loads(line), io.StringIO(), 0
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try: runpy.run_path(sys.argv[0], run_name="__main__")
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
            if isinstance(end.code, str): print(end.code)
    print(json.dumps({"code": code, "output": output.getvalue().strip()}), flush=True)
`;

let folder: string;
let python: ChildProcess;
let answers: AsyncIterator<string>;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-proof-'));
  python = spawn('python3', ['-c', RUN_MANY], { stdio: ['pipe', 'pipe', 'inherit'] });
  if (!python.stdout) throw new Error('python3 has no output');
  answers = createInterface(python.stdout)[Symbol.asyncIterator]();
});
afterAll(() => {
  python.stdin?.end();
  rmSync(folder, { recursive: true, force: true });
});

async function proofsOf(world: ArchiveWorld, ...numbers: number[]) {
  const publicKey = await world.signer.publicKey();
  const proofs = await proveEntries(world.archive, keys(...numbers), START, {
    deployment: DEPLOYMENT,
    publicKey,
    newest: 3,
  });
  return { proofs, pem: String(publicKey.export({ type: 'spki', format: 'pem' })) };
}

interface Of {
  readonly proposal?: string;
  readonly deployment?: string;
}

/** The arguments of a program that checks these proofs. */
function written(proofs: readonly EntryProof[], pem: string, of: Of = {}): string[] {
  const [proof, key] = [join(folder, 'proof.json'), join(folder, 'key.pem')];
  writeFileSync(proof, JSON.stringify({ deployment: DEPLOYMENT, agent: 'bot', proposal: '0', ...of, proofs }));
  writeFileSync(key, pem);
  return [CHECK, proof, key];
}

async function check(proofs: readonly EntryProof[], pem: string, of?: Of): Promise<{ code: number; output: string }> {
  python.stdin?.write(`${JSON.stringify(written(proofs, pem, of))}\n`);
  const { value, done } = await answers.next();
  if (done) throw new Error('the program ended by itself');
  return JSON.parse(value);
}

describe.each(SEAL_KEYS)('the proof of an entry, signed with a key of the kind %s', (kind) => {
  test('is found for each entry that is sealed, and accepted', async () => {
    const world = await new ArchiveWorld(kind).filled();
    const { proofs, pem } = await proofsOf(world, 0, 3, 4, 9);
    expect(proofs).toHaveLength(4);
    for (const [index, n] of [0, 3, 4, 9].entries()) {
      const accepted = { code: 0, output: `${new Date(START + n * 1000).toISOString()} evaluated is sealed` };
      const proposal = String(n);
      expect(await check(proofs.slice(index, index + 1), pem, { proposal })).toEqual(accepted);
      // A key that was copied by hand lacks its last line end, or has those of another system.
      for (const copied of n ? [] : [pem.trimEnd(), pem.replaceAll('\n', '\r\n')])
        expect(await check(proofs.slice(0, 1), copied)).toEqual(accepted);
    }
  });

  test('is missing for an entry that is not sealed yet, or is not there', async () => {
    const world = await new ArchiveWorld(kind).filled();
    await world.archives(insertAt(20));
    expect((await proofsOf(world, 20, 99)).proofs).toEqual([]);
  });

  test('is found in the later object where a batch came twice', async () => {
    const world = new ArchiveWorld(kind);
    for (let n = 0; n < 3; n += 1) {
      await world.archives(insertAt(1));
      world.time += 4 * MINUTE;
      await world.seals();
    }
    await world.seals();
    const first = [...world.objects.keys()].find((key) => key.startsWith('entry/')) ?? '';
    world.objects.set('entry/2026-11-23T0500Z/0-0.jsonl', world.objects.get(first) ?? '');
    expect((await proofsOf(world, 1)).proofs).toHaveLength(1);
  });

  const lies: readonly (readonly [string, (proof: EntryProof) => object, string])[] = [
    ['another entry', ({ line }) => ({ line: line.replace('allow', 'deny') }), 'the entry is not in the object'],
    ['another place', ({ index }) => ({ index: 1 - index }), 'the entry is not in the object'],
    ['another root', ({ object }) => ({ object: { ...object, root: '0'.repeat(64) } }), 'does not name the object'],
    ['another list', ({ list }) => ({ list: `${list}more` }), 'the seal names another list'],
    ['another seal', ({ seal }) => ({ seal: seal.replace('number 0', 'number 7') }), 'does not fit the seal'],
  ];
  test.each(lies)('is refused for %s', async (_, lie, problem) => {
    const { proofs, pem } = await proofsOf(await new ArchiveWorld(kind).filled(), 0);
    const [proof] = proofs as [EntryProof];
    const { code, output } = await check([{ ...proof, ...lie(proof) }], pem);
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(problem) });
  });

  test('is refused with another key, for another deployment, and if there is none', async () => {
    const { proofs, pem } = await proofsOf(await new ArchiveWorld(kind).filled(), 0);
    const other = await proofsOf(await new ArchiveWorld(kind).filled(), 0);
    expect((await check(proofs, other.pem)).output).toContain('signed by another key');
    expect((await check(proofs, pem, { deployment: 'else' })).output).toContain('of another deployment');
    expect((await check([], pem)).output).toContain('proves nothing');
  });

  test('is refused for the entry of another proposal', async () => {
    const { proofs, pem } = await proofsOf(await new ArchiveWorld(kind).filled(), 0, 1);
    expect(await check(proofs, pem)).toEqual({
      code: 1,
      output: expect.stringContaining('the entry is of another proposal'),
    });
  });

  test('is refused for an entry as somebody changed it', async () => {
    const world = await new ArchiveWorld(kind).filled();
    const item = itemAt(0, { entry: { S: 'forged' } });
    await world.archives({ event: 'modify', seq: '9', before: itemAt(0), item });
    world.time += 5 * MINUTE;
    await world.seals();
    const key = [...world.objects.keys()].find((name) => name.startsWith('tamper/')) ?? '';
    const object = { key, text: world.objects.get(key) ?? '' };
    const [seal, list] = ['seal/', 'list/'].map((of) => {
      const named = [...world.objects].filter(([name]) => name.startsWith(of));
      return named.at(-1)?.[1] ?? '';
    });
    const { pem } = await proofsOf(world, 0);
    const proof = { line: object.text.trimEnd(), object: summaryOf(object), index: 0, proof: [], list, seal };
    expect(await check([proof as EntryProof], pem)).toEqual({
      code: 1,
      output: expect.stringContaining('is no entry'),
    });
  });

  test('is refused with a signature of which any byte is another', async () => {
    const { proofs, pem } = await proofsOf(await new ArchiveWorld(kind).filled(), 0);
    const [proof] = proofs as [EntryProof];
    const [, before = '', blob = ''] = /^(.* )(\S+)\n$/s.exec(proof.seal) ?? [];
    for (const index of [5, 9, 40, 67]) {
      const bytes = Buffer.from(blob, 'base64');
      bytes[index] = (bytes[index] as number) ^ 1;
      const { code, output } = await check([{ ...proof, seal: `${before}${bytes.toString('base64')}\n` }], pem);
      expect({ index, code, output }).toEqual({ index, code: 1, output: expect.stringContaining('NOT proved') });
    }
  });
});

test.each([
  ['secp256k1', () => generateKeyPairSync('ec', { namedCurve: 'secp256k1' })],
  ['P-384', () => generateKeyPairSync('ec', { namedCurve: 'P-384' })],
  ['RSA', () => generateKeyPairSync('rsa', { modulusLength: 2048 })],
])('a key of another kind is refused by name, and proves nothing: %s', async (_, generate) => {
  const pem = String(generate().publicKey.export({ type: 'spki', format: 'pem' }));
  expect(() => publicKeyFrom(pem)).toThrow('neither an Ed25519 nor a P-256 key');
  const { proofs } = await proofsOf(await new ArchiveWorld().filled(), 0);
  expect((await check(proofs, pem)).output).toContain('neither an Ed25519 nor a P-256 key');
});

test('the program ends with what it found, tells how it is called, and which file it cannot read', async () => {
  const ran = (...args: string[]) => spawnSync('python3', [CHECK, ...args], { encoding: 'utf8' });
  const { proofs, pem } = await proofsOf(await new ArchiveWorld().filled(), 0);
  const alone = (all: readonly EntryProof[]) => ran(...written(all, pem).slice(1));
  expect(alone(proofs)).toMatchObject({ status: 0, stdout: expect.stringMatching(/ is sealed\n$/), stderr: '' });
  expect(alone([])).toMatchObject({ status: 1, stdout: '', stderr: 'NOT proved: the file proves nothing\n' });
  expect(ran('proof.json')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('Usage: python3 check_proof.py'),
  });
  expect(ran('no-such.json', 'no-such.pem').stderr).toMatch(/^NOT proved: .*no-such\.pem/);
});
