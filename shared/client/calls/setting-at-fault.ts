/** Words faults of AWS that lie in the settings of this machine. */

/** AWS refuses a signature whose time is minutes away from its own: each service words it in another way. */
const OF_ANOTHER_TIME = /^(?:RequestTimeTooSkewed|RequestExpired)$/;
const SIGNED_AT_ANOTHER_TIME = /^Signature (?:expired|not yet current)/;

/** Words for faults of this machine's settings, which are the commonest of a new process; undefined for any other. */
export function settingAtFault(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { name, message } = error;
  // The SDK throws it as a bare `Error`.
  if (message === 'Region is missing') return 'no region: set AWS_REGION';
  return OF_ANOTHER_TIME.test(name) || SIGNED_AT_ANOTHER_TIME.test(message)
    ? `${name}: the clock of this machine is wrong, set it`
    : undefined;
}
