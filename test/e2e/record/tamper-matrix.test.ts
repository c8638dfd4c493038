/**
 * Attacks copies of the record on the deployed stack, each with the strongest role that could (G36).
 *
 * The roles have on a copy what they have on the record itself. The account's root does what a role is refused, and
 * `countersign audit verify` has to name it: online as an auditor, and of an export without an account.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kmsSigner } from '../../../shared/adapters/kms/signer.ts';
import { s3Archive } from '../../../shared/adapters/s3/archive.ts';
import { saveBundle } from '../../../shared/cli/support/audit/archive-bundle.ts';
import { cli } from '../../unit/cli/run-cli.ts';
import { ArchiveWorld, FILLED_MS } from '../../unit/use-cases/archive/archive-world.ts';
import { ATTACKS, type Attack, inCopy, isOnObjects } from '../../unit/use-cases/archive/attacks.ts';
import { e2eGate } from '../gate.ts';
import { countersign, type Environment } from '../harness/command.ts';
import { contentsOf, RecordCopy, rightsOnCopies } from '../harness/record-copy.ts';
import { type StolenRole, stolenRoles } from '../harness/roles.ts';

let auditor: Environment;
let roles: ReadonlyMap<string, StolenRole>;
let takeRights: (() => Promise<void>) | undefined;
const folder = mkdtempSync(join(tmpdir(), 'countersign-matrix-'));
let copies = 0;

beforeAll(async () => {
  auditor = await (await e2eGate()).environmentOf('Auditor');
  roles = new Map((await stolenRoles()).map((role) => [role.name, role]));
  takeRights = await rightsOnCopies(['AuditorRole', ...new Set(ATTACKS.map(({ by }) => by))]);
}, 300_000);

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await takeRights?.();
});

function thief(name: string): StolenRole {
  const role = roles.get(name);
  if (!role) throw new Error(`the stack has no ${name}`);
  return role;
}

/** A record that ends now, sealed by the gate's own key with the credentials of the one role that may sign. */
async function sealed(): Promise<ArchiveWorld> {
  const { outputs } = await e2eGate();
  const signer = kmsSigner(thief('GateSealRole').kms, outputs.ArchiveKeyArn);
  return new ArchiveWorld(undefined, {
    ...{ start: Date.now() - FILLED_MS, deployment: outputs.Deployment, signer },
  }).filled();
}

async function copied<Result>(world: ArchiveWorld, work: (copy: RecordCopy) => Promise<Result>): Promise<Result> {
  const copy = new RecordCopy(copies++);
  await copy.make(contentsOf(world));
  try {
    return await work(copy);
  } finally {
    await copy.remove();
  }
}

interface Verdict {
  readonly code: number | null;
  readonly kinds: readonly string[];
}

const verdictOf = (code: number | null, lines: readonly unknown[]): Verdict => ({
  code,
  kinds: [...new Set(lines.map((line) => (line as { readonly kind: string }).kind))].toSorted(),
});

async function online({ name }: RecordCopy, ...more: readonly string[]): Promise<Verdict> {
  const where = { COUNTERSIGN_ARCHIVE_BUCKET: name, COUNTERSIGN_AUDIT_TABLE: name };
  const ran = await countersign({ ...auditor, ...where }, 'audit', 'verify', '--json', ...more);
  return verdictOf(
    ran.code,
    ran.lines.map((line): unknown => JSON.parse(line)),
  );
}

/** Verifies an export that is made now. */
async function offline(copy: RecordCopy, world: ArchiveWorld): Promise<(...more: string[]) => Promise<Verdict>> {
  const { root } = await e2eGate();
  const out = join(folder, copy.name);
  const { deployment } = world;
  await saveBundle(
    { archive: s3Archive(root.s3, copy.name), deployment, publicKey: await world.signer.publicKey() },
    out,
  );
  return async (...more) => {
    const { code, lines } = await cli(['audit', 'verify', '--json', '--offline', out, ...more]);
    return verdictOf(code, lines);
  };
}

const verdict = (kinds: readonly string[]): Verdict => ({ code: kinds.length ? 3 : 0, kinds: kinds.toSorted() });

describe('a copy of the record', () => {
  it('that nobody attacked is valid, also with its anchor', async () => {
    const world = await sealed();
    const { verified } = await world.findings();
    await copied(world, async (copy) => {
      const anchor = ['--anchor', verified.newest?.hash ?? ''];
      expect(await online(copy, ...anchor)).toEqual(verdict([]));
      expect(await (await offline(copy, world))(...anchor)).toEqual(verdict([]));
    });
  });
});

/** Plays it on a copy of its own, and lets `audit verify` look. */
async function shows(attack: Attack): Promise<void> {
  const world = await sealed();
  const { verified } = await world.findings();
  const anchor = ['--anchor', verified.newest?.hash ?? ''];
  await copied(world, async (copy) => {
    const before = contentsOf(world);
    await attack.attack(world);
    const attacked = contentsOf(world);
    expect(await copy.change(before, attacked, thief(attack.by))).toEqual(attack.refused);
    await attack.carried?.(world);
    await copy.change(attacked, contentsOf(world), (await e2eGate()).root);

    expect(await online(copy)).toEqual(verdict(attack.found));
    const byAnchor = attack.foundByAnchor ?? [];
    // Where seals are gone with all that they name, only an anchor from elsewhere tells.
    if (byAnchor.length) expect(await online(copy, ...anchor)).toEqual(verdict([...attack.found, ...byAnchor]));
    if (!isOnObjects(attack)) return;
    const verify = await offline(copy, world);
    expect(await verify()).toEqual(verdict(inCopy(attack)));
    if (byAnchor.length) expect(await verify(...anchor)).toEqual(verdict([...inCopy(attack), ...byAnchor]));
  });
}

describe('an attack that the rights of a role let it do', () => {
  it.concurrent.each(ATTACKS.filter(({ refused }) => !refused.length))('is found: $what', shows);
});

describe('an attack that a role is refused, and the account’s root does', () => {
  it.concurrent.each(ATTACKS.filter(({ refused }) => refused.length))('is found: $what', shows);
});
