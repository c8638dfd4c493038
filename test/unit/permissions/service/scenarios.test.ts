/** Checks the scenarios of the seed's example files, through the library's public face (R4-164). */
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { StreamTerminal } from '../../../../shared/approvals/askers/terminal.ts';
import {
  CompositePermissionAuditSink,
  InMemoryPermissionAuditSink,
  LoggingPermissionAuditSink,
} from '../../../../shared/permissions/index.ts';
import { AgentPermissions } from '../../../../shared/permissions/service/agent-permissions.ts';
import {
  ConsoleHumanLoopProvider,
  PermissionServiceBuilder,
  ProviderRequestHandler,
} from '../../../../shared/seeds/echo-agent.ts';

/** A person at a terminal, who types these lines. */
function person(...lines: readonly string[]) {
  const input = new PassThrough();
  const output = new PassThrough();
  input.end(lines.map((line) => `${line}\n`).join(''));
  const provider = new ConsoleHumanLoopProvider(new StreamTerminal(input, output));
  return { provider, shown: () => String(output.read() ?? '') };
}

test('demo03: one person gives a text that the agent needs, then decides a call that writes with it', async () => {
  const { provider, shown } = person('/data/out.csv', 'y', 'wrong folder');
  const service = new PermissionServiceBuilder().requestHandler(new ProviderRequestHandler(provider)).build();
  const answer = await provider.request({ kind: 'input', requestId: 'r1', prompt: 'Where to?' });
  expect(answer).toEqual({ kind: 'Text', text: '/data/out.csv' });
  const call = { file_path: '/data/out.csv', content: 'x' };
  expect(await service.check('Write', call)).toMatchObject({ decision: 'allow', reason: 'handler' });
  expect(await service.check('Write', call)).toMatchObject({ decision: 'deny', message: 'wrong folder' });
  expect(shown()).toContain('💬 Where to?\n   > 🔔 Tool [Write] requires human approval\n');
});

test('demo05: a tool that needs an appeal is there at once and asks before it runs; a tool beside it does not', async () => {
  const service = new PermissionServiceBuilder({ projectRoot: '/data' }).build();
  const agent = new AgentPermissions(service);
  agent.addTool('Read');
  agent.addNeedAppealTool('delete_file');
  expect(agent.tools).toEqual(['Read', 'delete_file']);
  expect(await agent.toolNeedsApproval('Read', { file_path: '/data/a' })).toBe(false);
  expect(await agent.checkToolApproval('delete_file', { path: '/a' })).toMatchObject({
    decision: 'ask',
    reason: 'rule_match',
    suggestions: ['Allow', 'Deny'],
  });
});

test('demo20: every decision is in memory and in the log, the newest first', async () => {
  const lines: unknown[] = [];
  const log = (message: string, { reason }: Record<string, unknown>) => void lines.push([message, reason]);
  const memory = new InMemoryPermissionAuditSink(1000);
  const logging = LoggingPermissionAuditSink.info({ trace: log, debug: log, info: log, warn: log });
  const service = new PermissionServiceBuilder({ projectRoot: '/data' })
    .auditSink(new CompositePermissionAuditSink([memory, logging]))
    .build();
  await service.check('Write', { path: '.env' });
  await service.check('Read', { path: '/data/a' });
  await service.check('deploy', {});
  const told = memory.recent(10).map((entry) => `${entry.tool_name} ${entry.decision} ${entry.reason}`);
  expect(told).toEqual(['deploy require_approval no_handler', 'Read allow handler', 'Write deny protected_path']);
  expect(lines).toEqual(['protected_path', 'handler', 'no_handler'].map((reason) => ['permission decision', reason]));
});
