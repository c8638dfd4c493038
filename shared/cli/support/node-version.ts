/**
 * Refuses a Node that is older than the package wants.
 *
 * npm only warns of it, and a part that lacks something would fail in words of its own.
 */
import manifest from '../../../package.json' with { type: 'json' };

/** Why this version cannot run the command; undefined if it can. */
export function nodeProblem(version: string): string | undefined {
  const wanted = manifest.engines.node.replace('>=', '');
  const [[major = 0, minor = 0], [least = 0, leastMinor = 0]] = [numbersOf(version), numbersOf(wanted)];
  if (major > least || (major === least && minor >= leastMinor)) return undefined;
  return `Node ${wanted} or newer is needed, and this is ${version}: install it, or put it first on PATH`;
}

const numbersOf = (version: string): readonly number[] => version.split('.').map(Number);
