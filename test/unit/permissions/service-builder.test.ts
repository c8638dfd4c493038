/** Building the library's service, and the providers that ask people for it (R4-139, R4-145, R4-153 … R4-155). */
import { describe, expect, test } from 'vitest';
import {
  allowResult,
  CallbackHumanLoopProvider,
  type HumanLoopResponse,
  InMemoryPermissionAuditSink,
  type PermissionResponse,
  PermissionService,
  PermissionServiceBuilder,
  ProviderRequestHandler,
  responseOf,
} from '../../../shared/permissions/index.ts';
import { serviceOf } from './service-support.ts';
import { shell } from './support.ts';

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

  test('R4-004: default mode by default', () => expect(new PermissionService().mode).toBe('default'));
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
