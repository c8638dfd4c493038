/**
 * Checks each mode on a call that nothing decides before it, and invariants of all modes.
 *
 * Covers R4-003 … R4-045, D2 … D9, D14.
 */
import { describe, expect, test } from 'vitest';
import { MODES } from '../../../../shared/permissions/model/modes.ts';
import { createToolRegistry } from '../../../../shared/permissions/model/tools.ts';
import type {
  ClassifierFact,
  Mode,
  ParentFact,
  RuleSource,
  SessionFacts,
} from '../../../../shared/permissions/model/types.ts';
import { judge, SURE_TO_ALLOW } from '../support.ts';

const tools = createToolRegistry([
  { name: 'Pay', permissions: ['Sensitive'] },
  { name: 'Sync', permissions: ['Read', 'Write'] },
  { name: 'Build', permissions: ['Write', 'Execute'] },
  { name: 'Send', permissions: ['Write', 'Network'] },
  { name: 'Seal', permissions: ['Write', 'Sensitive'] },
  { name: 'Watch', permissions: ['Read', 'Network'] },
  { name: 'Note', permissions: [] },
]);

/** Calls that no rule speaks of. */
const CALLS = {
  'read inside': ['Read', { file_path: 'src/a.ts' }],
  'read the root': ['Read', { file_path: '.' }],
  'read outside': ['Read', { file_path: '/etc/hosts' }],
  'read beside': ['Read', { file_path: '/workspace/app2/a.ts' }],
  'search here': ['Grep', { pattern: 'x' }],
  'search outside': ['Grep', { pattern: 'x', path: '/etc' }],
  'edit inside': ['Edit', { file_path: 'src/a.ts' }],
  'edit outside': ['Edit', { file_path: '../a.ts' }],
  'edit both': ['Edit', { file_path: 'src/a.ts', path: '/etc/hosts' }],
  command: ['Bash', { command: 'make all' }],
  fetch: ['WebFetch', { url: 'https://example.com/' }],
  sensitive: ['Pay', { sum: 1 }],
  'read and write': ['Sync', { path: 'src/a.ts' }],
  'read and write outside': ['Sync', { path: '/etc/hosts' }],
  'write and execute': ['Build', { path: 'src/a.ts' }],
  'write and network': ['Send', { path: 'src/a.ts' }],
  'write and sensitive': ['Seal', { path: 'src/a.ts' }],
  'read and network': ['Watch', { path: 'src/a.ts' }],
  'empty set': ['Note', { text: 'x' }],
  'not listed': ['mcp__x__y', { text: 'x' }],
} as const;
type Call = keyof typeof CALLS;
const NAMES = Object.keys(CALLS) as Call[];

const inMode = (mode: Mode | string, call: Call, facts: Partial<SessionFacts> = {}, more = {}) =>
  judge(CALLS[call][0], CALLS[call][1], [], { tools, mode, ...more }, facts);

const READS: readonly Call[] = ['read inside', 'read the root', 'search here'];
const EDITS: readonly Call[] = ['edit inside', 'read and write'];
const CHANGES: readonly Call[] = [
  ...['edit inside', 'edit outside', 'edit both', 'command', 'sensitive', 'read and write'],
  ...['read and write outside', 'write and execute', 'write and network', 'write and sensitive'],
] as Call[];

describe.each(NAMES)('%s', (call) => {
  test('D5: default allows only reading inside the project', () => {
    const expected = READS.includes(call)
      ? { verdict: 'allow', reason: 'handler', source: 'mode_dispatch' }
      : { verdict: 'ask', reason: 'handler', source: 'mode_dispatch' };
    expect(inMode('default', call)).toMatchObject(expected);
  });

  test('D4: plan denies what changes something and what is not listed, and lets the rest pass', () => {
    const expected = CHANGES.includes(call) || call === 'not listed' ? 'deny' : 'allow';
    expect(inMode('plan', call)).toMatchObject({ verdict: expected, reason: 'plan_mode', source: 'plan_mode' });
  });

  test('D6: accept-edits adds edits inside the project, and no set with anything beside Read and Write', () => {
    const reason = EDITS.includes(call) ? 'accept_edits' : 'handler';
    const verdict = EDITS.includes(call) || READS.includes(call) ? 'allow' : 'ask';
    expect(inMode('acceptEdits', call)).toMatchObject({ verdict, reason });
  });

  test("D7: don't-ask denies, and does not count", () => {
    expect(inMode('dontAsk', call)).toMatchObject({ verdict: 'deny', reason: 'dont_ask', countsForTracker: false });
  });

  test('D8: auto without a classifier asks', () => {
    expect(inMode('auto', call)).toMatchObject({ verdict: 'ask', reason: 'no_handler' });
  });

  test('D9: bubble without a parent asks', () => {
    expect(inMode('bubble', call)).toMatchObject({ verdict: 'ask', reason: 'bubble' });
  });

  test('D2: bypass replaces the question where the deployment enables it; where not, default mode counts', () => {
    expect(inMode('bypass', call)).toMatchObject({ verdict: 'allow', reason: 'bypass', source: 'bypass_mode' });
    const off = inMode('default', call);
    for (const bypass of [undefined, { enabled: false, honoursRules: false }, { enabled: false, honoursRules: true }])
      expect(inMode('bypass', call, {}, { bypass })).toEqual(off);
  });

  test('an unattended session denies instead of asking, and that does not count', () => {
    const unattended = inMode('default', call, {}, { unattended: true });
    if (READS.includes(call)) expect(unattended.verdict).toBe('allow');
    else
      expect(unattended).toMatchObject({
        verdict: 'deny',
        reason: 'no_handler',
        source: 'handler_check',
        countsForTracker: false,
      });
  });
});

describe('auto (R4-039 … R4-042, D8)', () => {
  const says = (classifier: ClassifierFact, call: Call = 'command') => inMode('auto', call, { classifier });
  const sure = (shouldBlock: unknown, confidence: number): ClassifierFact => ({
    state: 'answered',
    result: { shouldBlock: shouldBlock as boolean, reason: 'Because.', confidence },
  });
  test.each([
    [false, 0.8, 'allow'],
    [false, 1, 'allow'],
    [true, 0.8, 'deny'],
    [false, 0.79, 'ask'],
    [true, 0.79, 'ask'],
    [false, 1.01, 'ask'],
    [false, Number.NaN, 'ask'],
    [false, Number.POSITIVE_INFINITY, 'ask'],
    ['', 1, 'ask'],
    [undefined, 1, 'ask'],
  ])('should block %j with confidence %d: %s', (shouldBlock, confidence, verdict) => {
    expect(says(sure(shouldBlock, confidence))).toMatchObject({ verdict, reason: 'classifier' });
  });

  test('what fails asks, and what was denied before is denied without the classifier, and counted', () => {
    expect(says({ state: 'failed', why: 'late' })).toMatchObject({ verdict: 'ask', code: 'classifier_failed' });
    const denials = { consecutive: 1, total: 1, deniedBefore: true };
    const again = inMode('auto', 'command', { denials, classifier: sure(false, 1) });
    expect(again).toMatchObject({ verdict: 'deny', reason: 'classifier', countsForTracker: true });
    expect(inMode('default', 'command', { denials }).verdict).toBe('ask');
  });

  test('an allow lifts no deny, no ask, no protected path and nothing that is not understood', () => {
    const facts = { now: 0, classifier: sure(false, 1) } as const;
    const at = (command: string, rules: Parameters<typeof judge>[2]) =>
      judge('Bash', { command }, rules, { mode: 'auto' }, facts);
    expect(at('make', [['deny', 'Bash(make:*)']])).toMatchObject({ verdict: 'deny', reason: 'rule_match' });
    expect(at('make', [['ask', 'Bash(make:*)']])).toMatchObject({ verdict: 'ask', reason: 'rule_match' });
    expect(at('cat .env', [])).toMatchObject({ verdict: 'deny', reason: 'protected_path' });
    expect(at('make $(', [])).toMatchObject({ verdict: 'ask', notUnderstood: true });
    expect(at('rm -rf /', [])).toMatchObject({ verdict: 'ask', code: 'critical-delete' });
  });
});

describe('bubble (R4-043, R4-044, D9)', () => {
  const answer = (verdict: 'allow' | 'deny' | 'ask' | 'error'): ParentFact => ({ state: 'answered', verdict });
  const under = (parent: ParentFact, rules: Parameters<typeof judge>[2] = [], command = 'make') =>
    judge('Bash', { command }, rules, { mode: 'bubble' }, { parent });

  test.each([
    ['allow', 'allow'],
    ['deny', 'deny'],
    ['ask', 'ask'],
    ['error', 'error'],
  ] as const)('the parent says %s: %s', (parentAnswer, verdict) => {
    expect(under(answer(parentAnswer))).toMatchObject({ verdict, reason: 'bubble' });
  });

  test("a parent's refusal wins over the child's allow and ask rules, and its allow lifts nothing", () => {
    const allow = [['allow', 'Bash(make:*)']] as const;
    const ask = [['ask', 'Bash(make:*)']] as const;
    for (const rules of [allow, ask]) {
      expect(under(answer('deny'), rules)).toMatchObject({ verdict: 'deny', code: 'parent_refused' });
      expect(under(answer('error'), rules)).toMatchObject({ verdict: 'error', code: 'parent_refused' });
      expect(under({ state: 'cycle' }, rules)).toMatchObject({ verdict: 'deny', code: 'parent_cycle' });
    }
    expect(under(answer('ask'), allow).verdict).toBe('allow');
    expect(under({ state: 'none' }, allow).verdict).toBe('allow');
    expect(under(answer('allow'), ask).verdict).toBe('ask');
    expect(under(answer('allow'), [['deny', 'Bash(make:*)']])).toMatchObject({ verdict: 'deny', reason: 'rule_match' });
    expect(under(answer('allow'), [], 'make $(').verdict).toBe('ask');
    expect(under(answer('allow'), [], 'cat .env')).toMatchObject({ verdict: 'deny', reason: 'protected_path' });
  });

  test("G5: the allow of a child does not answer an ask rule of the parent's, and whoever asks above hears of it", () => {
    const asks: ParentFact = { state: 'answered', verdict: 'ask', message: 'two people', humanRequired: true };
    expect(under(asks, [['allow', 'Bash(make:*)']])).toMatchObject({
      ...{ verdict: 'ask', reason: 'bubble', code: 'parent_asks', message: 'two people', humanRequired: true },
    });
    expect(under(asks, [['allow', 'Bash(make:*)']]).rule).toBeUndefined();
    expect(under(asks)).toMatchObject({ verdict: 'ask', reason: 'bubble', humanRequired: true });
    expect(under(answer('ask')).humanRequired).toBeUndefined();
    expect(judge('Bash', { command: 'make' }, [['allow', 'Bash(make:*)']], {}, { parent: asks }).verdict).toBe('allow');
  });

  test('a loop is a denial', () => {
    expect(under({ state: 'cycle' })).toMatchObject({ verdict: 'deny', reason: 'bubble' });
  });

  test("a parent's allow does not hide what the child's own rules deny (G8)", () => {
    const rules = [['deny', 'Bash(rm:*)']] as const;
    const code = 'python3 -c \'import os; os.system("rm x")\'';
    expect(under(answer('allow'), rules, code)).toMatchObject({ verdict: 'ask', code: 'may-run-denied' });
    expect(under(answer('allow'), rules, 'python3 -c 1').verdict).toBe('allow');
  });

  test("a parent's answer counts in bubble only", () => {
    expect(inMode('default', 'read inside', { parent: answer('deny') }).verdict).toBe('allow');
    expect(inMode('default', 'read inside', { parent: { state: 'cycle' } }).verdict).toBe('allow');
  });
});

describe('in every mode', () => {
  const SOURCES: readonly RuleSource[] = ['default', 'local', 'project', 'user', 'managed', 'cli', 'session'];
  const GRANT = { scope: 'session' } as const;
  const FACTS: Partial<SessionFacts> = {
    grant: GRANT,
    hook: { decision: 'allow' },
    classifier: SURE_TO_ALLOW,
    parent: { state: 'answered', verdict: 'allow' },
  };
  const all = SOURCES.map((source) => ['allow', '*', source] as const);
  const each = SOURCES.flatMap((source) => [
    ['allow', 'Read', source] as const,
    ['allow', 'Edit', source] as const,
    ['allow', 'Bash', source] as const,
  ]);

  test.each(MODES)('%s: a protected path is denied, whatever allows it (D3, R4-011 … R4-014)', (mode) => {
    for (const honoursRules of [true, false]) {
      const more = { mode, bypass: { enabled: true, honoursRules } };
      for (const [tool, input] of [
        ['Read', { file_path: '.env' }],
        ['Edit', { file_path: 'a/.git/config' }],
        ['Bash', { command: 'cat ~/.ssh/id_rsa' }],
      ] as const)
        expect(judge(tool, input, [...all, ...each], more, FACTS)).toMatchObject({
          verdict: 'deny',
          reason: 'protected_path',
          source: 'protected_paths',
        });
    }
  });

  test.each(MODES)('%s: deny beats ask beats allow (R4-024, R4-047 … R4-049)', (mode) => {
    const at = (...rules: Parameters<typeof judge>[2]) => judge('Read', { file_path: 'a' }, rules, { mode }, FACTS);
    const [deny, ask, allow] = [['deny', 'Read'] as const, ['ask', 'Read'] as const, ['allow', 'Read'] as const];
    expect(at(allow, ask, deny)).toMatchObject({ verdict: 'deny', reason: 'rule_match' });
    expect(at(allow, ask)).toMatchObject(
      mode === 'dontAsk'
        ? { verdict: 'deny', reason: 'dont_ask', countsForTracker: false }
        : { verdict: 'ask', reason: 'rule_match' },
    );
    expect(at(allow)).toMatchObject({ verdict: 'allow', reason: 'rule_match' });
  });

  test.each(MODES)('%s: a critical delete is not allowed without a person (D14)', (mode) => {
    for (const honoursRules of [true, false])
      for (const command of ['rm -rf /', 'rm -rf ~', 'rm -rf .', 'rm -rf ..', 'rm -rf /etc', 'rm -rf "$X"/*']) {
        const verdict = judge('Bash', { command }, each, { mode, bypass: { enabled: true, honoursRules } }, FACTS);
        expect([command, verdict.verdict]).not.toContain('allow');
      }
  });

  test.each(MODES)('%s: what is not understood is not allowed but by a person who saw exactly it', (mode) => {
    const { grant: _, ...facts } = FACTS;
    for (const honoursRules of [true, false]) {
      const at = (more: Partial<SessionFacts>) =>
        judge('Bash', { command: 'ls "$((x))"' }, each, { mode, bypass: { enabled: true, honoursRules } }, more);
      expect(at(facts).verdict).not.toBe('allow');
      expect(at({ ...facts, grant: { scope: 'session-all-tools' } }).verdict).not.toBe('allow');
      if (mode !== 'plan') expect(at({ ...facts, grant: GRANT }).verdict).toBe('allow');
    }
  });
});

describe('a shell that the policy file lists as reading or writing only', () => {
  test.each([
    ['default', 'Read', 'cat src/a.ts'],
    ['acceptEdits', 'Write', 'touch src/a.ts'],
  ] as const)('%s, %s: allows what is understood and stays inside, and no more', (mode, permission, command) => {
    const shells = createToolRegistry([{ name: 'Bash', permissions: [permission] }]);
    const verdict = (text: string) => judge('Bash', { command: text }, [], { mode, tools: shells }).verdict;
    expect(verdict(command)).toBe('allow');
    for (const text of ['ls "$((x))"', 'rm -rf /', 'cat /etc/hosts', 'curl x | sh', 'ls $('])
      expect([text, verdict(text)]).toEqual([text, 'ask']);
  });
});

describe('bypass as the seed has it (R4-015, R4-016)', () => {
  const more = { mode: 'bypass', bypass: { enabled: true, honoursRules: false } };
  test('rules, cache, tracker and people are not asked', () => {
    const denials = { consecutive: 9, total: 99 };
    const rules = [
      ['deny', 'Bash(make:*)'],
      ['ask', 'Bash(make:*)'],
    ] as const;
    expect(judge('Bash', { command: 'make' }, rules, more, { denials })).toMatchObject({
      verdict: 'allow',
      reason: 'bypass',
      source: 'bypass_mode',
    });
    const honours = { mode: 'bypass', bypass: { enabled: true, honoursRules: true } };
    expect(judge('Bash', { command: 'make' }, rules, honours, { denials }).verdict).toBe('deny');
  });
});

describe('stages 4 and 5 (R4-026, R4-027, R4-037, R4-085, R4-090, D11, D12)', () => {
  const over = { consecutive: 3, total: 3 };
  test('a grant answers what no rule matched, before tracker and mode, and no ask rule', () => {
    for (const mode of ['default', 'acceptEdits', 'dontAsk', 'auto'] as const)
      expect(inMode(mode, 'command', { grant: { scope: 'session' }, denials: over })).toMatchObject({
        verdict: 'allow',
        reason: 'cache_hit',
        source: 'approval_cache',
      });
    for (const effect of ['ask', 'deny'] as const) {
      const facts = { grant: { scope: 'session' } } as const;
      expect(judge('Bash', { command: 'make' }, [[effect, 'Bash(make:*)']], {}, facts).verdict).toBe(effect);
    }
  });

  test.each([
    ['default', 'ask', 'denial_tracker', 'denial_tracker'],
    ['acceptEdits', 'ask', 'denial_tracker', 'denial_tracker'],
    ['auto', 'ask', 'denial_tracker', 'denial_tracker'],
    ['bubble', 'ask', 'denial_tracker', 'denial_tracker'],
    ['plan', 'allow', 'plan_mode', 'plan_mode'],
    ['dontAsk', 'deny', 'dont_ask', 'mode_dispatch'],
    ['bypass', 'allow', 'bypass', 'bypass_mode'],
  ] as const)('over the threshold, %s: %s, %s', (mode, verdict, reason, source) => {
    const facts = { denials: over, parent: { state: 'answered', verdict: 'allow' } } as const;
    expect(inMode(mode, 'read inside', facts)).toMatchObject({ verdict, reason, source });
  });

  test.each([
    [{ consecutive: 2, total: 19 }, false],
    [{ consecutive: 3, total: 3 }, true],
    [{ consecutive: 0, total: 20 }, true],
    [{ consecutive: Number.NaN, total: 0 }, true],
    [{ consecutive: 0, total: Number.NaN }, true],
    [{ consecutive: 1, total: 1, maxConsecutive: 1 }, true],
    [{ consecutive: 1, total: 5, maxTotal: 5 }, true],
    [{ consecutive: 4, total: 40, maxConsecutive: 5, maxTotal: 50 }, false],
    [{ consecutive: 1, total: 1, maxConsecutive: Number.NaN }, true],
  ])('R4-087: %j trips: %s', (denials, trips) => {
    expect(inMode('default', 'command', { denials }).reason === 'denial_tracker').toBe(trips);
  });

  test('only what the mode decides is counted (R4-089, R4-090)', () => {
    const counted = (mode: Mode, call: Call, facts: Partial<SessionFacts> = {}) =>
      inMode(mode, call, facts).countsForTracker === true;
    const block = { state: 'answered', result: { shouldBlock: true, reason: '', confidence: 1 } } as const;
    expect(counted('auto', 'command', { classifier: block })).toBe(true);
    expect(
      counted('auto', 'command', { classifier: { ...block, result: { ...block.result, shouldBlock: false } } }),
    ).toBe(true);
    expect(counted('default', 'read inside')).toBe(true);
    expect(counted('acceptEdits', 'edit inside')).toBe(true);
    expect(counted('bubble', 'command', { parent: { state: 'answered', verdict: 'deny' } })).toBe(true);
    expect(counted('bubble', 'command', { parent: { state: 'answered', verdict: 'allow' } })).toBe(true);
    expect(counted('bubble', 'command', { parent: { state: 'cycle' } })).toBe(false);
    expect(counted('plan', 'command')).toBe(false);
    expect(counted('default', 'command', { grant: { scope: 'session' } })).toBe(false);
    expect(judge('Read', { file_path: '.env' }, []).countsForTracker).not.toBe(true);
    expect(judge('Read', { file_path: 'a' }, [['deny', 'Read']]).countsForTracker).not.toBe(true);
  });
});

describe('the emergency brake (A18)', () => {
  const paused = (until: number | undefined, now: number, effect: 'deny' | 'ask' = 'deny') =>
    judge('Read', { file_path: 'a' }, [['allow', 'Read']], { pause: { effect, until } }, { now });
  test('a paused deny denies, a paused ask has a person asked, until its end', () => {
    expect(paused(undefined, 5)).toMatchObject({ verdict: 'deny', reason: 'policy', source: 'pause' });
    expect(paused(undefined, 5, 'ask')).toMatchObject({ verdict: 'ask', reason: 'policy', humanRequired: true });
    expect(paused(10, 9).verdict).toBe('deny');
    expect(paused(10, 10).verdict).toBe('allow');
    expect(paused(10, 10, 'ask').verdict).toBe('allow');
    expect(paused(Number.NaN, 10).verdict).toBe('deny');
    expect(paused(10, Number.NaN).verdict).toBe('deny');
    expect(paused(Number.NEGATIVE_INFINITY, 10).verdict).toBe('deny');
    expect(paused(10, Number.POSITIVE_INFINITY).verdict).toBe('deny');
  });

  test('a paused ask lifts no deny', () => {
    const more = { pause: { effect: 'ask' } } as const;
    expect(judge('Read', { file_path: 'a' }, [['deny', 'Read']], more).verdict).toBe('deny');
    expect(judge('Read', { file_path: '.env' }, [['allow', 'Read']], more).verdict).toBe('deny');
  });
});
