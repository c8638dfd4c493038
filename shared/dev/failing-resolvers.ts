/**
 * Stands for the hooks and models of a policy file on one machine: each question fails.
 *
 * The policy file says what follows from a failure.
 */
import type { MemoryGateOptions } from '../adapters/memory/gate-parts.ts';
import type { PolicyFile } from '../config/schema/policy-file.ts';
import { NetworkError } from '../ports/llm-client.ts';
import { systemTimers } from '../ports/timers.ts';

const TIMEOUT_MS = 1_000;

const fails = async (): Promise<never> => {
  throw new NetworkError('a gate in memory asks nobody outside');
};

/** A gate in memory cannot read the secrets of hooks and models. Without these, a call that needs an answer of one would wait until it expires. */
export const UNREACHED: Required<Pick<MemoryGateOptions, 'hooks' | 'model' | 'models'>> = {
  hooks: { caller: { call: fails }, after: systemTimers.after },
  model: { name: 'none', timeoutMs: TIMEOUT_MS, classifier: { classify: fails }, after: systemTimers.after },
  models: {
    client: (name) => ({
      name: name ?? 'the only one',
      timeoutMs: TIMEOUT_MS,
      cost: () => undefined,
      llm: { complete: fails },
    }),
    after: systemTimers.after,
  },
};

/**
 * Parts of the policy file that a gate in memory leaves out, in words; empty where it leaves out none.
 *
 * @param isReached tells targets that the gate reaches all the same
 */
export function leftOut(
  { hooks, models, classifier, taskAgent, tools }: PolicyFile,
  isReached: (target: object) => boolean = () => false,
): readonly string[] {
  const targets = Object.entries(tools).flatMap(([name, { target }]) => (target && !isReached(target) ? [name] : []));
  return [
    ...list('hooks', Object.keys(hooks)),
    ...list('models', Object.keys(models)),
    ...(classifier?.model ? ['the model of classifier'] : []),
    ...(taskAgent.model ? ['the model of taskAgent'] : []),
    ...list('targets of', targets),
  ];
}

/** Tools that a deployed gate runs at addresses outside, for these want no secret; in words, empty where there are none. */
export function reachedOutside({ tools, mcpServers }: PolicyFile): readonly string[] {
  const targets = Object.entries(tools).flatMap(([name, { target }]) => (isOpen(target) ? [name] : []));
  const servers = Object.entries(mcpServers).flatMap(([name, server]) => (isOpen(server) ? [name] : []));
  return [...list('targets of', targets), ...list('MCP servers', servers)];
}

/** Whether it is an address outside that wants no secret. */
export const isOpen = (address: object | undefined): boolean =>
  address !== undefined && 'url' in address && (address as { readonly secret?: string }).secret === undefined;

const list = (what: string, names: readonly string[]): string[] =>
  names.length ? [`${what} ${names.join(', ')}`] : [];
