/** Says of points that a function can come by and no scene does what would have to happen there. */

const NO_SCENE = 'no scene yet';
/** The first whose files hold the point. */
const REASONS: readonly (readonly [reason: string, files: RegExp])[] = [
  ['lists of cards: a channel of a campaign is shown each card', /slack\/posting\/(?:list-|card-rate)|card-lists/],
  [
    'aliases: the record names people by their ids',
    /people-aliases|alias-store|aliased-record|entry-aliases|forget\.ts/,
  ],
  ['tools on MCP servers or in Lambda: those of a campaign are on HTTPS', /targets\/(?:mcp|lambda)/],
  ['hooks over HTTPS: that of a campaign is a function', /adapters\/hooks\/http/],
  ['models of Bedrock: those of a campaign are of Anthropic', /bedrock/],
  ['inputs too large for a row', /s3\/input-store|wiring\/stores/],
  ['traces: Lambda takes none on the local endpoint', /telemetry\/trace\.ts/],
  ['services that answer with an error', /aws\/signed\/|transact\.ts|batch-get\.ts|port-faults/],
];

/** Each point under the first reason that its file has. */
export function byReason(points: readonly string[]): ReadonlyMap<string, readonly string[]> {
  return Map.groupBy(points, (point) => REASONS.find(([, files]) => files.test(point))?.[0] ?? NO_SCENE);
}
