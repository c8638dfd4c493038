/** Checks the library's audit (R4-124 … R4-138, D13): one entry a decision, in the seed's own words. */
import { describe, expect, test, vi } from 'vitest';
import {
  type AuditLogger,
  CompositePermissionAuditSink,
  InMemoryPermissionAuditSink,
  LoggingPermissionAuditSink,
  type PermissionAuditEntry,
} from '../../../../shared/permissions/index.ts';
import { serviceOf } from './service-support.ts';

const entry = (n: number): PermissionAuditEntry => ({
  tool_name: `T${n}`,
  args_hash: '00000000',
  decision: 'allow',
  reason: 'rule_match',
  source: 'rules',
  duration_us: 1,
  elapsed_ms: 0,
});
const names = (entries: readonly PermissionAuditEntry[]) => entries.map(({ tool_name }) => tool_name);

describe('sinks', () => {
  test('R4-133, R4-134: a ring of the last entries, newest or oldest first', () => {
    const sink = new InMemoryPermissionAuditSink(3);
    for (let n = 1; n <= 5; n++) sink.record(entry(n));
    expect(names(sink.all())).toEqual(['T3', 'T4', 'T5']);
    expect(names(sink.recent(2))).toEqual(['T5', 'T4']);
    expect(names(sink.recent(9))).toEqual(['T5', 'T4', 'T3']);
    expect([sink.recent(0), sink.recent(-1)]).toEqual([[], []]);
  });

  test('R4-133: a thousand by default; a capacity is a whole number of one or more', () => {
    const sink = new InMemoryPermissionAuditSink();
    for (let n = 0; n < 1001; n++) sink.record(entry(n));
    expect(sink.all()).toHaveLength(1000);
    const one = new InMemoryPermissionAuditSink(1);
    one.record(entry(1));
    expect(names(one.all())).toEqual(['T1']);
    for (const capacity of [0, -1, 1.5, Number.NaN]) expect(() => new InMemoryPermissionAuditSink(capacity)).toThrow();
  });

  test('R4-135: every entry is logged at the level of the sink', () => {
    const logged: string[] = [];
    const at = (level: string) => (message: string, fields: Record<string, unknown>) =>
      void logged.push(`${level} ${message} ${fields['tool_name']}`);
    const logger: AuditLogger = { trace: at('trace'), debug: at('debug'), info: at('info'), warn: at('warn') };
    for (const make of ['trace', 'debug', 'info', 'warn'] as const)
      LoggingPermissionAuditSink[make](logger).record(entry(1));
    new LoggingPermissionAuditSink(logger).record(entry(2));
    expect(logged).toEqual([
      ...['trace', 'debug', 'info', 'warn'].map((level) => `${level} permission decision T1`),
      'info permission decision T2',
    ]);
  });

  test('R4-135: without a logger it logs lines of JSON, beside what a program prints', () => {
    const lines: string[] = [];
    const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
    LoggingPermissionAuditSink.info().record(entry(1));
    LoggingPermissionAuditSink.trace().record(entry(2));
    write.mockRestore();
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { level: 'info', message: 'permission decision', ...entry(1) },
      { level: 'trace', message: 'permission decision', ...entry(2) },
    ]);
  });

  test('R4-136, R4-137: all sinks in order; one that fails is told of, and stops no other', async () => {
    const order: string[] = [];
    const failures: unknown[] = [];
    const sink = new CompositePermissionAuditSink(
      [
        { record: () => void order.push('first') },
        { record: () => Promise.reject(new Error('down')) },
        {
          record: () => {
            throw new Error('broken');
          },
        },
        { record: async () => void order.push('last') },
      ],
      (error) => failures.push((error as Error).message),
    );
    await sink.record(entry(1));
    expect([order, failures]).toEqual([
      ['first', 'last'],
      ['down', 'broken'],
    ]);
  });
});

describe('what a service records', () => {
  test.each([
    ['bypass', { mode: 'bypass' }, 'allow', 'bypass', 'bypass_mode'],
    ['plan mode', { mode: 'plan' }, 'deny', 'plan_mode', 'plan_mode'],
    ['a deny rule', { rules: [['deny', 'Bash(make:*)']] }, 'deny', 'rule_match', 'rules'],
    ['an ask rule', { rules: [['ask', 'Bash(make:*)']] }, 'ask', 'rule_match', 'rules'],
    ['an allow rule', { rules: [['allow', 'Bash(make:*)']] }, 'allow', 'rule_match', 'rules'],
    ["don't-ask", { mode: 'dontAsk' }, 'deny', 'dont_ask', 'mode_dispatch'],
    ['no handler', {}, 'require_approval', 'no_handler', 'handler_check'],
    ['no classifier', { mode: 'auto' }, 'require_approval', 'no_handler', 'mode_dispatch'],
    ['no parent', { mode: 'bubble' }, 'require_approval', 'bubble', 'mode_dispatch'],
    ['a person who allows', { answer: { kind: 'Allowed' } }, 'allow', 'handler', 'mode_dispatch'],
    ['a person who refuses', { answer: { kind: 'Denied' } }, 'deny', 'handler', 'mode_dispatch'],
  ] as const)('R4-124 … R4-132: %s', async (_, options, decision, reason, source) => {
    const sink = new InMemoryPermissionAuditSink();
    const { service } = serviceOf({ ...options, auditSink: sink });
    await service.check('Bash', { command: 'make secret-target' });
    expect(sink.all()).toEqual([
      {
        tool_name: 'Bash',
        args_hash: expect.stringMatching(/^[0-9a-f]{8}$/),
        decision,
        reason,
        source,
        duration_us: expect.any(Number),
        elapsed_ms: expect.any(Number),
      },
    ]);
    // R4-138: the input is not in it.
    expect(JSON.stringify(sink.all())).not.toContain('secret-target');
  });

  test('R4-132: whole microseconds, and no less than none when the clock goes back', async () => {
    const sink = new InMemoryPermissionAuditSink();
    const readings = [0, 1500.4, 100, 50];
    const { service } = serviceOf({ auditSink: sink, micros: () => readings.shift() ?? 0 });
    await service.check('Read', { file_path: 'a' });
    await service.check('Read', { file_path: 'a' });
    expect(sink.all().map(({ duration_us, elapsed_ms }) => [duration_us, elapsed_ms])).toEqual([
      [1500, 2],
      [0, 0],
    ]);
  });

  test('R4-137, G35: a sink that fails changes no decision, but an allow where a record is required', async () => {
    const auditSink = {
      record: () => {
        throw new Error('down');
      },
    };
    const decisionOf = async (auditRequired: boolean, file_path: string) =>
      (await serviceOf({ auditSink, auditRequired }).service.check('Read', { file_path })).decision;
    expect(await decisionOf(false, 'a')).toBe('allow');
    expect(await decisionOf(true, 'a')).toBe('deny');
    expect(await decisionOf(true, '.env')).toBe('deny');
    expect(await decisionOf(true, '/etc/hosts')).toBe('require_approval');
    expect((await serviceOf({ auditRequired: true }).service.check('Read', { file_path: 'a' })).error).toBe(
      'audit_failed',
    );
    const sink = new InMemoryPermissionAuditSink();
    const { service } = serviceOf({ auditRequired: true, auditSink: sink });
    expect((await service.check('Read', { file_path: 'a' })).decision).toBe('allow');
  });

  test('what cannot be judged is a denial that is recorded, also where the input has no digest', async () => {
    const sink = new InMemoryPermissionAuditSink();
    const { service } = serviceOf({ auditSink: sink });
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    expect(await service.check('Read', loop)).toMatchObject({ decision: 'deny', error: expect.any(String) });
    expect(await service.check('Read', { file_path: 1n })).toMatchObject({ decision: 'deny' });
    expect(await service.check(7 as never, {})).toMatchObject({ decision: 'deny', error: expect.any(String) });
    expect(sink.all().map(({ tool_name, args_hash }) => [tool_name, args_hash])).toEqual([
      ['Read', '00000000'],
      ['Read', '00000000'],
      ['', '44136fa3'],
    ]);
  });
});
