/** Tells whether denials of an agent may count towards the thresholds of its sessions. */
import type { Policy } from '../../config/compile.ts';
import type { SessionRow } from '../../contract/session.ts';

/** A classifier's denials count, and those of a parent agent (D12): without either, the count of the day is not read with the sessions. */
export const countsDenials = ({ settings }: Pick<Policy, 'settings'>, agent: string): boolean =>
  settings.classifier !== undefined || (settings.agents[agent]?.parents.length ?? 0) > 0;

/**
 * Whether a person may have refused a call of the agent on this day. Such a refusal counts too, and the write that counts it also changes the row
 * of all the agent's sessions. If that row did not change on this day, no refusal was counted.
 */
export const mayHaveRefused = ({ updatedAt }: Pick<SessionRow, 'updatedAt'>, day: string): boolean =>
  updatedAt.slice(0, day.length) >= day;
