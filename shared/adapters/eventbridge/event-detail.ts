/** The words of an event that consumers see, on the bus and in log lines alike. */
import type { EmittedEvent } from '../../ports/gate-events.ts';

export interface EventContext {
  readonly deployment: string;
  /** The invocation that told it, as it stands in the logs. */
  readonly requestId?: string | undefined;
}

/** Ids and figures; `at` in ISO 8601. */
export function detailOf(event: EmittedEvent, { deployment, requestId }: EventContext): Record<string, unknown> {
  const { name, at, detail, ...ids } = event;
  return {
    event: name,
    ...ids,
    at: new Date(at).toISOString(),
    deployment,
    ...(requestId === undefined ? {} : { requestId }),
    detail,
  };
}
