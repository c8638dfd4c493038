/** Tells whether denials of an agent may count towards the thresholds of its sessions. */
import type { Policy } from '../../config/compile.ts';

/** Only a classifier's denials count, and those of a parent agent (D12): without either, an agent's count of the day is not read. */
export const countsDenials = ({ settings }: Pick<Policy, 'settings'>, agent: string): boolean =>
  settings.classifier !== undefined || (settings.agents[agent]?.parents.length ?? 0) > 0;
