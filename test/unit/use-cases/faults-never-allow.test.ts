/**
 * Fails or hangs each call of each port in turn, and checks that no fault allows (G9).
 *
 * Parts: the classifier, the hook, the model, the shell parser and the sink, in the library's service and in the gate.
 * A call that would be denied or asked is never allowed, and nothing is allowed that the faultless run does not allow.
 */
import { describe, expect, test } from 'vitest';
import type { CallContext } from '../../../shared/permissions/call/call-context.ts';
import {
  blockResult,
  InMemoryPermissionAuditSink,
  PermissionService,
  type PermissionServiceConfig,
} from '../../../shared/permissions/index.ts';
import { loadShellParser } from '../../../shared/permissions/shell/parser.ts';
import type { Model } from '../../../shared/use-cases/resolvers/classify.ts';
import { bash, type PolicyParts, policyOf, World } from './world.ts';

type Fault = 'throws' | 'hangs' | 'answers nonsense';
const FAULTS: readonly Fault[] = ['throws', 'hangs', 'answers nonsense'];

/** Wraps whatever it is given, and lets the n-th call of any method, on any of them, go wrong. */
class Faulty {
  calls = 0;
  readonly #at: number;
  readonly #fault: Fault;
  constructor(at: number, fault: Fault) {
    this.#at = at;
    this.#fault = fault;
  }

  readonly wrap = <Port extends object>(_: string, port: Port): Port =>
    new Proxy(port, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function'
          ? (...args: unknown[]) => this.#call(() => value.apply(target, args))
          : value;
      },
    });

  readonly wrapFn = <Args extends unknown[], Value>(fn: (...args: Args) => Value) =>
    ((...args: Args) => this.#call(() => fn(...args))) as (...args: Args) => Value;

  #call(effect: () => unknown): unknown {
    this.calls += 1;
    if (this.calls !== this.#at) return effect();
    if (this.#fault === 'throws') throw new Error('a fault');
    if (this.#fault === 'hangs') return new Promise(() => undefined);
    return Promise.resolve({ decision: 'allowed', kind: 'allowed', shouldBlock: 'no', approved: true });
  }
}

const parser = await loadShellParser();

describe('the service', () => {
  const SCENES: readonly { name: string; config: PermissionServiceConfig; input: string }[] = [
    {
      name: 'auto, blocked by the classifier',
      config: { mode: 'auto', classifier: { classify: async () => blockResult('no') } },
      input: 'make x',
    },
    {
      name: 'default, refused by a person',
      config: { mode: 'default', requestHandler: { handle: async () => ({ kind: 'Denied' }) } },
      input: 'make x',
    },
    {
      name: 'bubble, denied by the parent',
      config: { mode: 'bubble', parent: new PermissionService({ mode: 'dontAsk' }) },
      input: 'make x',
    },
    {
      name: 'a deny rule',
      config: { rules: [{ effect: 'deny', pattern: 'Bash(rm:*)', source: 'user' }] },
      input: 'rm x',
    },
    {
      name: 'allowed by a rule, with a record',
      config: { rules: [{ effect: 'allow', pattern: 'Bash(ls:*)', source: 'user' }], auditRequired: true },
      input: 'ls',
    },
  ];
  for (const { name, config, input } of SCENES) {
    test.each(FAULTS)(`${name}: what %s allows nothing`, async (fault) => {
      for (let at = 1; ; at++) {
        const faulty = new Faulty(at, fault);
        const { classifier, requestHandler, parent } = config;
        const service = new PermissionService({
          ...config,
          classifierTimeout: 20,
          shell: faulty.wrapFn(async () => parser),
          auditSink: faulty.wrap('sink', new InMemoryPermissionAuditSink(10)),
          ...(classifier ? { classifier: faulty.wrap('classifier', classifier) } : {}),
          ...(requestHandler ? { requestHandler: faulty.wrap('handler', requestHandler) } : {}),
          ...(parent ? { parent: { check: faulty.wrapFn(parent.check.bind(parent)) } } : {}),
        });
        const silence = new Promise<'silent'>((resolve) => setTimeout(resolve, 60, 'silent'));
        const outcome = await Promise.race([service.check('Bash', { command: input }), silence]);
        if (faulty.calls < at) break;
        // A handler or a sink that never answers leaves the call waiting; a record of nonsense is still a record.
        const decision = outcome === 'silent' ? 'silent' : outcome.decision;
        if (input !== 'ls') expect(decision, `call ${at} ${fault}`).not.toBe('allow');
        else if (fault === 'throws') expect(decision, `call ${at} ${fault}`).not.toBe('allow');
        expect(at).toBeLessThan(20);
      }
    });
  }

  test('a context that throws on every property is an error', async () => {
    const hostile = new Proxy({} as CallContext, {
      get() {
        throw new Error('hostile');
      },
    });
    const service = new PermissionService({ shell: async () => parser });
    expect((await service.check('Bash', hostile)).decision).toBe('deny');
  });
});

describe('the gate', () => {
  const AUTO: PolicyParts = {
    agents: '  coder: { owner: olga, mode: auto }\n  writer: { owner: olga }',
    more: `classifier:
  model: { provider: anthropic, model: judge-1, secret: model-key, timeout: 10s }
hooks:
  review: { url: 'https://hooks.test/x', secret: hook-key, tools: [Bash] }`,
  };

  /** The whole run with the n-th call going wrong; how many calls there were, and what the agent reads in the end. */
  async function run(at: number, fault: Fault, command: string) {
    const faulty = new Faulty(at, fault);
    const late: { world?: World } = {};
    const after = (ms: number, work: () => void) => late.world?.clock.after(ms, work) ?? (() => undefined);
    const model: Model = {
      name: 'anthropic/judge-1',
      timeoutMs: 10_000,
      after,
      classifier: faulty.wrap('model', { classify: async () => ({ shouldBlock: true, reason: 'no', confidence: 1 }) }),
    };
    const hooks = { after, caller: faulty.wrap('hook', { call: async () => '{}' }) };
    const world = new World(policyOf(AUTO), {
      wrap: faulty.wrap,
      shell: faulty.wrapFn(async () => parser),
      model,
      hooks,
    });
    late.world = world;
    await world.send(bash('p1', command));
    await world.clock.advance(3 * 60_000);
    return { calls: faulty.calls, outcome: (await world.decision('p1'))?.outcome };
  }

  test.each([
    ['blocked by the model', 'make upload'],
    ['denied by a rule', 'rm -rf build'],
    ['left to people by a rule', 'git push origin main'],
  ])('%s: whatever call fails or hangs, it is not allowed', async (_, command) => {
    for (const fault of FAULTS.slice(0, 2)) {
      for (let at = 1; ; at++) {
        const { calls, outcome } = await run(at, fault, command);
        if (calls < at) break;
        expect(outcome, `call ${at} ${fault}`).not.toBe('approved');
        // Repairs go on for as long as one looks; everything that decides comes first.
        if (at > 60) break;
      }
    }
  });
});
