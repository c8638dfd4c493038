/** Keeps a handler that is assigned to a registered tool of an MCP server behind the gate. */

export type Handler = (...given: unknown[]) => unknown;

/** The fields that servers run. */
export interface RunFields {
  /** The older generation of the SDK runs this one. */
  handler?: Handler;
  /** The newer generation makes this one of the handler. */
  executor?: Handler;
}

/** @returns whose argument may write the fields itself, as the SDK's own `update` does with handlers that are gated */
export function assignedBehind(registered: RunFields, gated: (given: Handler) => Handler) {
  let isOwn = false;
  for (const field of ['handler', 'executor'] as const) {
    let value = registered[field];
    if (value === undefined) continue;
    const get = () => value;
    const set = (given: Handler) => {
      value = isOwn ? given : gated(given);
    };
    Object.defineProperty(registered, field, { enumerable: true, configurable: true, get, set });
  }
  return (writing: () => void): void => {
    isOwn = true;
    try {
      writing();
    } finally {
      isOwn = false;
    }
  };
}
