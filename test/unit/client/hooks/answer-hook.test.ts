/** Tests that a hook is answered with the decision, and every failure with a refusal. */
import { afterEach, describe, expect, test } from 'vitest';
import { answerHook, type HookSettings } from '../../../../shared/client/hooks/answer-hook.ts';
import type { HookProgram } from '../../../../shared/client/hooks/programs.ts';
import { CountersignClient } from '../../../../shared/client/index.ts';
import {
  type Approver,
  createTestGate,
  FakeClock,
  ScriptedApprover,
  type TestGate,
} from '../../../../shared/testing/index.ts';
import { GUARDED_POLICY } from '../guarded-policy.ts';
import { fateInClaude, fateInCodex, isErrorInCodex } from './fate.ts';

let gate: TestGate | undefined;
afterEach(() => gate?.stop());

function gateWith(approver?: Approver, clock?: FakeClock): TestGate {
  gate = createTestGate({ policy: GUARDED_POLICY, ...(approver ? { approver } : {}), ...(clock ? { clock } : {}) });
  return gate;
}

/** Another process each time: a client of its own. */
const hook = (started: TestGate, input: object, program: HookProgram = 'claude', options: Partial<HookSettings> = {}) =>
  answerHook(JSON.stringify(input), {
    client: () => new CountersignClient(started.clientOptions('coder')),
    program,
    ...options,
  });

const call = (tool: string, input: object, id = 'toolu_1') => ({
  hook_event_name: 'PreToolUse',
  session_id: '5f0c3a52-6d53-4a1c-8f6a-0d8a2f6f1d11',
  transcript_path: '/tmp/t.jsonl',
  cwd: '/tmp',
  permission_mode: 'default',
  tool_name: tool,
  tool_input: input,
  tool_use_id: id,
});
/** As programs ask once their own rules have asked: without an id of the call. */
const request = (tool: string, input: object) => {
  const { tool_use_id: _, ...rest } = call(tool, input);
  return { ...rest, hook_event_name: 'PermissionRequest' };
};
const pre = (fields: object) => ({ output: { hookSpecificOutput: { hookEventName: 'PreToolUse', ...fields } } });
const permission = (decision: object) => ({
  output: { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } },
});

const editThenApprove = () => new ScriptedApprover([{ choice: 'edit', input: { amount: 5 } }, 'approve']).answer;

describe('a decision in the words of the program', () => {
  test('allows a call that a rule allows', async () => {
    const started = gateWith();
    expect(await hook(started, call('Lookup', {}))).toEqual(pre({ permissionDecision: 'allow' }));
    // Codex takes a bare `allow` for an error.
    expect(await hook(started, call('Lookup', {}), 'codex')).toEqual(pre({}));
    for (const program of ['claude', 'codex'] as const)
      expect(await hook(started, request('Lookup', {}), program)).toEqual(permission({ behavior: 'allow' }));
  });

  test.each(['claude', 'codex'] as const)('denied by a rule, with the reason for the model: %s', async (program) => {
    const started = gateWith();
    expect(await hook(started, call('Wipe', {}), program)).toEqual(
      pre({ permissionDecision: 'deny', permissionDecisionReason: expect.stringContaining('Nothing is wiped.') }),
    );
    expect(await hook(started, request('Wipe', {}), program)).toEqual(
      permission({ behavior: 'deny', message: expect.stringContaining('Nothing is wiped.') }),
    );
  });

  test('rejected by a person, with the reason', async () => {
    const started = gateWith(() => ({ choice: 'reject', reason: 'too much' }));
    expect(await hook(started, call('Refund', { amount: 500 }))).toEqual(
      pre({ permissionDecision: 'deny', permissionDecisionReason: expect.stringContaining('too much') }),
    );
  });

  test('edited: Claude Code gets the input to run, and the model is told', async () => {
    const answer = await hook(gateWith(editThenApprove()), call('Refund', { amount: 500 }));
    expect(answer).toEqual(
      pre({
        permissionDecision: 'allow',
        updatedInput: { amount: 5 },
        additionalContext: expect.stringContaining('{"amount":5}'),
      }),
    );
  });

  test.each([
    ['Codex, whose older versions run the call as proposed', call('Refund', { amount: 500 }), 'codex'],
    ['a permission request of Claude Code', request('Refund', { amount: 500 }), 'claude'],
    ['a permission request of Codex', request('Refund', { amount: 500 }), 'codex'],
  ] as const)('edited, where no other input can run: refused, with the arguments. %s', async (_, input, program) => {
    const { output, failure } = await hook(gateWith(editThenApprove()), input, program);
    expect(failure).toBeUndefined();
    expect(JSON.stringify(output)).toMatch(/"(?:permissionDecision|behavior)":"deny"/);
    expect(JSON.stringify(output)).toContain('exactly these: {\\"amount\\":5}');
  });
});

test.each([
  ['allowed', call('Lookup', {}), 'runs', 'other rules'],
  ['denied', call('Wipe', {}), 'blocked', 'blocked'],
  ['allowed in a permission request', request('Lookup', {}), 'runs', 'runs'],
  ['denied in a permission request', request('Wipe', {}), 'blocked', 'blocked'],
] as const)('programs read the answer as it is meant: %s', async (_, input, inClaude, forCodex) => {
  const started = gateWith();
  const read = async (program: HookProgram) => JSON.stringify((await hook(started, input, program)).output);
  const [claude, codex] = [await read('claude'), await read('codex')];
  expect(fateInClaude({ code: 0, out: claude, err: '' })).toBe(inClaude);
  expect(isErrorInCodex(codex)).toBe(false);
  expect(fateInCodex({ code: 0, out: codex, err: '' })).toBe(forCodex === 'blocked' ? 'blocked' : 'runs');
  // A hook that was installed for the other program lets nothing run that the gate refused.
  expect(fateInClaude({ code: 0, out: codex, err: '' })).toBe(forCodex);
});

describe('a hook that runs again', () => {
  test('meets the same approval, in another process', async () => {
    const approver = new ScriptedApprover(['approve']);
    const started = gateWith(approver.answer);
    const first = await hook(started, call('Refund', { amount: 5 }));
    expect(await hook(started, call('Refund', { amount: 5 }))).toEqual(first);
    approver.assertDone();
  });

  test('asks anew for another call of the session, and where no id names the call', async () => {
    const approver = new ScriptedApprover(['approve', 'approve', 'approve', 'approve']);
    const started = gateWith(approver.answer);
    await hook(started, call('Refund', { amount: 5 }));
    await hook(started, call('Refund', { amount: 5 }, 'toolu_2'));
    await hook(started, request('Refund', { amount: 5 }));
    await hook(started, request('Refund', { amount: 5 }));
    approver.assertDone();
  });

  test('with other arguments under the same id runs nothing', async () => {
    const started = gateWith(() => ({ choice: 'approve' }));
    await hook(started, call('Refund', { amount: 5 }));
    const { output } = await hook(started, call('Refund', { amount: 500 }));
    expect(output).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
  });
});

describe('a call that nobody decided is refused', () => {
  const decided = (started: TestGate) => started.record('coder', '5f0c3a52-6d53-4a1c-8f6a-0d8a2f6f1d11:toolu_1');
  const refused = (failure: string | RegExp) => ({
    output: { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' } },
    failure: expect.stringMatching(failure),
  });

  test('and withdrawn, when the time is over', async () => {
    const clock = new FakeClock();
    const started = gateWith(undefined, clock);
    const sleep = async (ms: number) => void (await clock.advance(ms));
    const client = () => new CountersignClient({ ...started.clientOptions('coder'), sleep, clock });
    const answer = await hook(started, call('Refund', { amount: 5 }), 'claude', { client, timeout: '10m' });
    expect(answer).toMatchObject(refused(/nobody decided/));
    await clock.advance(1_000);
    expect((await decided(started)).at(-1)).toMatchObject({ type: 'decided', outcome: 'cancelled' });
  });

  test('and withdrawn, when the program stops its hook', async () => {
    const stop = new AbortController();
    const started = gateWith(() => {
      stop.abort(new Error('SIGTERM'));
      return undefined;
    });
    const answer = await hook(started, call('Refund', { amount: 5 }), 'claude', { signal: stop.signal });
    expect(answer).toMatchObject(refused(/SIGTERM/));
    await expect.poll(async () => (await decided(started)).at(-1)).toMatchObject({ outcome: 'cancelled' });
  });

  test.each<[string, string, RegExp]>([
    ['nothing', '', /is not JSON/],
    ['half of it', JSON.stringify(call('Lookup', {})).slice(0, -9), /is not JSON/],
    ['a list', '[]', /./],
    ['a word', '"PreToolUse"', /./],
    ['a key twice', `{"hook_event_name":"PreToolUse","hook_event_name":"PreToolUse"}`, /hook_event_name/],
    [
      'another event',
      JSON.stringify({ ...call('Lookup', {}), hook_event_name: 'PostToolUse' }),
      /"PostToolUse" is no event/,
    ],
    ['no event', JSON.stringify({ ...call('Lookup', {}), hook_event_name: undefined }), /hook_event_name/],
    ['no id of the call', JSON.stringify({ ...call('Lookup', {}), tool_use_id: undefined }), /tool_use_id/],
    ['an empty id', JSON.stringify(call('Lookup', {}, '')), /tool_use_id/],
    ['no session', JSON.stringify({ ...call('Lookup', {}), session_id: '' }), /session_id/],
    ['a session that is no name', JSON.stringify({ ...call('Lookup', {}), session_id: 'my session' }), /sessionId/],
    ['no tool', JSON.stringify({ ...call('Lookup', {}), tool_name: 7 }), /tool_name/],
    ['arguments that are a text', JSON.stringify({ ...call('Lookup', {}), tool_input: 'rm' }), /tool_input/],
    ['arguments that are a list', JSON.stringify({ ...call('Lookup', {}), tool_input: [] }), /tool_input/],
    ['a number that is none', '{"hook_event_name":"PreToolUse","tool_input":{"n":1e999}}', /tool_input\.n/],
    ['more than it may be', JSON.stringify(call('Lookup', { text: 'x'.repeat(600_000) })), /bytes/],
  ])('its input: %s', async (_, raw, why) => {
    const started = gateWith();
    const client = () => new CountersignClient(started.clientOptions('coder'));
    for (const program of ['claude', 'codex'] as const)
      expect(await answerHook(raw, { client, program })).toMatchObject(refused(why));
  });

  test('a broken permission request is answered as one', async () => {
    const raw = JSON.stringify({ ...request('Lookup', {}), tool_name: '' });
    const client = () => new CountersignClient(gateWith().clientOptions('coder'));
    expect(await answerHook(raw, { client, program: 'codex' })).toMatchObject(
      permission({ behavior: 'deny', message: expect.stringContaining('tool_name') }),
    );
  });

  test.each<[string, object, string]>([
    ['a call', call('Lookup', { n: 2 ** 60, hook_event_name: 'PermissionRequest' }), 'PreToolUse'],
    ['a permission request', request('Lookup', { n: 2 ** 60, hook_event_name: 'PreToolUse' }), 'PermissionRequest'],
  ])('%s whose arguments name another event is answered as what it is', async (_, input, event) => {
    const client = () => new CountersignClient(gateWith().clientOptions('coder'));
    const { hook_event_name, ...rest } = input as { readonly hook_event_name: string };
    // Programs that read the answer of another event run the call.
    for (const sent of [input, { ...rest, hook_event_name }])
      expect(await answerHook(JSON.stringify(sent), { client, program: 'claude' })).toMatchObject({
        output: { hookSpecificOutput: { hookEventName: event } },
        failure: expect.stringContaining('tool_input.n'),
      });
  });

  test('without the settings of a client', async () => {
    const client = () => new CountersignClient({});
    expect(await answerHook(JSON.stringify(call('Lookup', {})), { client, program: 'claude' })).toMatchObject(
      refused(/agent: is missing.*COUNTERSIGN_AGENT/),
    );
  });

  test('when the queue refuses it: the reason names no account', async () => {
    const refusal = new Error('User: arn:aws:sts::123456789012:assumed-role/Ops/ann may not\nsend');
    const queue = { publish: () => Promise.reject(Object.assign(refusal, { name: 'AccessDenied' })) };
    const client = () => new CountersignClient({ ...gateWith().clientOptions('coder'), queue });
    const answer = await answerHook(JSON.stringify(call('Lookup', {})), { client, program: 'claude' });
    expect(answer).toMatchObject(refused(/could not be reached \(AccessDenied\)$/));
    expect(JSON.stringify(answer)).not.toContain('123456789012');
  });

  test('when decisions cannot be read', async () => {
    const refusal = Object.assign(new Error('no'), { name: 'AccessDeniedException', $fault: 'client' });
    const reader = { read: () => Promise.reject(refusal) };
    const client = () => new CountersignClient({ ...gateWith().clientOptions('coder'), reader });
    expect(await answerHook(JSON.stringify(call('Lookup', {})), { client, program: 'claude' })).toMatchObject(
      refused(/cannot be read \(AccessDeniedException\)/),
    );
  });

  test('when whatever was thrown is no error', async () => {
    const client = () => {
      throw 'out of order';
    };
    expect(await answerHook(JSON.stringify(call('Lookup', {})), { client, program: 'claude' })).toMatchObject(
      refused(/was stopped/),
    );
  });
});
