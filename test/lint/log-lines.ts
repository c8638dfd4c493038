/**
 * Finds lines of the functions' logs that would carry no id.
 *
 * `log` and `logFault` demand one. `run: true` stands for a line that concerns no proposal: each file that writes such lines states why.
 */

/** The only user of the log, the only writer of its lines, and the only writer of metrics. */
const WRITERS: ReadonlySet<string> = new Set([
  'functions/runtime/telemetry/observe.ts',
  'functions/runtime/telemetry/log-lines.ts',
  'functions/runtime/telemetry/metric-lines.ts',
]);

/** Files with lines that name no proposal, each with the reason. */
export const RUN_LINES: Readonly<Record<string, string>> = {
  'functions/reconcile.ts': 'the text of the policy belongs to no proposal',
  'functions/runtime/telemetry/events.ts': 'an event holds its own ids, and a request to the bus has events of many',
  'functions/runtime/wiring/lazy-workflow.ts':
    'a port knows the token alone, which no line may hold; the caller adds the approval',
  'functions/runtime/telemetry/with-telemetry.ts': 'the start of a process, and faults of a whole batch',
  'functions/slack/app.ts': 'a request of Slack about no approval, such as a command',
  'functions/slack/clicks.ts': 'the approval of the click is added by `app.ts`',
  'functions/slack/verify-request.ts': 'the listener’s own line has the approval, and the same request id',
  'functions/slack/show-form.ts': 'the approval of the click is added by `app.ts`',
  'functions/slack/draw-home.ts': 'the address of a workspace belongs to no proposal',
  'functions/slack/shown-store.ts': 'the approval of the click is added by `app.ts`',
};

const PASSED_BY = /\bconsole\.\w+|\bprocess\.std(?:out|err)\b|\bnew LogLines\(/;
const RUN = /\brun: true\b/;
const COMMENT = /^\s*(?:\*|\/\/|\/\*)/;

/** Problems of a file of `functions`, each with its line. */
export function logProblems(file: string, text: string): string[] {
  if (WRITERS.has(file)) return [];
  return text.split('\n').flatMap((line, index) => {
    if (COMMENT.test(line)) return [];
    const at = `${file}:${index + 1}`;
    if (PASSED_BY.test(line))
      return [`${at}: a line without ids; use log or logFault of functions/runtime/telemetry/observe.ts`];
    if (RUN.test(line) && !Object.hasOwn(RUN_LINES, file))
      return [
        `${at}: a line of a whole run; name the proposal or the message, or state the reason in test/lint/log-lines.ts`,
      ];
    return [];
  });
}

/** Reasons for files that have no such line any more. */
export const needlessReasons = (texts: ReadonlyMap<string, string>): string[] =>
  Object.keys(RUN_LINES)
    .filter((file) => !RUN.test(texts.get(file) ?? ''))
    .map((file) => `test/lint/log-lines.ts: ${file} has no line of a whole run`);
