/**
 * Checks the record's texts: the proposal without secrets, the question and the rules.
 *
 * Covers added rules and the policy file.
 */
import { describe, expect, test } from 'vitest';
import { canonicalJson, sha256Hex } from '../../../../shared/domain/digest.ts';
import type { AuditRecord } from '../../../../shared/ports/stores/audit-log.ts';
import { storePolicy } from '../../../../shared/use-cases/audit/proposal-text.ts';
import { INVENTED_SECRETS } from '../../../support/invented-secrets.ts';
import { bash, policyOf, World } from '../world.ts';

const DAY = 24 * 3_600_000;

async function claimOf(world: World, id: string): Promise<AuditRecord['entry']> {
  const [claim] = await world.look.audit.ofProposal('coder', world.pid(id), ['decision']);
  if (!claim) throw new Error(`there is no claim of ${id}`);
  return claim.entry;
}

const proposalIn = ({ proposal }: AuditRecord['entry']) => JSON.parse(proposal ?? 'null') as unknown;

describe('an entry holds the proposal', () => {
  test('as it was judged: tool, input, folder and words of the agent', async () => {
    const world = new World();
    await world.send(bash('p1', 'git status', { cwd: '/workspace/app', description: 'look' }));
    expect(proposalIn(await claimOf(world, 'p1'))).toMatchObject({
      calls: [{ toolName: 'Bash', input: { command: 'git status' }, cwd: '/workspace/app' }],
      description: 'look',
    });
  });

  test('with a mark where a secret was cut out', async () => {
    const world = new World();
    await world.send(bash('p1', 'PGPASSWORD=canary-pa88 psql'));
    const { proposal } = await claimOf(world, 'p1');
    expect(proposal).toContain('PGPASSWORD=‹redacted: ');
    expect(proposal).not.toContain('canary-pa88');
  });

  test('of a question to people too, and the question itself under its digest', async () => {
    const world = new World();
    await world.send({ kind: 'input-request', proposalId: 'q', question: 'Which branch?', choices: ['a', 'b'] });
    const entry = await claimOf(world, 'q');
    expect(proposalIn(entry)).toMatchObject({ question: 'Which branch?', choices: ['a', 'b'] });
    const text = await world.gate.parts.inputs.get(entry.askedDigest ?? '', 'record');
    expect(JSON.parse(text)).toEqual((await world.row('q')).approval.question);
  });

  test('not where the policy file stores digests only', async () => {
    const world = new World(policyOf({ more: 'record: digests\n' }));
    await world.send(bash('p1', 'git status'));
    await world.send(bash('p2', 'git push origin main'));
    for (const id of ['p1', 'p2']) {
      const entry = await claimOf(world, id);
      expect(entry).not.toHaveProperty('proposal');
      expect(entry).not.toHaveProperty('askedDigest');
      expect(JSON.stringify(entry)).not.toContain('origin');
    }
  });
});

describe('the message that somebody was shown who voted', () => {
  const small = JSON.stringify({ blocks: Array.from({ length: 100 }, () => ({ text: 'git push origin main' })) });
  /** Nothing repeats in it, so that packed it is too large for an entry. */
  const shown = JSON.stringify({ blocks: Array.from({ length: 40 }, (_, index) => sha256Hex(`line ${index}`)) });
  const votes = async (world: World) => (await world.audit('p1')).filter(({ type }) => type === 'vote');

  test('stands in the vote that has room for it, while S3 is away too', async () => {
    const world = new World();
    await world.send(bash('p1'));
    const { inputs } = world.gate.parts;
    (inputs as { put: unknown }).put = async () => Promise.reject(new Error('S3 is down'));
    await world.click('p1', 'alice', 'approve', { shown: small });
    const [vote] = await votes(world);
    expect(vote).toMatchObject({ accepted: true, shown: small });
    expect(vote).not.toHaveProperty('shownDigest');
  });

  test('stands once under the digest that the vote names where it has none', async () => {
    const world = new World(policyOf({ approvals: '{ stages: [{ group: platform, quorum: 2 }], timeout: 1h }' }));
    await world.send(bash('p1'));
    await world.click('p1', 'alice', 'approve', { shown });
    await world.click('p1', 'bob', 'approve', { shown });
    const [first, second] = await votes(world);
    for (const vote of [first, second]) {
      expect(vote?.shownDigest).toBe(sha256Hex(shown));
      expect(vote).not.toHaveProperty('shown');
    }
    expect(await world.gate.parts.inputs.get(sha256Hex(shown), 'shown')).toBe(shown);
    await expect(world.gate.parts.inputs.get(sha256Hex(shown), 'record')).rejects.toThrow('missing');
  });

  test('is not stored of a message that is no card, nor where the policy file stores digests only', async () => {
    const foreign = new World();
    await foreign.send(bash('p1'));
    await foreign.click('p1', 'alice', 'approve', { shown, foreign: true });
    await foreign.click('p1', 'alice', 'approve', { shown: small, foreign: true });
    const digests = new World(policyOf({ more: 'record: digests\n' }));
    await digests.send(bash('p1'));
    await digests.click('p1', 'alice', 'approve', { shown });
    await digests.send(bash('p2'));
    await digests.click('p2', 'alice', 'approve', { shown: small });
    for (const world of [foreign, digests])
      await expect(world.gate.parts.inputs.get(sha256Hex(shown), 'shown')).rejects.toThrow('missing');
    expect(JSON.stringify(await foreign.audit('p1'))).not.toContain('blocks');
    for (const id of ['p1', 'p2'])
      for (const entry of await digests.audit(id)) {
        expect(entry).not.toHaveProperty('shown');
        expect(entry).not.toHaveProperty('shownDigest');
      }
  });

  test('is not named where it could not be stored: the vote counts all the same', async () => {
    const world = new World();
    await world.send(bash('p1'));
    const { inputs } = world.gate.parts;
    (inputs as { put: unknown }).put = async () => Promise.reject(new Error('S3 is down'));
    await world.click('p1', 'alice', 'reject', { shown });
    expect((await world.decision('p1'))?.outcome).toBe('denied');
    const [vote] = await votes(world);
    expect(vote).toMatchObject({ accepted: true });
    expect(vote).not.toHaveProperty('shownDigest');
  });
});

test.each(INVENTED_SECRETS)('$kind: in no text that stands beside the record', async ({ secret, text }) => {
  const stored: string[] = [];
  const world = new World(policyOf({ ask: ["'*'"], allow: [] }));
  const { inputs } = world.gate.parts;
  const put = inputs.put.bind(inputs);
  (inputs as { put: typeof put }).put = async (digest, body, kind) => {
    stored.push(body);
    return put(digest, body, kind);
  };
  await world.send(bash('p1', `${text} # ${'x'.repeat(3_000)}`));
  const [card] = world.slack.cards.values();
  await world.click('p1', 'alice', 'approve', { shown: JSON.stringify({ blocks: card?.blocks }) });
  expect(stored.length).toBeGreaterThan(0);
  expect(stored.join('\n')).not.toContain(JSON.stringify(secret).slice(1, -1));
});

test('rules of the message are named by a digest, and no rules by none', async () => {
  const world = new World();
  await world.send(bash('p1', 'git status'));
  await world.send({ ...bash('p2', 'git status -s'), rules: [{ effect: 'deny', pattern: 'Read' }] });
  await world.send({ ...bash('p3', 'git status -b'), rules: [{ effect: 'deny', pattern: 'Edit' }] });
  const [none, first, second] = await Promise.all(['p1', 'p2', 'p3'].map((id) => claimOf(world, id)));
  expect(none).not.toHaveProperty('rulesDigest');
  expect(first?.rulesDigest).toMatch(/^[0-9a-f]{64}$/);
  expect(second?.rulesDigest).not.toBe(first?.rulesDigest);
});

test('the text of the policy file stands under the version that entries name', async () => {
  const world = new World();
  const { parts } = world.gate;
  await storePolicy(parts);
  const text = await parts.inputs.get(parts.policy.version, 'record');
  expect(sha256Hex(text)).toBe(parts.policy.version);
  expect(text).toBe(canonicalJson(JSON.parse(text)));
});

test('a decision by people says how long they took', async () => {
  const world = new World();
  await world.send(bash('p1', 'git push origin main'));
  await world.clock.advance(90_000);
  await world.click('p1', 'alice');
  const entries = await world.look.audit.ofProposal('coder', world.pid('p1'));
  expect(entries.find(({ key }) => key.sort === 'decided')?.entry.waitedMs).toBe(90_000);
});

test.each(['182d', '1d'])('a retention of %s is refused: at least six months (G38)', (time) => {
  for (const record of [`{ retention: ${time} }`, `{ retention: { vote: ${time} } }`])
    expect(() => policyOf({ more: `record: ${record}\n` })).toThrow('at least 183d');
});

describe('entries may go when their retention is over', () => {
  const times = async (more: string) => {
    const written: AuditRecord[] = [];
    const world = new World(policyOf({ more }), {
      wrap: <Port extends object>(name: string, port: Port) =>
        name === 'audit' || name === 'claims'
          ? (new Proxy(port, {
              get: (target, key) => {
                const method = Reflect.get(target, key) as unknown;
                if (typeof method !== 'function' || !['put', 'claim', 'open'].includes(String(key))) return method;
                return (...given: unknown[]) => {
                  const [first] = given as [AuditRecord | { readonly record: AuditRecord }];
                  written.push('record' in first ? first.record : first);
                  return Reflect.apply(method, target, given) as unknown;
                };
              },
            }) as Port)
          : port,
    });
    await world.send(bash('p1', 'git push origin main'));
    await world.click('p1', 'stranger');
    return Object.fromEntries(
      written.map(({ entry, expiresAt = 0 }) => [entry.type, (expiresAt - Date.parse(entry.recordedAt)) / DAY]),
    );
  };

  test('after 400 days, unless stated', async () => {
    expect(await times('')).toEqual({ evaluated: 400, click: 400 });
  });

  test('by the time of the policy file, for all kinds or for each', async () => {
    expect(await times('record: { retention: 200d }\n')).toEqual({ evaluated: 200, click: 200 });
    const each = 'record: { retention: { decision: 900d, click: 183d } }\n';
    expect(await times(each)).toEqual({ evaluated: 900, click: 183 });
  });
});
