/** Finds an address among the words of a program that may fetch it and that no rule names. */
import { isThisMachine } from '../../domain/loopback.ts';
import type { Field } from '../shell/syntax/fields.ts';
import { bareHostsIn } from '../text/bare-hosts.ts';
import { isMetadataHost, isPrivateHost } from '../text/private-host.ts';
import { addressesIn, hostPattern, isOfNamedHost, isOtherLogin } from '../text/rule-hosts.ts';
import { hostMatches } from '../text/web-address.ts';
import { isLocal } from './catalogue/index.ts';
import type { Resolved } from './resolve.ts';
import { roleOf } from './roles.ts';

const FETCHING: ReadonlySet<string> = new Set(['clone', 'fetch', 'pull', 'push', 'ls-remote', 'remote', 'submodule']);

const connectsOf = (resolved: Resolved | undefined) => resolved?.record.connects ?? resolved?.program.connects;

/** A local program compares or prints an address, but for the sub-commands of git that reach another machine. */
const mayFetch = (resolved: Resolved | undefined): boolean =>
  resolved === undefined ||
  (resolved.program.fetches !== true &&
    resolved.program.prints !== true &&
    resolved.record.paths?.text !== true &&
    !isLocal(resolved.program)) ||
  connectsOf(resolved) !== undefined ||
  FETCHING.has(resolved.path[0] ?? '');

/** Words that may name a host without a scheme. In others a dot is a file's or a version's: `app.tar.gz`, `v1.2.3`. */
const BARE = { host: /^[^-]/, service: /^[^-]/, path: /^[^-/][^/]*:/, image: /^[^-][^/]*[:/]/ } as const;

function bareHosts(resolved: Resolved | undefined): RegExp | undefined {
  if (resolved === undefined) return undefined;
  const { program, path } = resolved;
  const connects = connectsOf(resolved);
  if (connects !== undefined) return BARE[connects];
  if (!FETCHING.has(path[0] ?? '')) return undefined;
  // `docker pull HOST/NAME`, and `git pull HOST:PATH`.
  return program.names.includes('git') ? BARE.path : BARE.image;
}

/** Why the rule does not cover an address of the command: it is of another host than the rule names, or private and not named. */
export function addressProblem(
  argv: readonly Field[],
  resolved: Resolved | undefined,
  ruleWords: readonly string[],
): string | undefined {
  if (!mayFetch(resolved)) return undefined;
  // Programs have taken such a host for an option of ssh: `ssh://-oProxyCommand=CMD/`.
  if (argv.some(({ text }) => /:\/\/(?:[^/]*@)?-/.test(text))) return 'an address whose host begins with a dash';
  const bare = bareHosts(resolved);
  if (bare && argv.some(({ text }) => bare.test(text) && ruleWords.some((word) => isOtherLogin(text, word))))
    return 'the rule names another host';
  return bucketProblem(argv, ruleWords) ?? schemeProblem(argv, ruleWords) ?? bareProblem(argv, resolved, ruleWords);
}

/** The bucket in an address such as `s3://a/x`. */
const BUCKET = /^(?:-[\w-]*=)?(?:s3a?|gs|oss|cos|wasbs?|abfss?):\/\/([^/]*)/i;

/** A rule that names buckets, as `aws s3 cp s3://a/*` does, covers no other. */
function bucketProblem(argv: readonly Field[], ruleWords: readonly string[]): string | undefined {
  const named = ruleWords.flatMap((word) => BUCKET.exec(word)?.[1] ?? []);
  const isOther = (bucket: string | undefined): boolean =>
    bucket !== undefined && !named.some((pattern) => hostMatches(pattern, bucket));
  const names = named.length > 0 && argv.some(({ text }) => isOther(BUCKET.exec(text)?.[1]));
  return names ? 'the rule names another bucket' : undefined;
}

const unnamed = (host: string): string => `the rule does not name the private address ${host.slice(0, 60)}`;

function schemeProblem(argv: readonly Field[], ruleWords: readonly string[]): string | undefined {
  const found = argv.flatMap(({ text }) => addressesIn(text));
  if (found.length === 0) return undefined;
  const named = ruleWords.flatMap((word) => hostPattern(word) ?? []);
  for (const one of found) {
    const { address } = one;
    if (!isOfNamedHost(one, named)) return 'the rule names another host';
    if (address === undefined) continue;
    if (named.length > 0 && address.ambiguity !== undefined) return `the address is not certain: ${address.ambiguity}`;
    // This machine's own servers are what a project is tested on.
    if (!address.web || !address.privateHost || isThisMachine(address.host)) continue;
    if (!ruleWords.some((word) => word.toLowerCase().includes(address.host))) return unnamed(address.host);
  }
  return undefined;
}

/**
 * An address without a scheme: that of a metadata service in the words of any program, and a private one where the program speaks to whatever
 * listens there. Other programs are given private addresses to listen at, to log in to or to look for.
 */
function bareProblem(
  argv: readonly Field[],
  resolved: Resolved | undefined,
  ruleWords: readonly string[],
): string | undefined {
  const connects = connectsOf(resolved);
  const isService = connects === 'service';
  const isJudged = isService ? isPrivateHost : isMetadataHost;
  for (const [at, { text }] of argv.entries()) {
    if (at === 0 || (connects === undefined && roleOf(at, argv, resolved, true) === 'text')) continue;
    for (const { written, host } of bareHostsIn(text, isService)) {
      if (isThisMachine(host) || !isJudged(host)) continue;
      if (!ruleWords.some((word) => [written, host].some((each) => word.toLowerCase().includes(each))))
        return unnamed(host);
    }
  }
  return undefined;
}
