/** `npm run lint` refuses lines of the functions' logs that carry no id. */
import { expect, test } from 'vitest';
import { logProblems, needlessReasons, RUN_LINES } from '../../lint/log-lines.ts';

test.each([
  "console.log('x');",
  "process.stderr.write('x');",
  "import { LogLines } from './telemetry/log-lines.ts'; new LogLines('x', {});",
  'const own = new LogLines(name, {});',
  "log('warn', 'x', { run: true });",
])('%s', (line) => {
  expect(logProblems('functions/evaluate.ts', `\n${line}`)).toEqual([
    expect.stringMatching(/^functions\/evaluate\.ts:2: a line /),
  ]);
});

test.each([
  ['functions/evaluate.ts', "log('warn', 'x', { pid });"],
  ['functions/evaluate.ts', '// console.log would carry no id'],
  ['functions/slack/verify-request.ts', "logFault('x', error, { run: true });"],
  ['functions/runtime/telemetry/observe.ts', 'const lines = new LogLines(serviceName, {});'],
])('not in %s: %s', (file, line) => {
  expect(logProblems(file, line)).toEqual([]);
});

test('a reason that nobody needs any more is named', () => {
  const texts = new Map(Object.keys(RUN_LINES).map((file) => [file, '{ run: true }']));
  expect(needlessReasons(texts)).toEqual([]);
  texts.set('functions/slack/verify-request.ts', '');
  expect(needlessReasons(texts)).toEqual([expect.stringContaining('functions/slack/verify-request.ts')]);
});
