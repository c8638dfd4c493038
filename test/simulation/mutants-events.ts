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
];
