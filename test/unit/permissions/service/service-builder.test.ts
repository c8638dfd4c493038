/**
 * Builds the library's service, and the providers that ask people for it.
 *
 * Covers R4-139, R4-145 and R4-153 … R4-155. Covers R4-139, R4-145, R4-153 … R4-155.
 */
import { describe, expect, test } from 'vitest';
import {
  allowResult,
  InMemoryPermissionAuditSink,
  type PermissionResponse,
  PermissionService,
  RuleClassifier,
} from '../../../../shared/permissions/index.ts';
import { responseOf } from '../../../../shared/permissions/service/human-loop.ts';
import {
  CallbackHumanLoopProvider,
  type HumanLoopResponse,
  PermissionServiceBuilder,
  ProviderRequestHandler,
} from '../../../../shared/seeds/echo-agent.ts';
import { shell } from '../support.ts';
import { serviceOf } from './service-support.ts';

const MAKE = { command: 'make all' };

describe('the builder (R4-139)', () => {
  test('makes a service of its parts, and gives back itself', async () => {
    const sink = new InMemoryPermissionAuditSink();
    const builder = new PermissionServiceBuilder({ shell: async () => shell });
    const built = builder
      .mode('auto')
      .rules([{ effect: 'deny', pattern: 'Read', source: 'project' }])
      .classifier({ classify: async () => allowResult('fine') })
      .requestHandler({ handle: async () => ({ kind: 'Denied' }) })
      .auditSink(sink);
    expect(built).toBe(builder);
    const service = builder.build();
    expect(await service.check('Bash', MAKE)).toMatchObject({ decision: 'allow', reason: 'classifier' });
    expect((await service.check('Read', { file_path: 'a' })).decision).toBe('deny');
    expect((await service.check('Bash', MAKE, { mode: 'default' })).message).toBe('A person refused the call.');
    expect(sink.all()).toHaveLength(3);
    const other = new InMemoryPermissionAuditSink();
    await service.withAuditSink(other).check('Read', { file_path: 'a' });
    expect([sink.all().length, other.all().length]).toEqual([3, 1]);
  });

  test('R4-004: the mode is default unless stated', () => expect(new PermissionService().mode).toBe('default'));
});

describe('without a project root nothing lies inside it', () => {
  const check = async (config: object, toolName: string, input: object) => {
    const service = new PermissionService({ shell: async () => shell, ...config });
    const { decision, reason } = await service.check(toolName, input);
    return `${decision} ${reason}`;
  };
  const EDITS = [
    ['Write', { file_path: '/etc/passwd', content: 'x' }],
    ['Write', { file_path: '/etc/cron.d/x', content: 'x' }],
    ['Edit', { file_path: '/usr/bin/sudo' }],
    ['Write', { file_path: 'src/a.ts', content: 'x' }],
    ['Write', { file_path: '/home/user/project/a.ts', content: 'x' }],
  ] as const;

  test.each(EDITS)('acceptEdits asks for %s %j', async (toolName, input) => {
    expect(await check({ mode: 'acceptEdits' }, toolName, input)).toMatch(/^require_approval /);
  });

  test.each([
    ['Read', { file_path: '/var/log/x' }],
    ['Read', { file_path: 'a' }],
    ['Grep', { pattern: 'x' }],
    ['Glob', { pattern: '**/*' }],
  ] as const)('default asks for %s %j', async (toolName, input) => {
    expect(await check({}, toolName, input)).toMatch(/^require_approval /);
  });

  test('rules hold as ever, for commands too', async () => {
    const rules = ['Bash(make:*)', 'Edit(src/**)', 'Read'].map((pattern) => ({
      effect: 'allow' as const,
      pattern,
      source: 'project' as const,
    }));
    expect(await check({ rules }, 'Bash', MAKE)).toBe('allow rule_match');
    expect(await check({ rules }, 'Write', { file_path: 'src/a.ts', content: '' })).toBe('allow rule_match');
    expect(await check({ rules }, 'Write', { file_path: '/src/a.ts', content: '' })).toMatch(/^require_approval /);
    expect(await check({ rules }, 'Read', { file_path: '/var/log/x' })).toBe('allow rule_match');
    expect(await check({ rules }, 'Bash', { command: 'cd src && make all' })).toMatch(/^require_approval /);
  });

  test('a relative delete is none of a top-level folder: the seed’s example of auto mode', async () => {
    const classifier = new RuleClassifier({ deny: ['Bash(rm:*)'], shell: async () => shell });
    expect(await check({ mode: 'auto', classifier }, 'Bash', { command: 'rm -rf build' })).toBe('deny classifier');
    expect(await check({ mode: 'auto', classifier }, 'Bash', { command: 'rm -rf /' })).toBe('ask rule_match');
  });

  test('with one everything is as before, and a stated folder is one', async () => {
    for (const config of [{ projectRoot: '/project' }, { cwd: '/project' }]) {
      expect(await check({ ...config, mode: 'acceptEdits' }, 'Write', { file_path: 'a', content: '' })).toBe(
        'allow accept_edits',
      );
      expect(await check(config, 'Read', { file_path: '/project/a' })).toBe('allow handler');
      expect(await check(config, 'Read', { file_path: '/a' })).toMatch(/^require_approval /);
    }
  });

  test('the classifier is told of no workspace', async () => {
    const seen: (string | undefined)[] = [];
    const classifier = {
      classify: async ({ context }: { context: { workspacePath: string | undefined } }) => {
        seen.push(context.workspacePath);
        return allowResult('fine');
      },
    };
    await check({ mode: 'auto', classifier }, 'Bash', MAKE);
    await check({ mode: 'auto', classifier, projectRoot: '/project' }, 'Bash', MAKE);
    expect(seen).toEqual([undefined, '/project']);
  });
});

describe('providers (R4-145, R4-153 … R4-155)', () => {
  test.each<[HumanLoopResponse, PermissionResponse]>([
    [{ kind: 'Approved' }, { kind: 'Allowed', scope: 'Once' }],
    [
      { kind: 'ApprovedWithScope', scope: 'Session' },
      { kind: 'Allowed', scope: 'Session' },
    ],
    [
      { kind: 'ModifiedArgs', args: { a: 1 } },
      { kind: 'Allowed', scope: 'Once', modifiedArgs: { a: 1 } },
    ],
    [
      { kind: 'ModifiedArgs', args: { a: 1 }, scope: 'Session' },
      { kind: 'Allowed', scope: 'Session', modifiedArgs: { a: 1 } },
    ],
    [
      { kind: 'Rejected', reason: 'No.' },
      { kind: 'Denied', reason: 'No.' },
    ],
    [{ kind: 'Rejected' }, { kind: 'Denied', reason: undefined }],
    [{ kind: 'Timeout' }, { kind: 'Denied', reason: 'Nobody answered in time.' }],
    [{ kind: 'Deferred' }, { kind: 'Denied', reason: 'The decision was put off.' }],
    [
      { kind: 'Text', text: 'yes, do it' },
      { kind: 'Denied', reason: 'yes, do it' },
    ],
    [{ kind: 'Maybe' } as never, { kind: 'Denied', reason: 'The answer is unknown.' }],
  ])('%j is %j', (answer, response) => expect(responseOf(answer)).toEqual(response));

  test('a provider of one’s own decides; a responder that is dropped rejects', async () => {
    const heard: unknown[] = [];
    const decisionWith = async (answer: HumanLoopResponse | undefined) => {
      const provider = new CallbackHumanLoopProvider((request) => {
        heard.push(request);
        return answer;
      });
      return serviceOf({ requestHandler: new ProviderRequestHandler(provider) }).service.check('Bash', MAKE);
    };
    expect((await decisionWith({ kind: 'Approved' })).decision).toBe('allow');
    expect(await decisionWith({ kind: 'Rejected', reason: 'Wrong day.' })).toMatchObject({ message: 'Wrong day.' });
    expect(await decisionWith(undefined)).toMatchObject({ decision: 'deny', message: 'Nobody answered.' });
    expect(heard[0]).toEqual({
      kind: 'approval',
      requestId: 'main-1',
      prompt: 'Tool [Bash] requires human approval',
      toolName: 'Bash',
      args: MAKE,
    });
  });
});
