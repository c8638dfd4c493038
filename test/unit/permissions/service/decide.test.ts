/**
 * Checks `decide`: people answer, within a time, whatever the policy leaves open.
 *
 * No third answer exists.
 */
import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  type PermissionRequest,
  type PermissionResponse,
  PermissionService,
  type PermissionServiceConfig,
  undecidedResult,
} from '../../../../shared/permissions/index.ts';

function asking(
  answer: PermissionResponse | ((request: PermissionRequest, signal?: AbortSignal) => Promise<PermissionResponse>),
  config: PermissionServiceConfig = {},
) {
  const asked: PermissionRequest[] = [];
  const service = new PermissionService({
    rules: [
      { effect: 'ask', pattern: 'Bash(git push:*)', source: 'project' },
      { effect: 'deny', pattern: 'Bash(rm:*)', source: 'project' },
    ],
    projectRoot: '/work',
    requestHandler: {
      handle: async (request, { signal } = {}) => {
        asked.push(request);
        return typeof answer === 'function' ? answer(request, signal) : answer;
      },
    },
    ...config,
  });
  return { service, asked };
}

const push = { command: 'git push' };

describe('an object that is another one when it is read again', () => {
  /** Answers `ls` so many times, and then what the rules deny. */
  function changing(times: number): object {
    let reads = 0;
    return new Proxy({ command: 'make' }, { get: () => (reads++ < times ? 'make' : 'rm x') });
  }

  test.each([0, 1, 2, 3, 5, 8, 13])('as the input: what runs is what was judged (%i)', async (times) => {
    const { service } = asking({ kind: 'Allowed' });
    const verdict = await service.decide('Bash', changing(times));
    expect(verdict).toMatchObject(times === 0 ? { decision: 'deny' } : { input: { command: 'make' } });
  });

  test.each([0, 1, 2, 3, 5, 8, 13])('as the edit of a person, too (%i)', async (times) => {
    const { service } = asking({ kind: 'Allowed', modifiedArgs: changing(times) });
    const verdict = await service.decide('Bash', { command: 'make all' });
    expect(verdict).toMatchObject(times === 0 ? { decision: 'deny' } : { input: { command: 'make' } });
  });

  test('an edit that its handler changes after the decision', async () => {
    const edit = { command: 'make' };
    const { service } = asking({ kind: 'Allowed', modifiedArgs: edit });
    const verdict = await service.decide('Bash', { command: 'make all' });
    edit.command = 'rm x';
    expect(verdict).toMatchObject({ decision: 'allow', input: { command: 'make' } });
  });
});

describe('a rule that asks', () => {
  test('gives back the input that the person saw, whatever its caller made of it meanwhile', async () => {
    const input = { command: 'git push' };
    const { service } = asking(async () => {
      input.command = 'git push --force';
      return { kind: 'Allowed', scope: 'Once' };
    });
    expect(await service.decide('Bash', input)).toMatchObject({ decision: 'allow', input: push });
  });

  test('is answered by a person in decide, and given back by check', async () => {
    const { service, asked } = asking({ kind: 'Allowed', scope: 'Session' });
    expect(await service.check('Bash', push)).toMatchObject({ decision: 'ask' });
    expect(asked).toEqual([]);
    const verdict = await service.decide('Bash', push);
    expect(verdict).toMatchObject({ decision: 'allow', input: push });
    if (verdict.decision === 'allow') expectTypeOf(verdict.input).toEqualTypeOf<unknown>();
    expectTypeOf(verdict.decision).toEqualTypeOf<'allow' | 'deny'>();
    // @ts-expect-error decide never ends in ask
    expect(verdict.decision === 'ask').toBe(false);
  });

  test('asks each time, whatever scope the person gave', async () => {
    const { service, asked } = asking({ kind: 'Allowed', scope: 'SessionAllTools' });
    await service.decide('Bash', push);
    await service.decide('Bash', push);
    expect(asked).toHaveLength(2);
  });

  test('a person edits what it asked about; a denial stands all the same', async () => {
    const edited = asking({ kind: 'Allowed', modifiedArgs: { command: 'git push --dry-run' } });
    expect(await edited.service.decide('Bash', push)).toMatchObject({
      decision: 'allow',
      input: { command: 'git push --dry-run' },
    });
    const worse = asking({ kind: 'Allowed', modifiedArgs: { command: 'rm -rf x' } });
    expect(await worse.service.decide('Bash', push)).toMatchObject({ decision: 'deny', reason: 'rule_match' });
  });
});

test.each<[string, PermissionServiceConfig, string]>([
  ['a classifier that is not sure', { mode: 'auto', classifier: { classify: async () => undecidedResult('?') } }, 'ls'],
  ['a mode that leaves it to people', { mode: 'default' }, 'make'],
])('%s leads to a person', async (_, config, command) => {
  const { service, asked } = asking({ kind: 'Allowed' }, config);
  expect(await service.decide('Bash', { command })).toMatchObject({ decision: 'allow' });
  expect(asked).toHaveLength(1);
});

describe('the input that was judged', () => {
  test('is the one that a check remembers, whatever its caller made of it while a person was asked', async () => {
    const input = { command: 'make' };
    const { service, asked } = asking(async () => {
      input.command = 'rm -rf build';
      return { kind: 'Allowed', scope: 'Session' };
    });
    expect(await service.check('Bash', input)).toMatchObject({ decision: 'allow' });
    expect(asked).toMatchObject([{ toolInput: { command: 'make' } }]);
    expect(service.cache.list()).toHaveLength(1);
    expect(service.cache.check('Bash', input, service.cache.list()[0])).toBe(false);
    expect(service.cache.check('Bash', { command: 'make' }, service.cache.list()[0])).toBe(true);
  });

  test('is not what whoever is asked makes of it, to show it or to send it away', async () => {
    const hides = (input: unknown) => Object.assign(input as object, { command: 'rm -rf build' });
    const { service } = asking(async ({ toolInput }) => {
      hides(toolInput);
      return { kind: 'Allowed', scope: 'Once' };
    });
    expect(await service.decide('Bash', { command: 'make' })).toMatchObject({ input: { command: 'make' } });
    const classifier: NonNullable<PermissionServiceConfig['classifier']> = {
      classify: async ({ input }) => {
        hides(input);
        return { shouldBlock: false, confidence: 1, reason: '' };
      },
    };
    const auto = asking({ kind: 'Denied' }, { mode: 'auto', classifier }).service;
    expect(await auto.decide('Bash', { command: 'make' })).toMatchObject({
      decision: 'allow',
      input: { command: 'make' },
    });
  });
});

describe('without a yes it is a denial', () => {
  test.each<[string, Parameters<typeof asking>[0], PermissionServiceConfig, string | undefined]>([
    ['a refusal', { kind: 'Denied', reason: 'not today' }, {}, undefined],
    ['a question back', { kind: 'NeedMoreInfo', question: 'why?' }, {}, undefined],
    ['a handler that fails', () => Promise.reject(new Error('down')), {}, 'handler_failed'],
    ['a handler that is silent', () => new Promise(() => undefined), { askTimeout: '20ms' }, 'handler_timeout'],
    ['no handler', { kind: 'Allowed' }, { requestHandler: undefined }, undefined],
  ])('%s', async (_, answer, config, error) => {
    const { service } = asking(answer, config);
    const verdict = await service.decide('Bash', push);
    expect(verdict).toMatchObject({ decision: 'deny', message: expect.stringMatching(/./), error });
  });

  test('a rule that denies asks nobody', async () => {
    const { service, asked } = asking({ kind: 'Allowed' });
    expect(await service.decide('Bash', { command: 'rm -rf x' })).toMatchObject({ decision: 'deny' });
    expect(asked).toEqual([]);
  });
});

test('an abort reaches who is asked, and denies', async () => {
  const stop = new AbortController();
  let told: unknown;
  const { service } = asking(
    (_request, signal) =>
      new Promise(() => {
        signal?.addEventListener('abort', () => {
          told = signal.reason;
        });
        stop.abort(new Error('Ctrl-C'));
      }),
  );
  expect(await service.decide('Bash', push, { signal: stop.signal })).toMatchObject({
    decision: 'deny',
    error: 'aborted',
  });
  expect(told).toMatchObject({ message: 'Ctrl-C' });
});

test('a time-out that is none is refused at construction', () => {
  expect(() => new PermissionService({ askTimeout: Number.NaN })).toThrow(/^askTimeout: /);
});
