/**
 * Checks the question to a hook, and which of its answers count.
 *
 * Also the joined answer of several hooks, and the classifier's facts of a call's risk (A11, G9, R4-111, R4-157).
 */
import { describe, expect, test } from 'vitest';
import { MemoryBudgets } from '../../../../shared/adapters/memory/guardrails/budgets.ts';
import type { HookEntry, ToolCallProposal } from '../../../../shared/contract/index.ts';
import { loadShellParser } from '../../../../shared/permissions/shell/parser.ts';
import { hookFindings } from '../../../../shared/use-cases/kernel/calls/authorization/hook-facts.ts';
import type { HookNeed } from '../../../../shared/use-cases/kernel/state/need.ts';
import { callHook } from '../../../../shared/use-cases/resolvers/call-hook.ts';
import { riskOf } from '../../../../shared/use-cases/resolvers/risk.ts';
import { policyOf, World } from '../world.ts';

const parser = await loadShellParser();
const parts = (more = "hooks: { review: { url: 'https://hooks.test/review', secret: review-key } }") =>
  new World(policyOf({ agents: '  coder: { owner: olga, projectRoot: /srv/app, home: /home/me }', more })).gate.parts;

/** Nothing is used up, and nothing remembered. */
const askingOf = () => {
  let ids = 0;
  return {
    budgets: new MemoryBudgets(() => 0),
    answers: { read: async () => new Map(), remember: async <Answer>(_: string, answer: Answer) => answer },
    newId: () => `id-${++ids}`,
  };
};

const need = (over: Partial<HookNeed> = {}): HookNeed => ({
  type: 'hook',
  place: 'hook.0.0.review',
  hook: 'review',
  call: { id: 'call', toolName: 'Bash', input: { command: 'make' } },
  cwd: '/srv/app',
  level: { agent: 'coder', sessionId: 'main', mode: 'default', rules: [], consecutive: 0, total: 0, calls: [] },
  mode: 'default',
  ...over,
});

/** The gate's verdict with a hook that answers `reply`; `sent`: the questions to it. */
async function asked(reply: () => unknown, over: Partial<HookNeed> = {}, ports = parts(), asking = askingOf()) {
  const sent: unknown[] = [];
  const caller = {
    call: async (_: unknown, text: string) => {
      sent.push(JSON.parse(text));
      return reply() as string;
    },
  };
  const one = need(over);
  const shown: ToolCallProposal = { kind: 'tool-call', proposalId: 'p', calls: [one.call] };
  const about = { pid: 'p', agent: 'coder', shown, until: ports.clock.now() + 40_000 };
  const gate = Object.assign(Object.create(ports), {
    asking,
    hooks: { caller, after: () => () => undefined },
  });
  const response = await callHook(one, about, gate);
  return { answer: response?.answer, sent: sent[0] as Record<string, unknown> | undefined };
}
const answer = async (reply: string) => (await asked(() => reply)).answer;
const failed = (why: string) => ({ state: 'failed', why });

describe('a hook', () => {
  test('is told where the call runs', async () => {
    const pass = () => '{}';
    expect((await asked(pass)).sent).toMatchObject({ cwd: '/srv/app', tool_use_id: 'call', session_id: 'main' });
    expect((await asked(pass, { cwd: '/srv/app/sub' })).sent).toMatchObject({ cwd: '/srv/app/sub' });
  });

  test('that denies has denied, also where what it used of its budget cannot be written', async () => {
    const asking = askingOf();
    asking.budgets.closeReservation = async () => Promise.reject(new Error('throttled'));
    expect((await asked(() => '{"decision":"deny"}', {}, parts(), asking)).answer).toMatchObject({ decision: 'deny' });
  });

  const NATIVE = (message: string) => ({
    hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'deny', message } },
  });
  test.each<[string, string, Record<string, unknown>]>([
    ['no JSON', 'no', failed('the answer is not JSON')],
    ['other words', '{"decision":"maybe"}', failed('the answer is not one that a hook may give')],
    ['nothing', '{}', { state: 'answered', decision: 'pass' }],
    ['64 K', `{}${' '.repeat(64 * 1024 - 2)}`, { state: 'answered', decision: 'pass' }],
    ['more', `{}${' '.repeat(64 * 1024 - 1)}`, failed('the answer is not JSON')],
    ['a reason', JSON.stringify({ decision: 'ask', reason: 'r'.repeat(1000) }), { decision: 'ask' }],
    [
      'too long a one to allow',
      JSON.stringify({ decision: 'allow', reason: 'r'.repeat(1001) }),
      failed('the reason is too long'),
    ],
    [
      'too long a one to deny',
      JSON.stringify({ decision: 'deny', reason: 'r'.repeat(1001) }),
      { decision: 'deny', reason: 'r'.repeat(1000) },
    ],
    [
      'one that is cut within a character',
      JSON.stringify({ decision: 'deny', reason: `${'r'.repeat(999)}😀` }),
      { decision: 'deny', reason: `${'r'.repeat(999)}\ufffd` },
    ],
    ['too long a one to an agent SDK', JSON.stringify(NATIVE('n'.repeat(5000))), { reason: 'n'.repeat(1000) }],
    [
      'that the agent be stopped',
      JSON.stringify({
        hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'deny', interrupt: true } },
      }),
      { state: 'answered', decision: 'deny' },
    ],
    [
      'that it be stopped and go on',
      JSON.stringify({
        hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow', interrupt: true } },
      }),
      failed('the answer is not one that a hook may give'),
    ],
    ['an agent SDK’s words', JSON.stringify(NATIVE('no')), { state: 'answered', decision: 'deny', reason: 'no' }],
  ])('that answers %s', async (_, reply, expected) => {
    expect(await answer(reply)).toMatchObject(expected);
  });

  test('that throws has failed by the name of what it threw, in 100 characters', async () => {
    const thrown = (what: unknown) => asked(() => Promise.reject(what));
    expect((await thrown(new TypeError('https://secret.example'))).answer).toEqual(failed('TypeError'));
    const long = Object.assign(new Error('x'), { name: 'N'.repeat(200) });
    expect((await thrown(long)).answer).toEqual(failed('N'.repeat(100)));
    expect((await thrown('a text')).answer).toEqual(failed('an error'));
  });

  test('that the policy file does not list, or to no whole address, is not called', async () => {
    const never = () => '{"decision":"allow"}';
    expect(await asked(never, { hook: 'gone' })).toEqual({
      answer: failed('the policy file no longer lists the hook'),
      sent: undefined,
    });
    const ports = parts();
    for (const hook of [{ url: 'https://x.test' }, { secret: 's' }, {}]) {
      const policy = { ...ports.policy, settings: { ...ports.policy.settings, hooks: { review: hook } } } as never;
      const response = await asked(never, {}, Object.create(ports, { policy: { value: policy, enumerable: true } }));
      expect(response).toEqual({ answer: failed('Error'), sent: undefined });
    }
  });
});

describe('hooks together', () => {
  const settings = Object.values(parts().policy.settings.hooks)[0] as never;
  const at = (response?: HookEntry['answer']) => ({
    ...{ settings, need: need() },
    entry: response && {
      type: 'hook',
      place: 'h',
      round: 0,
      at: '2026-11-21T09:00:00.000Z',
      by: 'review',
      answer: response,
    },
  });
  const says = (decision: string, reason?: string) =>
    at({ state: 'answered', decision, reason } as HookEntry['answer']);
  test.each([
    ['block', 'block', 'The hook review refused the call.'],
    ['deny', 'deny', 'The hook review refused the call.'],
    ['ask', 'human', 'The hook review wants a person asked.'],
    ['allow', 'allow', 'The hook review allowed the call.'],
    ['pass', 'pass', 'The hook review falls through.'],
  ])('give their reason, and where one that says %s gave none, say so', (decision, fact, reason) => {
    expect(hookFindings([says(decision)] as never)).toEqual({ fact: { decision: fact, reason } });
    expect(hookFindings([says(decision, 'why')] as never)).toEqual({ fact: { decision: fact, reason: 'why' } });
  });

  test('of which one has failed are as strong as the failure; of none there is nothing', () => {
    const broken = at({ state: 'failed', why: 'late' });
    expect(hookFindings([says('allow'), broken] as never).fact?.decision).toBe('failed');
    expect(hookFindings([broken, says('deny')] as never).fact?.decision).toBe('deny');
    expect(hookFindings([])).toEqual({});
  });
});

describe('the risk of a call, for a classifier,', () => {
  const NONE = { hasSensitiveFiles: false, isDestructive: false, directoryDepth: 0 };
  test.each<[string, unknown, Partial<typeof NONE>]>([
    ['Bash', { command: 'rm -rf build' }, { isDestructive: true }],
    ['Bash', { command: '/bin/rm build' }, { isDestructive: true }],
    ['Bash', { command: 'bash -c "dropdb shop"' }, { isDestructive: true }],
    ['Bash', { command: 'make && rm x' }, { isDestructive: true }],
    ['Bash', { command: 'git status' }, {}],
    ['Bash', { command: 'echo rm' }, {}],
    ['Read', { file_path: 'a/b/c.ts' }, { directoryDepth: 2 }],
    ['Read', { file_path: '~/a/b.ts' }, { directoryDepth: 1 }],
    ['Read', { file_path: 'keys/Server.PEM' }, { hasSensitiveFiles: true, directoryDepth: 1 }],
    ['no tool at all', { file_path: 'a/secret' }, {}],
  ])('%s %j: %j', async (toolName, input, expected) => {
    const ports = parts('');
    const shell = async () => {
      if (toolName !== 'Bash') throw new Error('the parser is loaded for commands only');
      return parser;
    };
    const settings = ports.policy.settings.agents['coder'];
    expect(await riskOf({ id: 'c', toolName, input }, settings, { ...ports, shell })).toEqual({ ...NONE, ...expected });
  });
});
