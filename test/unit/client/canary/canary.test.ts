/** Checks that the canary tells a right gate from a wrong one, and bothers nobody. */
import { afterEach, describe, expect, test } from 'vitest';
import { createMemoryGate } from '../../../../shared/adapters/memory/gate.ts';
import type { MemoryGate, MemoryGateOptions } from '../../../../shared/adapters/memory/gate-parts.ts';
import { secretlintDetector } from '../../../../shared/adapters/secretlint/detector.ts';
import { runCanary } from '../../../../shared/client/canary/canary.ts';
import { CountersignClient, type CountersignClientOptions } from '../../../../shared/client/index.ts';
import { withCanary, withoutCanary } from '../../../../shared/config/canary.ts';
import type { PolicyDocument } from '../../../../shared/config/document.ts';
import { loadPolicy } from '../../../../shared/config/load.ts';
import { CANARY, CANARY_TOOL, CANARY_VERDICTS } from '../../../../shared/domain/canary.ts';
import { canonicalJson, pidOf, sha256Hex } from '../../../../shared/domain/digest.ts';
import { loadShellParser } from '../../../../shared/permissions/shell/parser.ts';
import type { DecisionReader, ReadDecision, Redeemer } from '../../../../shared/ports/agent-side.ts';
import { systemClock } from '../../../../shared/ports/clock.ts';
import { systemTimers } from '../../../../shared/ports/timers.ts';
import { countingIds } from '../../../../shared/testing/counting-ids.ts';
import { FakeClock } from '../../../../shared/testing/fake-clock.ts';
import { policyOf } from '../../use-cases/world.ts';

let gate: MemoryGate | undefined;
afterEach(() => gate?.stop());

/** Looks at once: no test waits for the clock. */
const soon = () => new Promise<void>((resolve) => setTimeout(resolve, 5));

/** A gate in real time; `posts` are the messages that it sent to Slack. */
function started(document: PolicyDocument, options: Partial<MemoryGateOptions> = {}) {
  const posts: unknown[] = [];
  const note = async (...given: unknown[]) => {
    posts.push(given);
  };
  const made = createMemoryGate({
    document,
    clock: systemClock,
    timers: systemTimers,
    ids: countingIds(),
    shell: loadShellParser,
    detector: async () => secretlintDetector(),
    poster: {
      post: async (channel) => {
        posts.push(channel);
        return { channel, ts: '1700000000.000001' };
      },
      update: async () => {
        posts.push('update');
        return true;
      },
      reply: note,
      announce: note,
      message: note,
    },
    deployment: 'test',
    ...options,
  });
  gate = made;
  const side = { ...made.agentSide(CANARY), queueUrl: 'memory', auditTable: 'memory', sleep: soon };
  const run = (more: Partial<CountersignClientOptions> = {}, expiry: { readonly expiresAfterMs?: number } = {}) =>
    runCanary({ ...side, ...more }, expiry);
  return { made, posts, side, run };
}

const GRANTED = { granted: true };
const refused = (permit: string) => ({ granted: false, permit, error: { code: 'PermitSpent' } });
const until = async (isThere: () => Promise<boolean>) => {
  while (!(await isThere())) await soon();
};

const results = ({ checks }: Awaited<ReturnType<typeof runCanary>>) =>
  Object.fromEntries(checks.map(({ expected, result, got }) => [expected, `${result}: ${got}`]));

describe('a run', () => {
  test('gets an allow, a deny, and a question that it withdraws; no message goes to Slack', async () => {
    const { posts, run, made } = started(withCanary(policyOf({ ask: ['Deploy'] })));
    const report = await run();
    expect(report.passed).toBe(true);
    expect(results(report)).toEqual({
      allow: 'right: allow',
      deny: 'right: deny',
      ask: 'right: ask',
      redeem: 'right: once',
    });
    expect(posts).toEqual([]);
    const asked = report.checks.find(({ expected }) => expected === 'ask');
    const rows = await made.parts.audit.ofProposal(CANARY, pidOf('test', CANARY, asked?.proposalId ?? ''));
    expect(rows.map(({ entry }) => entry.type)).toEqual(['evaluated', 'cancel', 'decided']);
  });

  test('may be repeated: each is a question of its own', async () => {
    const { run } = started(withCanary(policyOf()));
    const reports = [await run(), await run()];
    expect(reports.map(({ passed }) => passed)).toEqual([true, true]);
    expect(new Set(reports.flatMap(({ checks }) => checks.map(({ proposalId }) => proposalId))).size).toBe(8);
  });

  test('asks nobody, also where a rule of the file asks about every tool', async () => {
    const { posts, run } = started(withCanary(policyOf({ ask: ["'*'"] })));
    const report = await run();
    expect(report.passed).toBe(true);
    expect(results(report)).toMatchObject({ allow: 'stricter: ask', deny: 'right: deny', redeem: 'stricter: ask' });
    expect(posts).toEqual([]);
  });

  test('a pause is no fault of the gate', async () => {
    const { run, made } = started(withCanary(policyOf()));
    const control = await made.parts.control.read();
    const pause = { scope: { all: true }, effect: 'deny', reason: 'a drill', by: 'ops' } as const;
    await made.parts.control.write({ ...control, version: control.version + 1, pauses: [pause] });
    const report = await run({}, { expiresAfterMs: 60_000 });
    expect(report.passed).toBe(true);
    expect(results(report)).toEqual({
      allow: 'stricter: deny',
      ask: 'stricter: deny',
      deny: 'right: deny',
      redeem: 'stricter: deny',
      expire: 'stricter: deny',
    });
  });

  test.each([
    ['a deny that became an allow', 'deny', 'wrong: allow'],
    ['a question that became an allow', 'ask', 'wrong: allow'],
  ] as const)('%s is a wrong verdict', async (_, expected, told) => {
    const document = withCanary(policyOf());
    const { rules } = document.policy;
    const broken = { ...document.policy, rules: { ...rules, [expected]: [], allow: [CANARY_TOOL] } };
    const { run } = started({ ...document, policy: broken as PolicyDocument['policy'] });
    const report = await run();
    expect(report.passed).toBe(false);
    expect(results(report)[expected]).toBe(told);
  });

  test('a question that nobody answers expires, after its time, and no message goes to Slack', async () => {
    const { posts, run, made } = started(withCanary(policyOf()));
    const report = await run({}, { expiresAfterMs: 300 });
    expect(report.passed).toBe(true);
    expect(results(report)).toMatchObject({ expire: 'right: expired', ask: 'right: ask' });
    const left = report.checks.find(({ expected }) => expected === 'expire');
    expect(left?.ms).toBeGreaterThanOrEqual(300);
    const rows = await made.parts.audit.ofProposal(CANARY, pidOf('test', CANARY, left?.proposalId ?? ''));
    expect(rows.map(({ entry }) => entry.type)).toEqual(['evaluated', 'decided']);
    expect(posts).toEqual([]);
  });

  test.each([
    ['that people approved', { outcome: 'approved' }, 'wrong: asked, then approved'],
    ['that ended before its time', { decidedAt: '2026-01-01T00:00:00.000Z' }, 'failed: expired before its time'],
    ['that ended otherwise', { outcome: 'rejected' }, 'failed: asked, then rejected'],
  ])('a question %s is no expiry', async (_, ended, told) => {
    const { run, side } = started(withCanary(policyOf()));
    const reader: DecisionReader = {
      async read(agent, pid, signal) {
        const row = await side.reader.read(agent, pid, signal);
        const decision = row?.decision?.outcome === 'expired' ? { ...row.decision, ...ended } : row?.decision;
        return row && ({ ...row, decision } as ReadDecision);
      },
    };
    const report = await run({ reader }, { expiresAfterMs: 200 });
    expect(results(report)['expire']).toBe(told);
    expect(report.passed).toBe(false);
  });

  test('a permit is of use once: its run is reported, and the second use is refused on the record', async () => {
    const { run, made, posts } = started(withCanary(policyOf()));
    const report = await run();
    const used = report.checks.find(({ expected }) => expected === 'redeem');
    const pid = pidOf('test', CANARY, used?.proposalId ?? '');
    await until(async () => (await made.parts.audit.ofProposal(CANARY, pid)).some(({ entry }) => entry.type === 'ran'));
    const rows = await made.parts.audit.ofProposal(CANARY, pid);
    expect(rows.map(({ entry }) => entry.type).toSorted()).toEqual(['evaluated', 'ran', 'refused']);
    expect(posts).toEqual([]);
  });

  test.each([
    ['granted twice', async () => GRANTED, 'wrong: twice', false],
    ['refused at once', async () => refused('none'), 'failed: never: PermitSpent', false],
    ['refused by a limit for every tool', async () => refused('usable'), 'stricter: not now', true],
    ['not answered', () => Promise.reject(new TypeError('fetch failed')), 'failed: TypeError', false],
  ])('a permit that is %s', async (_, redeem, told, passed) => {
    const { run } = started(withCanary(policyOf()));
    const report = await run({ redeemer: { redeem: redeem as unknown as Redeemer['redeem'] } });
    expect(results(report)['redeem']).toBe(told);
    expect(report.passed).toBe(passed);
  });

  test('its tool is refused to every other agent: no permit, and no question that nobody could see', async () => {
    const { posts, made } = started(withCanary(policyOf()));
    const client = new CountersignClient({
      ...made.agentSide('coder'),
      ...{ queueUrl: 'memory', auditTable: 'memory', sleep: soon },
    });
    for (const verdict of CANARY_VERDICTS) {
      const input = { verdict, command: 'rm -rf /' };
      const decision = await client.wait(await client.propose({ toolName: CANARY_TOOL, input }));
      expect(decision.outcome).toBe('error');
      expect(decision.message).toContain('reserved for the gate');
    }
    expect(posts).toEqual([]);
  });

  test('a gate that cannot decide fails it', async () => {
    const clock = new FakeClock();
    const { made } = started(withCanary(policyOf()));
    const sleep = async (ms: number) => clock.advance(ms);
    const queue = { publish: async () => undefined };
    const options = { ...made.agentSide(CANARY), queueUrl: 'memory', auditTable: 'memory', queue, clock, sleep };
    const report = await runCanary(options);
    expect(report.passed).toBe(false);
    expect(results(report)).toMatchObject({ allow: 'failed: NoDecisionError', ask: 'failed: NoDecisionError' });
  });
});

describe('the policy', () => {
  test('keeps the version of the file: without the canary it is the text that the version names', () => {
    for (const document of [policyOf(), policyOf({ deny: ['Write'], ask: ['Deploy'], allow: ['Read'] })]) {
      const { policyVersion, policy } = withCanary(document);
      expect(withoutCanary(policy)).toEqual(document.policy);
      expect(sha256Hex(canonicalJson(withoutCanary(policy)))).toBe(policyVersion);
      expect(withoutCanary(document.policy)).toBe(document.policy);
    }
  });

  test.each([
    ['an agent', `agents: { '${CANARY}': { owner: olga } }`, /must begin with a letter/],
    ['a tool', `agents: {}\ntools: { ${CANARY_TOOL}: { permissions: [Read] } }`, /reserved for the gate's own canary/],
    ['a rule', `agents: {}\nrules: { allow: ['${CANARY_TOOL}(deny)'] }`, /reserved for the gate's own canary/],
    ['a rule with fields', `agents: {}\nrules: { ask: [{ rule: ${CANARY_TOOL} }] }`, /reserved for the gate's own/],
  ])('%s of the file cannot have its name', (_, text, problem) => {
    expect(() => loadPolicy(text, 'policy.yaml')).toThrow(problem);
  });
});
