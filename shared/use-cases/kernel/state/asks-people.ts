/** Says which sessions put no question to people, and why. */
import type { Policy } from '../../../config/compile.ts';
import type { Journal } from './journal.ts';
import type { Session } from './session.ts';

export type NobodyAsked = 'dont_ask' | 'no_handler';

/**
 * Why this session asks nobody: undefined if it may ask. The session counts as it was when the run began and as it is now. One that
 * escalates asks in the name of those above it, so that theirs count, too.
 */
export function whyNobodyIsAsked(
  { mode, settings, chain }: Pick<Session, 'mode' | 'settings' | 'chain'>,
  journal: Pick<Journal, 'session'>,
  { settings: { agents } }: Pick<Policy, 'settings'>,
): NobodyAsked | undefined {
  const levels = [journal.session, chain]
    .filter((one) => one !== undefined)
    .flatMap(({ levels: own, possible = [] }) => [...own, ...possible.flatMap((one) => one.levels)]);
  const modes = [mode, ...levels.flatMap((level) => [level.mode, level.agentMode])];
  if (modes.includes('dontAsk')) return 'dont_ask';
  const isUnattended = ({ agent }: { readonly agent: string }) =>
    Object.hasOwn(agents, agent) && agents[agent]?.unattended === true;
  return settings.unattended || levels.some(isUnattended) ? 'no_handler' : undefined;
}
