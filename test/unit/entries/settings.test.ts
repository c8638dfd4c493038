/**
 * Checks that every constructor and factory of every entry refuses bad settings.
 *
 * The error names the setting, where it is stated.
 */
import { describe, expect, test } from 'vitest';
import * as guardrails from '../../../shared/adapters/guardrails/index.ts';
import * as approvals from '../../../shared/approvals/index.ts';
import * as client from '../../../shared/client/index.ts';
import * as config from '../../../shared/config/index.ts';
import { isCountersignError } from '../../../shared/domain/errors.ts';
import * as permissions from '../../../shared/permissions/index.ts';
import * as policies from '../../../shared/policies/index.ts';
import * as echo from '../../../shared/seeds/echo-agent.ts';
import * as tenor from '../../../shared/seeds/tenor.ts';
import * as tkach from '../../../shared/seeds/tkach.ts';
import * as tasks from '../../../shared/task-agent/index.ts';
import * as testing from '../../../shared/testing/index.ts';
import { NONE, WRONG } from './setting-values.ts';
import { OPTIONS } from './settings-by-name.ts';
import { OPTIONAL, POSITIONS } from './settings-by-position.ts';

const thrownBy = async (make: () => unknown): Promise<unknown> => {
  try {
    const made = await make();
    const { stop, close } = (made ?? {}) as { stop?(): void; close?(): Promise<void> };
    stop?.call(made);
    await close?.call(made);
    return 'nothing was thrown';
  } catch (error) {
    return error;
  }
};

const expectNamed = (error: unknown, setting: string, stated: string) => {
  expect(isCountersignError(error), `${stated}: ${String(error)}`).toBe(true);
  expect((error as Error).message, stated).toMatch(new RegExp(`^${setting.replaceAll(/[.[\]]/g, '\\$&')}(?!\\w)`));
};

describe.each(OPTIONS)('%s', (_name, make, works, kinds) => {
  test('takes options that work', async () => {
    const error = await thrownBy(() => make(works as never));
    const isOfItsFate = isCountersignError(error) && error.code !== 'invalid_setting';
    expect(error === 'nothing was thrown' || isOfItsFate, String(error)).toBe(true);
  });

  test.each(Object.entries(kinds))('names a wrong %s (%s)', async (setting, kind) => {
    for (const value of WRONG[kind])
      expectNamed(
        await thrownBy(() => make({ ...works, [setting]: value } as never)),
        setting,
        String(JSON.stringify(value)),
      );
  });

  test('names each setting that is missing', async () => {
    for (const setting of Object.keys(works)) {
      if (_name === 'dynamoGuardrails' && setting === 'client') continue;
      expectNamed(await thrownBy(() => make({ ...works, [setting]: undefined } as never)), setting, 'undefined');
    }
  });

  test('refuses a setting that it does not know, and options that are no object', async () => {
    for (const name of ['timeoutMs', 'toString', 'onDeny'])
      expectNamed(await thrownBy(() => make({ ...works, [name]: 1 } as never)), name, name);
    for (const value of [null, 7, 'x', []]) {
      const error = await thrownBy(() => make(value as never));
      expect(isCountersignError(error), String(error)).toBe(true);
    }
  });
});

test.each(POSITIONS)('%s names a wrong %s', async (_name, setting, make, kind) => {
  const values: unknown[] = [
    ...(OPTIONAL.has(setting) && _name !== 'EntityStatePredicate' ? [] : NONE),
    ...WRONG[kind],
  ];
  for (const value of values)
    expectNamed(await thrownBy(() => make(value as never)), setting, `${String(value)} (${typeof value})`);
});

/** Take no setting, or a value that they read and answer about. */
const WITHOUT_SETTINGS =
  /Error$|^is[A-Z]|^(?:actionOf|allowResult|blockResult|undecidedResult|firstAvailable|FirstAvailablePolicy|AlwaysApprove|NeverApprove|classifyIntent|callsToRun|validateDecision|validateToolCall)$/;

test('every function and class of these entries is in a table', () => {
  const entries = { client, permissions, policies, approvals, guardrails, tasks, config, testing, echo, tenor, tkach };
  const tested = new Set([...OPTIONS, ...POSITIONS].map(([name]) => name.split('.')[0]));
  const missing = Object.entries(entries).flatMap(([entry, module]) =>
    Object.entries(module)
      .filter(([name, value]) => typeof value === 'function' && !tested.has(name) && !WITHOUT_SETTINGS.test(name))
      .map(([name]) => `${entry}: ${name}`),
  );
  expect(missing).toEqual([]);
});
