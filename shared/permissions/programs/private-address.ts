/** Finds a private or metadata address in the words of a program that may fetch it. */
import { isThisMachine } from '../../domain/loopback.ts';
import type { Field } from '../shell/syntax/fields.ts';
import { webAddress } from '../text/web-address.ts';
import { isLocal } from './catalogue/index.ts';
import type { Resolved } from './resolve.ts';

const FETCHING: ReadonlySet<string> = new Set(['clone', 'fetch', 'pull', 'push', 'ls-remote', 'remote', 'submodule']);

/** A local program compares or prints an address, but for the sub-commands of git that reach another machine. */
const mayFetch = (resolved: Resolved | undefined): boolean =>
  resolved === undefined ||
  (resolved.program.fetches !== true &&
    resolved.program.prints !== true &&
    resolved.record.paths?.text !== true &&
    !isLocal(resolved.program)) ||
  FETCHING.has(resolved.path[0] ?? '');

/** The host of the first such address, unless the rule names it. */
export function privateAddress(
  argv: readonly Field[],
  resolved: Resolved | undefined,
  ruleWords: readonly string[],
): string | undefined {
  if (!mayFetch(resolved)) return undefined;
  for (const { text } of argv) {
    const at = text.search(/https?:\/\//i);
    const address = at < 0 ? undefined : webAddress(text.slice(at));
    // This machine's own servers are what a project is tested on.
    if (address === undefined || !address.privateHost || isThisMachine(address.host)) continue;
    if (!ruleWords.some((word) => word.toLowerCase().includes(address.host))) return address.host;
  }
  return undefined;
}
