/** Checks the settings of a `PermissionService`. */
import {
  anyText,
  type Checks,
  checkedElsewhere,
  flag,
  fn,
  having,
  listOf,
  objectOf,
  oneOf,
  record,
  text,
} from '../../domain/settings.ts';
import { wait } from '../../ports/timers.ts';
import { rule, tools } from '../model/entry-checks.ts';
import { MODES } from '../model/modes.ts';
import { STAGE_CHECKS } from '../model/stages.ts';
import type { FileSystemView } from '../model/types.ts';
import type { PermissionServiceConfig } from './config.ts';
import type { GrantBinding } from './grants.ts';

const asked = having('check');

export const SERVICE_CHECKS: Checks<PermissionServiceConfig> = {
  ...STAGE_CHECKS,
  mode: oneOf(...MODES),
  rules: listOf(rule),
  tools,
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
  fs: objectOf<FileSystemView>({ symlinks: record, caseInsensitive: flag }),
  agentName: text,
  sessionId: text,
  binding: objectOf<Partial<GrantBinding>>({
    tenant: anyText,
    session: anyText,
    agent: anyText,
    cwd: anyText,
    mode: anyText,
    policyVersion: anyText,
    digests: record,
    env: checkedElsewhere,
    operandHashes: checkedElsewhere,
  }),
  unattended: flag,
  clock: having('now'),
  micros: fn,
  shell: fn,
};
