/** Says of points that a function can come by and no scene does what would have to happen there. */
import type { GateFunctionName } from '../../../cdk/constructs/functions/function-names.ts';

interface Reason {
  readonly why: string;
  readonly files: RegExp;
  /** Of these functions alone. */
  readonly verbs?: RegExp;
}

const NO_SCENE = 'no scene yet';
/** The first whose files hold the point. */
const REASONS: readonly Reason[] = [
  {
    why: 'lists of cards: a channel of a campaign is shown each card',
    files: /slack\/posting\/(?:list-|card-rate)|card-lists/,
  },
  { why: 'people whom the record has to forget', files: /alias|forget\.ts/ },
  { why: 'tools on MCP servers or in Lambda: those of a campaign are on HTTPS', files: /targets\/(?:mcp|lambda)/ },
  { why: 'hooks over HTTPS: that of a campaign is a function', files: /adapters\/hooks\/http/ },
  {
    why: 'models are asked by deliberate: others hand it what needs one',
    files: /use-cases\/resolvers\/|policies\/(?:journal|durable)/,
    verbs: /^(?:evaluate|resume|reconcile)$/,
  },
  { why: 'agent policies as the library has them: the gate answers from its journal', files: /shared\/policies\// },
  { why: 'traces: Lambda takes none on the local endpoint', files: /telemetry\/trace\.ts/ },
  {
    why: 'services that answer with an error',
    files: /aws\/signed\/|transact\.ts|batch-get\.ts|port-faults|retry-on-conflict/,
  },
];

/** Each point of the function under the first reason that its file has. */
export function byReason(verb: GateFunctionName, points: readonly string[]): ReadonlyMap<string, readonly string[]> {
  return Map.groupBy(
    points,
    (point) => REASONS.find(({ files, verbs }) => files.test(point) && verbs?.test(verb) !== false)?.why ?? NO_SCENE,
  );
}
