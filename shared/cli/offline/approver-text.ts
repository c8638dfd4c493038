/**
 * Words the approvers of a call, stage by stage.
 *
 * Forms: for people, as JSON, and beside the expectation of a table.
 */
import type { Stage } from '../../contract/approval.ts';
import { duration } from '../support/terminal.ts';

/** A stage of the frozen plan, with the time that it has at most. */
export interface AskedStage {
  readonly group: string;
  /** `requester`: the person in whose name it is asked. */
  readonly by: 'group' | 'requester';
  readonly quorum: number;
  readonly timeoutMs: number;
  /** The group that may vote as well after the time-out. */
  readonly escalateTo?: string | undefined;
  /** Id of the channel. */
  readonly channel: string;
}

/** A stage without a time of its own has what the whole wait has. */
export const askedStages = (stages: readonly Stage[], wholeMs: number): AskedStage[] =>
  stages.map(({ group, by = 'group', quorum, timeoutMs = wholeMs, escalateTo, channel }) => ({
    group,
    by,
    quorum,
    timeoutMs: Math.min(timeoutMs, wholeMs),
    ...(escalateTo ? { escalateTo: escalateTo.group } : {}),
    channel,
  }));

/** `platform ×2 within 10m (then dba too), then dba ×1 within 20m`. */
export const wordsOfStages = (stages: readonly AskedStage[]): string => stages.map(wordsOf).join(', then ') || 'nobody';

function wordsOf({ group, quorum, timeoutMs, escalateTo }: AskedStage): string {
  const escalation = escalateTo === undefined ? '' : ` (then ${escalateTo} too)`;
  return `${group} ×${quorum} within ${duration(timeoutMs)}${escalation}`;
}

/** The lines that `check` and `explain` print; none where nobody is asked. */
export function linesOfAsks(asks: readonly AskedStage[] | undefined, onTimeout: 'approve' | undefined): string[] {
  if (!asks) return [];
  const channels = [...new Set(asks.map(({ channel }) => channel))];
  return [
    `asks    ${wordsOfStages(asks)}${onTimeout ? '; no answer in time lets it run' : ''}`,
    `cards   in ${channels.join(', then ')}`,
  ];
}

/** Stable names. */
export const jsonOfStages = (stages: readonly AskedStage[]) =>
  stages.map(({ timeoutMs, by, ...stage }) => ({
    ...stage,
    ...(by === 'requester' ? { by } : {}),
    timeout: duration(timeoutMs),
  }));

/** The expectation of a table about one stage: a group, or the fields that matter to its author. */
export type ExpectedStage =
  | string
  | {
      readonly group?: string | undefined;
      readonly quorum?: number | undefined;
      /** Milliseconds. */
      readonly timeout?: number | undefined;
      readonly escalateTo?: string | undefined;
      readonly channel?: string | undefined;
    };

/** Every stage in order; of each the fields that are stated. */
export const meets = (stages: readonly AskedStage[], expected: readonly ExpectedStage[]): boolean =>
  stages.length === expected.length &&
  expected.every((one, index) => {
    const stage = stages[index];
    if (!stage) return false;
    const { timeout, ...fields } = typeof one === 'string' ? { group: one, timeout: undefined } : one;
    const stated = Object.entries({ ...fields, timeoutMs: timeout }).filter(([, value]) => value !== undefined);
    return stated.every(([field, value]) => stage[field as keyof AskedStage] === value);
  });

/** The expectation of a table, in the same words. */
export const wordsOfExpected = (expected: readonly ExpectedStage[]): string =>
  expected
    .map((one) => {
      if (typeof one === 'string') return one;
      const { group = 'anybody', quorum, timeout, escalateTo, channel } = one;
      const parts = [
        group,
        quorum === undefined ? '' : `×${quorum}`,
        timeout === undefined ? '' : `within ${duration(timeout)}`,
        escalateTo === undefined ? '' : `(then ${escalateTo} too)`,
        channel === undefined ? '' : `in ${channel}`,
      ];
      return parts.filter(Boolean).join(' ');
    })
    .join(', then ') || 'nobody';
