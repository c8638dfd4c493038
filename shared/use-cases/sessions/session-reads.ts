/** Tells which facts about sessions a policy makes use of: the others are neither read nor remembered. */
import type { Policy } from '../../config/compile.ts';
import type { SessionRow } from '../../contract/session.ts';

/** Whether a model is told of the recent calls of a session. Nothing else reads them. */
export const tellsModel = ({ settings }: Pick<Policy, 'settings'>): boolean => settings.classifier?.model !== undefined;

/** Whether the denials of a day count: a classifier makes denials that do, and so does a parent agent (D12). */
export const countsDenials = ({ settings }: Pick<Policy, 'settings'>, agent: string): boolean =>
  settings.classifier !== undefined || (settings.agents[agent]?.parents.length ?? 0) > 0;

/**
 * Whether a person may have refused a call of the agent on this day. Such a refusal counts too, and the write that counts it also changes the row
 * of all the agent's sessions. If that row did not change on this day, no refusal was counted.
 */
export const mayHaveRefused = ({ updatedAt }: Pick<SessionRow, 'updatedAt'>, day: string): boolean =>
  updatedAt.slice(0, day.length) >= day;
