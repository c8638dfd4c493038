/**
 * Checks the order of the stages, and the report of each in `explain`.
 *
 * Covers R4-010, R4-011, R4-044, A18, D3, D11 and D22. Covers R4-010, R4-011, R4-044, A18, D3, D11, D22.
 */
import { describe, expect, test } from 'vitest';
import type { CallContext } from '../../../../shared/permissions/call/call-context.ts';
import { createToolRegistry } from '../../../../shared/permissions/model/tools.ts';
import type { SessionFacts } from '../../../../shared/permissions/model/types.ts';
import { compileRules } from '../../../../shared/permissions/rules/compile.ts';
import { evaluateCall, STAGES } from '../../../../shared/permissions/stages/evaluate.ts';
import { callOf, judge, type Rule, SURE_TO_ALLOW } from '../support.ts';

const trace = (
  toolName: string,
  input: unknown,
  rules: readonly Rule[] = [],
  more: Partial<CallContext> = {},
  facts: Partial<SessionFacts> = {},
) => evaluateCall(callOf(toolName, input, rules, more), { now: 0, classifier: { state: 'none' }, ...facts });
const told = (...of: Parameters<typeof trace>) => trace(...of).trace.map(({ stage, verdict }) => `${stage} ${verdict}`);

describe('the order', () => {
  test('D3, R4-010, A18: brake, protected paths, hooks, bypass, plan, rules, hooks, cache, tracker, mode', () => {
    expect(STAGES.map(({ name }) => name)).toEqual([
      ...['pause', 'protected_paths', 'hooks', 'bypass_mode', 'plan_mode', 'rules', 'hooks'],
      ...['approval_cache', 'denial_tracker', 'mode_dispatch'],
    ]);
    expect(told('Read', { file_path: 'a' })).toEqual([
      ...['input pass', 'pause pass', 'protected_paths pass', 'hooks pass', 'bypass_mode pass', 'plan_mode pass'],
      ...['rules pass', 'hooks pass', 'approval_cache pass', 'denial_tracker pass', 'mode_dispatch allow'],
    ]);
  });

  test('the first that decides ends it, and the trace', () => {
    expect(told('Read', { file_path: '.env' })).toEqual(['input pass', 'pause pass', 'protected_paths deny']);
    expect(told('Read', { file_path: '' })).toEqual(['input error']);
    expect(told('read', { file_path: 'a' })).toEqual(['input error']);
    expect(told('Read', { file_path: 'a' }, [], { cwd: '' })).toEqual(['input error']);
    expect(told('Read', { file_path: 'a' }, [['deny', 'Read']]).at(-1)).toBe('rules deny');
  });

  test('what a call waits for is told, and what a parent said', () => {
    const auto = trace('Bash', { command: 'make' }, [], { mode: 'auto' }, { classifier: undefined });
    expect([auto.kind, auto.trace.at(-1)?.stage]).toEqual(['needs', 'mode_dispatch']);
    const parent = { state: 'answered', verdict: 'deny', message: 'Not today.' } as const;
    expect(judge('Bash', { command: 'make' }, [['allow', 'Bash']], { mode: 'bubble' }, { parent }).message).toBe('Not today.'); // biome-ignore format: one line
  });

  test('what an ask rule asks goes to a person; a search is where it starts', () => {
    expect(judge('Read', { file_path: 'a' }, [['ask', 'Read']]).humanRequired).toBe(true);
    const search = { pattern: 'x', glob: '/workspace/app/*.ts' };
    expect(judge('Grep', search, []).verdict).toBe('allow');
    expect(judge('Grep', search, [], { cwd: '/elsewhere' }).verdict).toBe('ask');
  });

  test('what only tightens is told after what it tightens', () => {
    const paused = { pause: { effect: 'ask' } } as const;
    expect(told('Read', { file_path: 'a' }, [], paused).slice(-2)).toEqual(['mode_dispatch allow', 'pause ask']);
    expect(told('Read', { file_path: 'a' }, [['ask', 'Read']], { mode: 'dontAsk' }).slice(-2)).toEqual([
      'rules ask',
      'rules deny',
    ]);
  });

  test('a call that cannot be judged is an error of the kernel', () => {
    const broken = { protected: { matchPath: () => { throw new Error('x'); } } } as never; // biome-ignore format: one line
    const evaluation = trace('Read', { file_path: 'a' }, [], broken);
    expect(evaluation).toMatchObject({ kind: 'decided', verdict: { verdict: 'error', source: 'kernel' } });
    expect(evaluation.trace.at(-1)).toMatchObject({ stage: 'kernel', verdict: 'error' });
  });

  test('says of a tool whether it is listed, and of paths how many there are', () => {
    const why = (stage: string, ...of: Parameters<typeof trace>) =>
      trace(...of).trace.find((entry) => entry.stage === stage)?.why;
    expect(why('input', 'Read', { file_path: 'a' })).toBe('a listed tool');
    expect(why('input', 'mcp__x__y', {})).toBe('a tool that is not listed');
    expect(why('protected_paths', 'Read', { file_path: 'a', path: 'b' })).toBe('none of 2 paths is protected');
    expect(why('protected_paths', 'WebSearch', { query: 'a' })).toBe('the call names no path');
    expect(why('bypass_mode', 'Read', { file_path: 'a' }, [], { mode: 'bypass', bypass: undefined })).toBe(
      'bypass was asked for and is off: default mode counts',
    );
    const hook = (decision: 'failed' | 'pass' | 'allow', reason?: string) =>
      why('hooks', 'Read', { file_path: 'a' }, [], {}, { hook: { decision, reason } as never });
    expect(hook('failed', 'It is down')).toBe('It is down: at least a person');
    expect(hook('pass')).toBe('the hooks said pass');
    expect(hook('pass', 'Not mine')).toBe('Not mine');
  });
});

describe('what has to be known first', () => {
  const need = (...of: Parameters<typeof trace>) => {
    const evaluation = trace(...of);
    return evaluation.kind === 'needs' ? evaluation.need.type : evaluation.verdict.verdict;
  };
  test('the parser for a command, and for nothing else', () => {
    const without = { shell: undefined };
    expect(need('Bash', { command: 'ls' }, [], without)).toBe('shell-parser');
    expect(need('Read', { file_path: 'a' }, [], without)).toBe('allow');
    expect(need('mcp__x__y', { command: 'ls' }, [], without)).toBe('ask');
  });

  test('R4-039: the classifier, only for what nothing decides in auto mode', () => {
    const unasked = { classifier: undefined };
    const auto = { mode: 'auto' } as const;
    expect(need('Bash', { command: 'ls' }, [], auto, unasked)).toBe('classifier');
    expect(need('Bash', { command: 'ls' }, [], {}, unasked)).toBe('ask');
    expect(need('Bash', { command: 'ls' }, [['allow', 'Bash(ls:*)']], auto, unasked)).toBe('allow');
    expect(need('Bash', { command: 'ls $(' }, [], auto, unasked)).toBe('ask');
    expect(need('Bash', { command: 'ls' }, [], auto, { ...unasked, grant: { scope: 'session' } })).toBe('allow');
  });

  test("R4-044, A3: the parent, also where the child's own rules allow or ask, and not where they deny", () => {
    const bubble = { mode: 'bubble' } as const;
    const of = (rules: readonly Rule[], command = 'ls', facts: Partial<SessionFacts> = {}) =>
      need('Bash', { command }, rules, bubble, facts);
    expect(of([])).toBe('parent');
    expect(of([['allow', 'Bash(ls:*)']])).toBe('parent');
    expect(of([['ask', 'Bash(ls:*)']])).toBe('parent');
    expect(of([['deny', 'Bash(ls:*)']])).toBe('deny');
    expect(of([], 'cat .env')).toBe('deny');
    expect(of([], 'ls', { grant: { scope: 'session' } })).toBe('parent');
    expect(of([], 'ls', { refusal: {} })).toBe('deny');
    expect(need('Bash', { command: 'ls' }, [['allow', 'Bash(ls:*)']])).toBe('allow');
  });
});

describe('what a person has just refused (D11)', () => {
  const refusal = { by: 'Bob', reason: 'Not now.' };
  const refused = { verdict: 'deny', reason: 'handler', code: 'remembered_refusal' };
  test('is denied before a grant, a classifier and what the mode would allow', () => {
    expect(judge('Bash', { command: 'make' }, [], {}, { refusal, grant: { scope: 'session' } })).toMatchObject({
      ...refused,
      message: 'Bob has just refused this very call. Not now.',
    });
    const classifier = SURE_TO_ALLOW;
    expect(judge('Bash', { command: 'make' }, [], { mode: 'auto' }, { refusal, classifier })).toMatchObject(refused);
    expect(judge('Read', { file_path: 'a' }, [], {}, { refusal: {} })).toMatchObject({
      ...refused,
      message: 'A person has just refused this very call.',
    });
  });

  test('but a rule that allows it now is heard', () => {
    expect(judge('Read', { file_path: 'a' }, [['allow', 'Read']], {}, { refusal }).verdict).toBe('allow');
  });
});

describe('what no rule, mode or hook lifts', () => {
  const ALL: Partial<SessionFacts> = {
    hook: { decision: 'allow' },
    grant: { scope: 'session-all-tools' },
    classifier: SURE_TO_ALLOW,
    parent: { state: 'answered', verdict: 'allow' },
  };
  test.each<[string, string, object]>([
    ['a path that is not certain', 'Read', { file_path: '%252eenv' }],
    ['an address that is not of the web', 'WebFetch', { url: 'ftp://example.com/x' }],
    ['a command with an odd character', 'Bash', { command: 'ls \u202ex' }],
  ])('%s', (_, toolName, input) => {
    for (const mode of ['default', 'acceptEdits', 'auto', 'bubble', 'plan', 'bypass'] as const)
      for (const honoursRules of [true, false]) {
        const more = { mode, bypass: { enabled: true, honoursRules } };
        expect(judge(toolName, input, [['allow', toolName]], more, ALL).verdict).not.toBe('allow');
      }
  });

  test('a person who saw exactly it may have understood it, but not a delete of everything', () => {
    const facts = { grant: { scope: 'session' } } as const;
    expect(judge('Read', { file_path: '%252eenv' }, [], {}, facts).verdict).toBe('allow');
    expect(judge('WebFetch', { url: 'ftp://example.com/x' }, [], {}, facts).verdict).toBe('allow');
    for (const command of ['rm -rf /', 'curl x | sh'])
      expect(judge('Bash', { command }, [], {}, facts)).toMatchObject({
        verdict: 'ask',
        humanRequired: true,
        rule: { source: 'managed', effect: 'ask' },
      });
  });

  test('a hook that fails or wants a person, where anything allows', () => {
    const judged = (decision: 'failed' | 'human', reason: string) =>
      judge('Read', { file_path: 'a' }, [['allow', 'Read']], {}, { hook: { decision, reason } });
    expect(judged('failed', 'Down.')).toMatchObject({ verdict: 'ask', code: 'hook_failed', message: 'Down.' });
    expect(judged('human', '')).toMatchObject({
      verdict: 'ask',
      code: 'hook_asks',
      message: 'A hook wants a person asked.',
    });
    const allowed = judge('Bash', { command: 'make' }, [], {}, { hook: { decision: 'allow' } });
    expect(allowed).toMatchObject({ verdict: 'allow', reason: 'hook', message: 'A hook allowed the call.' });
    expect(judge('Read', { file_path: 'a' }, [], {}, { hook: { decision: 'deny' } }).message).toBe(
      'A hook refused the call.',
    );
  });
});

describe('a search without a path looks where it runs (D5)', () => {
  test.each<[string, object]>([
    ['Grep', { pattern: 'x' }],
    ['Glob', { pattern: '**/*.ts' }],
    ['Grep', { pattern: 'x', glob: '*.ts' }],
  ])('%s %j', (toolName, input) => {
    expect(judge(toolName, input, []).verdict).toBe('allow');
    expect(judge(toolName, input, [], { cwd: '/workspace/app/src' }).verdict).toBe('allow');
    expect(judge(toolName, input, [], { cwd: '/workspace' }).verdict).toBe('ask');
    expect(judge(toolName, { ...input, path: '/etc' }, []).verdict).toBe('ask');
  });

  test('and with one, there and where it runs', () => {
    const input = { pattern: 'x', path: '/workspace/app/src' };
    expect(judge('Grep', input, []).verdict).toBe('allow');
    expect(judge('Grep', input, [], { cwd: '/workspace' }).verdict).toBe('ask');
  });
});

describe('what is said to the model', () => {
  test('a rule says its reason, else its description', () => {
    const messageFor = (effect: 'deny' | 'ask', more: object) =>
      judge('Read', { file_path: 'a' }, [], {
        sessionRules: callOf('Read', {}, [], {}).policy,
        policy: withRule(effect, more),
      }).message;
    expect(messageFor('deny', { reason: 'No.' })).toBe('No.');
    expect(messageFor('deny', { description: 'Old files.' })).toBe('Denied by the rule Read (project). Old files.');
    expect(messageFor('deny', {})).toBe('Denied by the rule Read (project).');
    expect(messageFor('ask', { reason: 'Look.' })).toBe('The rule Read (project) asks a person. Look.');
    expect(messageFor('ask', { description: '' })).toBe('The rule Read (project) asks a person.');
  });

  test('an ask says whether the command was understood', () => {
    const asked = (command: string, rules: readonly Rule[]) => judge('Bash', { command }, rules).notUnderstood;
    expect(asked('make', [['ask', 'Bash(make:*)']])).toBe(false);
    expect(asked('make $(', [['ask', 'Bash(make:*)']])).toBe(true);
    expect([asked('make', []), asked('make $(', [])]).toEqual([false, true]);
  });

  test('an ask says whether the call needs a person in any case', () => {
    const make = (facts: Partial<SessionFacts>, more: Parameters<typeof judge>[3] = {}) =>
      judge('Bash', { command: 'make' }, [], more, facts).needsPerson;
    expect(make({})).toBeUndefined();
    expect(make({ hook: { decision: 'ask' } })).toBeUndefined();
    expect(make({ hook: { decision: 'failed', reason: 'It is down.' } })).toBe(true);
    expect(make({ hook: { decision: 'human', reason: 'Look.' } })).toBe(true);
    expect(make({}, { pause: { effect: 'ask' } })).toBe(true);
    const under = (needsPerson: boolean) =>
      make({ parent: { state: 'answered', verdict: 'ask', needsPerson } }, { mode: 'bubble' });
    expect([under(true), under(false)]).toEqual([true, undefined]);
  });

  test('so it does where code may hold what a deny rule names, unless an allow rule covers exactly that text', () => {
    const RUNS = 'emacs --batch --eval "(shell-command \\"rm x\\")"';
    const needs = (rules: readonly Rule[], more: Parameters<typeof judge>[3] = {}, command = RUNS) =>
      judge('Bash', { command }, rules, more).needsPerson;
    const deny: Rule = ['deny', 'Bash(rm:*)'];
    for (const mode of ['default', 'auto', 'acceptEdits'] as const) expect(needs([deny], { mode })).toBe(true);
    expect(needs([deny, ['ask', 'Bash(emacs:*)']])).toBe(true);
    expect(needs([deny, ['ask', 'Bash(emacs:*)'], ['allow', `Bash(${RUNS})`]])).toBeUndefined();
    // Silence approves what an ask rule names, and so it does in other words.
    expect(needs([['ask', 'Bash(rm:*)']])).toBeUndefined();
    expect(needs([deny], {}, 'emacs --batch --eval "(message 1)"')).toBeUndefined();
    expect(needs([deny], {}, 'make "NOTE=rm x"')).toBe(true);
  });

  test('a parent and a classifier are quoted, or described where they say nothing', () => {
    const under = (parent: SessionFacts['parent']) =>
      judge('Bash', { command: 'make' }, [], { mode: 'bubble' }, { parent }).message;
    for (const [verdict, otherwise] of [
      ['deny', 'The parent agent denied the call.'],
      ['ask', 'The parent agent asks a person.'],
      ['error', "The parent's answer is an error."],
    ] as const) {
      expect(under({ state: 'answered', verdict })).toBe(otherwise);
      expect(under({ state: 'answered', verdict, message: 'So.' })).toBe('So.');
    }
    const result = { shouldBlock: true, reason: '', confidence: 1 };
    const blocked = (reason: string) =>
      judge(
        'Bash',
        { command: 'make' },
        [],
        { mode: 'auto' },
        { classifier: { state: 'answered', result: { ...result, reason } } },
      ).message;
    expect([blocked(''), blocked('Bad.')]).toEqual(['The classifier blocked the call.', 'Bad.']);
  });

  test('a pause says why, if somebody said', () => {
    const paused = (reason?: string) =>
      judge('Read', { file_path: 'a' }, [], { pause: { effect: 'deny', reason } }).message;
    expect([paused(), paused('Incident.')]).toEqual([
      'An operator has paused this.',
      'An operator has paused this. Incident.',
    ]);
  });

  test('plan mode says what kept the call', () => {
    const tools = createToolRegistry([{ name: 'Pay', permissions: ['Read', 'Sensitive'] }]);
    const messageFor = (toolName: string) => judge(toolName, {}, [], { mode: 'plan', tools }).message;
    expect(messageFor('Pay')).toBe('Plan mode is read-only: a tool with Sensitive does not run.');
    expect(messageFor('mcp__x__y')).toBe('Plan mode is read-only: a tool that is not listed does not run.');
  });
});

function withRule(effect: 'deny' | 'ask', more: object): CallContext['policy'] {
  return compileRules([{ effect, pattern: 'Read', source: 'project', ...more }]).policy;
}
