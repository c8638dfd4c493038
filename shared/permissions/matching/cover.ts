/** Covers a call with allow rules: every command, redirection and path. */
import type { PreparedCall } from '../call/prepared-call.ts';
import { isFileReader, isFileWriter } from '../model/tools.ts';
import {
  fixedSegments,
  type NormalisedPath,
  normalisePath,
  type PathContext,
  startsWithSegments,
} from '../paths/normalise.ts';
import type { CompiledRule } from '../rules/compiled-rule.ts';
import { hostMatches } from '../text/web-address.ts';
import { AllowRules, isSystemPath } from './allow-rules.ts';
import { commandsOf } from './command-matching.ts';
import type { Coverage } from './coverage.ts';
import { byPriority, READER_TOOLS, WRITER_TOOLS } from './match.ts';

function familiesOf(prepared: PreparedCall): string[] {
  const { call, entry } = prepared;
  if (WRITER_TOOLS.has(call.toolName) || isFileWriter(entry)) return ['family:edit', call.toolName];
  if (READER_TOOLS.has(call.toolName) || isFileReader(entry)) return ['family:read', call.toolName];
  return [call.toolName];
}

/** Paths that an allow by path must cover; a search without a path looks at the working directory. */
function statedPaths(prepared: PreparedCall): { path: NormalisedPath; context: PathContext }[] {
  const stated = prepared.paths.filter((each) => each.argument);
  if (stated.length > 0) return stated.map(({ path, context }) => ({ path, context }));
  return READER_TOOLS.has(prepared.call.toolName)
    ? [{ path: normalisePath('.', prepared.context), context: prepared.context }]
    : [];
}

function coverPaths(prepared: PreparedCall, rules: AllowRules): Coverage {
  const families = familiesOf(prepared);
  const paths = statedPaths(prepared);
  let covering: CompiledRule | undefined;
  for (const { path, context } of paths) {
    const rule = rules.best(rules.paths(families, path, context));
    if (rule === undefined)
      return covering === undefined
        ? { kind: 'none' }
        : { kind: 'not-covered', why: 'an allow covers only some of the paths' };
    covering ??= rule;
  }
  if (covering === undefined) return { kind: 'none' };
  if (prepared.namesElsewhere) return { kind: 'not-covered', why: 'an allow by path covers no address' };
  return { kind: 'covered', rule: covering };
}

function coverWeb(prepared: PreparedCall, rules: AllowRules): Coverage {
  const { address } = prepared;
  const named = rules.best([...rules.bare('WebFetch'), ...rules.wild()]);
  if (address === undefined || !address.web) {
    return named === undefined
      ? { kind: 'none' }
      : { kind: 'not-covered', why: 'an allow covers only http and https addresses' };
  }
  const candidates = rules.indexes.flatMap((index) => [...index.hosts.candidates(address.domains)]);
  const exact = rules.best(
    candidates.filter((rule) => rule.parsed.kind === 'domain' && rule.parsed.host === address.host),
  );
  if (exact !== undefined) return { kind: 'covered', rule: exact };
  const wild =
    rules.best(
      candidates.filter((rule) => rule.parsed.kind === 'domain' && hostMatches(rule.parsed.host, address.host)),
    ) ?? named;
  if (wild === undefined) return { kind: 'none' };
  if (address.privateHost)
    return { kind: 'not-covered', why: 'a private or metadata address needs a rule that names it' };
  return { kind: 'covered', rule: wild };
}

/** Whether allow rules cover the whole call. */
export function coverage(prepared: PreparedCall, now: number): Coverage {
  const { call, shell, entry } = prepared;
  if (shell !== undefined) return commandsOf(prepared).cover(prepared, now);
  const rules = new AllowRules(prepared, now);
  if (call.toolName === 'WebFetch') return coverWeb(prepared, rules);

  const odd = prepared.paths.find((each) => each.path.finding !== undefined);
  const direct = rules.best([
    ...rules.bare(call.toolName),
    ...(call.toolName !== 'Edit' && writesFiles(prepared) ? rules.bare('Edit') : []),
    ...rules.wild(),
  ]);
  const byPath = coverPaths(prepared, rules);
  const coverage: Coverage =
    direct === undefined || (byPath.kind === 'covered' && byPriority(byPath.rule, direct) < 0)
      ? byPath
      : { kind: 'covered', rule: direct };
  if (coverage.kind !== 'covered') return coverage;
  if (odd !== undefined) return { kind: 'not-covered', why: odd.path.finding?.why ?? 'a path is not certain' };
  if (prepared.paths.some((each) => each.argument && isSystemPath(each.path))) {
    return { kind: 'not-covered', why: 'an allow does not cover paths below /proc, /sys and /dev' };
  }
  // A search through the home or a folder above meets protected files, as `grep -r x ~` does.
  const home = fixedSegments(call.home);
  if (
    call.toolName === 'Grep' &&
    statedPaths(prepared).some(({ path }) => path.exact.some((at) => startsWithSegments(home, at)))
  )
    return { kind: 'not-covered', why: 'it searches a whole home' };
  if (prepared.address?.protocol === 'file:' && !isFileReader(entry) && !isFileWriter(entry)) {
    return { kind: 'not-covered', why: 'an allow does not cover file: addresses' };
  }
  return coverage;
}

function writesFiles(prepared: PreparedCall): boolean {
  return (
    WRITER_TOOLS.has(prepared.call.toolName) ||
    (isFileWriter(prepared.entry) && prepared.paths.some((each) => each.argument))
  );
}
