/** Checks the fields of a function's log lines, and the level from which they are written. */
import { afterEach, expect, test, vi } from 'vitest';
import { LogLines } from '../../../functions/runtime/telemetry/log-lines.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

function written(env: Readonly<Record<string, string>>, write: (lines: LogLines) => void) {
  const texts = { stdout: '', stderr: '' };
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 26), toFake: ['Date'] });
  for (const stream of ['stdout', 'stderr'] as const)
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      texts[stream] += String(text);
      return true;
    });
  write(new LogLines('gate', { function: 'evaluate' }, env));
  vi.restoreAllMocks();
  return texts;
}

test('a line is one JSON object: what happened, which process and invocation, and the facts that have a value', () => {
  const facts = { pid: 'p', none: undefined, nothing: null, blank: '', zero: 0, no: false, at: ['a\n1'], big: 5n };
  const { stdout, stderr } = written({}, (lines) => {
    lines.write('info', 'before', { run: true });
    lines.beginInvocation('r1');
    lines.write('info', 'with\nbreak', facts);
  });
  expect(stdout.split('\n')).toEqual([
    '{"level":"INFO","message":"before","timestamp":"2026-11-26T00:00:00.000Z","service":"gate","sampling_rate":0,"function":"evaluate","run":true}',
    '{"level":"INFO","message":"with\\nbreak","timestamp":"2026-11-26T00:00:00.000Z","service":"gate","sampling_rate":0,"function":"evaluate","requestId":"r1","pid":"p","zero":0,"no":false,"at":["a\\n1"],"big":"5"}',
    '',
  ]);
  expect(stderr).toBe('');
});

test('no fact takes the place of the level, the message, the time or the service', () => {
  const { stderr } = written({}, (lines) =>
    lines.write('error', 'm', { level: 'INFO', message: 'other', timestamp: 'never', service: 'other', pid: 'p' }),
  );
  expect(JSON.parse(stderr)).toMatchObject({
    level: 'ERROR',
    message: 'm',
    timestamp: '2026-11-26T00:00:00.000Z',
    service: 'gate',
    pid: 'p',
  });
});

test.each([
  ['Root=1-5759e988-bd86;Parent=53995c3f;Sampled=1', '1-5759e988-bd86'],
  ['Parent=53995c3f;Root=1-5759e988-bd86', '1-5759e988-bd86'],
  ['1-5759e988-bd86', '1-5759e988-bd86'],
  ['', undefined],
])('the trace of %j is in the line', (header, trace) => {
  const { stdout } = written({ _X_AMZN_TRACE_ID: header }, (lines) => lines.write('info', 'm', {}));
  expect(JSON.parse(stdout).xray_trace_id).toBe(trace);
});

test('the trace that the runtime states is taken first', () => {
  const header = 'Root=1-stated;Parent=1;Sampled=1';
  vi.stubGlobal('awslambda', { InvokeStore: { getXRayTraceId: () => header } });
  try {
    const { stdout } = written({ _X_AMZN_TRACE_ID: '1-env' }, (lines) => lines.write('info', 'm', {}));
    expect(JSON.parse(stdout).xray_trace_id).toBe('1-stated');
  } finally {
    vi.unstubAllGlobals();
  }
});

test.each([
  [{}, 'info warn error'],
  [{ POWERTOOLS_LOG_LEVEL: 'DEBUG' }, 'info warn error'],
  [{ POWERTOOLS_LOG_LEVEL: 'WARN' }, 'warn error'],
  [{ POWERTOOLS_LOG_LEVEL: 'CRITICAL' }, ''],
  [{ POWERTOOLS_LOG_LEVEL: 'SILENT' }, ''],
  [{ POWERTOOLS_LOG_LEVEL: 'constructor' }, 'info warn error'],
  [{ LOG_LEVEL: 'ERROR' }, 'error'],
  [{ POWERTOOLS_LOG_LEVEL: 'INFO', LOG_LEVEL: 'ERROR' }, 'info warn error'],
  [{ AWS_LAMBDA_LOG_LEVEL: 'ERROR', POWERTOOLS_LOG_LEVEL: 'INFO' }, 'error'],
  [{ AWS_LAMBDA_LOG_LEVEL: 'FATAL' }, ''],
] as const)('with %j these levels are written: %s', (env, levels) => {
  const { stdout, stderr } = written(env, (lines) => {
    for (const level of ['info', 'warn', 'error'] as const) lines.write(level, level, {});
  });
  const messages = `${stdout}${stderr}`.split('\n').filter(Boolean);
  expect(messages.map((line) => JSON.parse(line).message).join(' ')).toBe(levels);
});
