/** Checks how calls are stated before anything is sent: an option that nothing reads would do nothing. */
import { IDENTIFIER, isIdentifier } from '../../contract/bounds.ts';
import { duration } from '../../domain/duration.ts';
import { InvalidSettingError } from '../../domain/errors.ts';
import {
  anyText,
  type Check,
  type Checks,
  checkedElsewhere,
  checkSettings,
  fn,
  oneOf,
  record,
  shown,
  signal,
  text,
} from '../../domain/settings.ts';
import type { CallOptions } from './call-options.ts';
import type { StatedCall } from './calls.ts';
import type { GuardedCall, GuardOptions, GuardRunOptions, GuardSettings } from './guarded-call.ts';

const WAIT: Checks<GuardOptions> = { signal, timeout: duration, onAbort: oneOf('cancel', 'leave') };

const identifier: Check = (value, setting) => {
  if (!isIdentifier(value))
    throw new InvalidSettingError(
      setting,
      `${shown(value)} cannot be a name: give 1 to ${IDENTIFIER.max} of A-Z a-z 0-9 . _ : -`,
    );
};

/** In UTC, as the gate wants it. */
const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

const instant: Check = (value, setting) => {
  if (typeof value !== 'string' || !INSTANT.test(value) || Number.isNaN(Date.parse(value)))
    throw new InvalidSettingError(setting, `${shown(value)} is no time: give one like 2026-11-21T09:30:00Z`);
};

/** The words of a proposal are checked with the proposal; the key also reaches the tool where it was proposed before. */
const WORDS: Checks<Omit<CallOptions, keyof GuardOptions | 'id' | 'limits' | 'fallback'>> = {
  title: checkedElsewhere,
  description: checkedElsewhere,
  reason: checkedElsewhere,
  cwd: checkedElsewhere,
  sessionId: checkedElsewhere,
  expiresAt: checkedElsewhere,
  state: checkedElsewhere,
  starts: checkedElsewhere,
  urgency: checkedElsewhere,
  annotations: checkedElsewhere,
  idempotencyKey: identifier,
};

const OPTIONS: Checks<CallOptions<unknown>> = {
  id: checkedElsewhere,
  ...WAIT,
  ...WORDS,
  limits: checkedElsewhere,
  fallback: checkedElsewhere,
};

const STATED: Checks<StatedCall> = { tool: checkedElsewhere, input: checkedElsewhere, ...OPTIONS };

const { id: _, ...GUARDED } = STATED;

const SETTINGS: Checks<GuardSettings> = {
  run: checkedElsewhere,
  timeout: WAIT.timeout,
  onAbort: WAIT.onAbort,
  // A framework would tell these to its model, call by call, and never to whoever stated them.
  title: anyText,
  description: anyText,
  reason: anyText,
  cwd: text,
  sessionId: identifier,
  expiresAt: instant,
  state: anyText,
  starts: record,
  urgency: oneOf('low', 'normal', 'high', 'critical'),
  annotations: record,
  idempotencyKey: identifier,
  limits: record,
  fallback: fn,
};

/** @throws InvalidSettingError that names the wrong option, or the options that there are */
export const checkOptions = (options: CallOptions<unknown>): void => checkSettings(options, OPTIONS);

export const checkStated = (call: StatedCall): void => checkSettings(call, STATED, { of: 'call' });

export const checkGuarded = (call: GuardedCall): void =>
  checkSettings(call, { callId: checkedElsewhere, ...GUARDED }, { of: 'call' });

export const checkGuardSettings = (settings: GuardSettings): void =>
  checkSettings(settings, SETTINGS, { of: 'settings' });

/** Checks the settings of an adapter that makes its guards itself: the framework runs the call, and has the settings in `left` itself. */
export function checkShared(
  settings: object,
  own: Readonly<Record<string, Check>>,
  left: readonly string[] = [],
): void {
  const shared = Object.entries(SETTINGS).filter(([name]) => name !== 'run' && !left.includes(name));
  checkSettings(settings, { ...Object.fromEntries(shared), ...own }, { of: 'settings' });
}

export const checkGuardOptions = (options: GuardOptions): void => checkSettings(options, WAIT);

export const checkRunOptions = (options: GuardRunOptions): void => checkSettings(options, { ...WAIT, readEdit: fn });

/** Checks the options of a wait alone, which withdraws nothing. */
export const checkWait = (options: Pick<GuardOptions, 'signal' | 'timeout'>): void =>
  checkSettings(options, { timeout: duration, signal });

/** The options of a wait, beside fields that the gate's own reader checks. */
export function checkWaitAmong(options: Pick<GuardOptions, 'signal' | 'timeout'>): void {
  record(options, 'options');
  checkWait({ timeout: options.timeout, signal: options.signal });
}
