/** Notes which messages of a batch were deferred: they come again, and count as worked then. */
import type { IntakeDependencies } from '../../../shared/use-cases/intake/dependencies.ts';

/** The same dependencies; `deferred` takes the ids of the messages that come again by the queue of that name. */
export const noteDeferred = (deferred: Set<string>, deps: IntakeDependencies): IntakeDependencies => ({
  ...deps,
  deferred: {
    handOver: (pid) => deps.deferred.handOver(pid),
    async defer(message, delaySeconds) {
      await deps.deferred.defer(message, delaySeconds);
      deferred.add(message.messageId);
    },
  },
});
