/** Checks that each function reads its environment whole, and names every variable that is wrong. */
import { describe, expect, test } from 'vitest';
import { ENV, type FunctionName, readEnv } from '../../../functions/runtime/env.ts';
import { REDRIVEN_QUEUES } from '../../../shared/contract/redrive.ts';
import { environment } from '../../bench/support/import-time.ts';

const names = Object.keys(ENV) as FunctionName[];
/** A value for every variable, each telling itself apart. */
const whole = Object.fromEntries(
  names.flatMap((name) => Object.keys(ENV[name].shape)).map((variable) => [variable, `value-of-${variable}`]),
);
const ADDRESSES = { live: 'https://sqs.example/live', dead: 'https://sqs.example/dead' };
const given = {
  ...whole,
  SLACK_API_URL: 'https://slack.example/api/',
  LLM_BASE_URL: 'https://model.example',
  ACCOUNTS_ALLOWED: 'loopback',
  QUEUES: JSON.stringify(Object.fromEntries(REDRIVEN_QUEUES.map((queue) => [queue, ADDRESSES]))),
};

describe.each(names)('the environment of %s', (name) => {
  const required = Object.entries(ENV[name].shape)
    .filter(([, word]) => !word.safeParse(undefined).success)
    .map(([variable]) => variable);

  test('is read whole, without what it did not ask for', () => {
    const env = readEnv(name, { ...given, SOMETHING_ELSE: 'x' });
    expect(Object.keys(env).sort()).toEqual(Object.keys(ENV[name].shape).sort());
  });

  test.each(required)('lacks %s: it is named, and no value is', (variable) => {
    for (const missing of [undefined, '']) {
      const read = () => readEnv(name, { ...given, [variable]: missing });
      expect(read).toThrow(`the environment of ${name} lacks or misstates: ${variable}`);
      expect(read).not.toThrow(/value-of/);
    }
  });
});

test('every variable that is wrong is named at once, and its value is not', () => {
  const wrong = { ...given, SLACK_API_URL: 'xoxb-canary', SLACK_SECRET: '' };
  expect(() => readEnv('slack', wrong)).toThrow(/SLACK_SECRET.*SLACK_API_URL|SLACK_API_URL.*SLACK_SECRET/);
  expect(() => readEnv('slack', wrong)).not.toThrow(/canary/);
});

test('account senders are allowed by one word only', () => {
  expect(() => readEnv('evaluate', { ...given, ACCOUNTS_ALLOWED: 'always' })).toThrow('ACCOUNTS_ALLOWED');
});

test.each(['no JSON', '{}', '{"cards":{"live":"here","dead":"there"}}'])('addresses of queues are no %s', (QUEUES) => {
  expect(() => readEnv('redrive', { ...given, QUEUES })).toThrow(
    'the environment of redrive lacks or misstates: QUEUES',
  );
});

test.each(names)('the benchmark of imports knows a value for each variable of %s', (name) => {
  expect(() => readEnv(name, environment)).not.toThrow();
});
