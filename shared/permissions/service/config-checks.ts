/** Checks the settings of a `PermissionService`. */
import { type Checks, flag, fn, having, listOf, oneOf, record, text } from '../../domain/settings.ts';
import { wait } from '../../ports/timers.ts';
import { MODES } from '../model/modes.ts';
import { STAGE_CHECKS } from '../model/stages.ts';
import type { PermissionServiceConfig } from './config.ts';

const asked = having('check');

export const SERVICE_CHECKS: Checks<PermissionServiceConfig> = {
  ...STAGE_CHECKS,
  mode: oneOf(...MODES),
  rules: listOf(record),
  tools: listOf(record),
  bypassDisabled: flag,
  bypassHonoursRules: flag,
  protectedPaths: asked,
  cache: having('check', 'record'),
  tracker: having('recordDenial', 'shouldFallback'),
  classifier: having('classify'),
  classifierContext: record,
  classifierTimeout: wait,
  ask: fn,
  requestHandler: having('handle'),
  askTimeout: wait,
  auditSink: having('record'),
  auditRequired: flag,
  parent: asked,
  cwd: text,
  projectRoot: text,
  home: text,
  fs: record,
  agentName: text,
  sessionId: text,
  binding: record,
  unattended: flag,
  clock: having('now'),
  micros: fn,
  shell: fn,
};
