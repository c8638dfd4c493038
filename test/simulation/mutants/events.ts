/** Lists defects of events that are sent again, which the simulator has to find. */
import type { Mutant } from './mutant.ts';

export const OF_EVENTS: readonly Mutant[] = [
  {
    name: 'an event says which person decided',
    file: 'shared/use-cases/audit/entry-event.ts',
    find: "decidedBy: decidedBy && (decidedBy.type === 'human' ? { type: decidedBy.type } : decidedBy),",
    put: 'decidedBy,',
  },
  {
    name: 'only the newest of the events is sent again',
    file: 'shared/use-cases/operations/replay-events.ts',
    find: 'await webhooks.put(webhook, events);',
    put: 'await webhooks.put(webhook, events.slice(-1));',
  },
  {
    name: 'events are sent again with the newest first',
    file: 'shared/use-cases/operations/replay-events.ts',
    find: '    .reverse();',
    put: ';',
  },
  {
    name: 'an event that its receiver refuses counts as sent',
    file: 'shared/adapters/hooks/send-webhook.ts',
    find: "if (response.ok) return { kind: 'sent' };",
    put: "if (response.status < 500) return { kind: 'sent' };",
  },
  {
    name: 'an event that nobody answers counts as sent',
    file: 'shared/adapters/hooks/send-webhook.ts',
    find: "return { kind: 'later', reason: signal.aborted ? 'no_answer' : 'not_reached' };",
    put: "return signal.aborted ? { kind: 'sent' } : { kind: 'later', reason: 'not_reached' };",
  },
  {
    name: 'an event comes again sooner than its receiver asks for',
    file: 'shared/adapters/hooks/deliver-event.ts',
    find: 'Math.max(pause, Math.ceil(retryAfterMs / 1_000))',
    put: 'pause + 0 * retryAfterMs',
  },
  {
    name: 'each try of an event has an id of its own',
    file: 'shared/adapters/hooks/send-webhook.ts',
    find: '{ id: event.id, seconds',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source
    put: '{ id: `${event.id}-${now()}`, seconds',
  },
  {
    name: 'a signature leaves out the time',
    file: 'shared/domain/record/webhook-signature.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source
    find: 'const signed = `${id}.${seconds}.${body}`;',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source
    put: 'const signed = `${id}.${body}`;',
  },
  {
    name: 'a fault of its secret ends an event',
    file: 'shared/adapters/hooks/deliver-event.ts',
    find: "return { ...later, reason: 'no_secret', error, seconds: pauseAfter(received) };",
    put: "return { kind: 'dropped', webhook, ...(error ? {} : later) };",
  },
  {
    name: 'the end of an approval is told with each later write of its row',
    file: 'shared/use-cases/audit/emit-events.ts',
    find: 'if (isTerminal(next.status) && !endedBefore) sink.emit(ended(next));',
    put: 'if (isTerminal(next.status)) sink.emit(ended(next));',
  },
];
