/** Finds an address among the words of a program that may fetch it and that no rule names. */
import { isThisMachine } from '../../domain/loopback.ts';
import type { Field } from '../shell/syntax/fields.ts';
import { addressIn, goesOnWithHost, hostPattern, isOfNamedHost } from '../text/rule-hosts.ts';
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

/** Whether an operand may be a host without a scheme. */
const mayConnect = (resolved: Resolved | undefined): boolean =>
  resolved?.program.connects === true || FETCHING.has(resolved?.path[0] ?? '');

/** Why the rule does not cover an address of the command: it is of another host than the rule names, or private and not named. */
export function addressProblem(
  argv: readonly Field[],
  resolved: Resolved | undefined,
  ruleWords: readonly string[],
): string | undefined {
  if (!mayFetch(resolved)) return undefined;
  if (mayConnect(resolved) && argv.some(({ text }) => ruleWords.some((word) => goesOnWithHost(text, word))))
    return 'the rule names another host';
  const found = argv.flatMap(({ text }) => addressIn(text) ?? []);
  if (found.length === 0) return undefined;
  const named = ruleWords.flatMap((word) => hostPattern(word) ?? []);
  for (const { address } of found) {
    if (!isOfNamedHost(address, named)) return 'the rule names another host';
    if (address === undefined) continue;
    if (named.length > 0 && address.ambiguity !== undefined) return `the address is not certain: ${address.ambiguity}`;
    // This machine's own servers are what a project is tested on.
    if (!address.web || !address.privateHost || isThisMachine(address.host)) continue;
    if (!ruleWords.some((word) => word.toLowerCase().includes(address.host)))
      return `the rule does not name the private address ${address.host.slice(0, 60)}`;
  }
  return undefined;
}
