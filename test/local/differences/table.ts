/** Writes the recorded table, what was observed where, as data and as a page. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGES as MINISTACK } from '../../../shared/dev/aws/start-ministack.ts';
import { ENDPOINTS, type EndpointName } from '../endpoint/start-endpoint.ts';
import { PACKAGES as LOCALSTACK } from '../localstack/install.ts';
import { OBSERVATIONS } from './observations.ts';

export const RECORDED = join(import.meta.dirname, 'recorded.json');
export const PAGE = join(import.meta.dirname, 'differences.md');
const COMMAND = 'npm run differences';

/** By operation. */
export type Observed = Readonly<Record<string, string>>;

export interface Recorded {
  /** The pinned release of each. */
  readonly versions: Readonly<Record<EndpointName, string>>;
  /** As it comes, and as the gate's tests meet it. */
  readonly observed: Readonly<Record<EndpointName, { readonly plain: Observed; readonly corrected: Observed }>>;
}

export const readRecorded = (): Recorded => JSON.parse(readFileSync(RECORDED, 'utf8')) as Recorded;

export function pinnedVersions(): Readonly<Record<EndpointName, string>> {
  const pinned = (file: string, start: string) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .find((line) => line.startsWith(start))
      ?.split('==')[1]
      ?.split(' ')[0] ?? '';
  return {
    ministack: pinned(MINISTACK.requirements, 'ministack'),
    localstack: pinned(LOCALSTACK.requirements, 'localstack-core'),
  };
}

const NAMES: Readonly<Record<EndpointName, string>> = { ministack: 'MiniStack', localstack: 'LocalStack' };
const cell = (text: string): string => text.replaceAll('|', '\\|');

/** A page of Markdown. Where a correction changes the behaviour of an endpoint, both are stated. */
export function render({ versions, observed }: Recorded): string {
  const behaviour = (name: EndpointName, operation: string) => {
    const { plain, corrected } = observed[name];
    const [before = '', now = ''] = [plain[operation], corrected[operation]];
    const measured = OBSERVATIONS.find((one) => one.operation === operation)?.measured;
    return before === now || measured ? now : `${now}, corrected (as it comes: ${before})`;
  };
  const rows = OBSERVATIONS.map(({ operation, aws, document }) => [
    operation,
    ...ENDPOINTS.map((name) => behaviour(name, operation)),
    `${aws} ([document](https://docs.aws.amazon.com/${document}))`,
  ]);
  const table = [
    ['operation', ...ENDPOINTS.map((name) => `${NAMES[name]} ${versions[name]}`), 'AWS'],
    ['---', '---', '---', '---'],
    ...rows,
  ];
  return `# What the endpoints do, and AWS

Written by \`${COMMAND}\`; do not edit. Tests compare it with the endpoints, but for times.

${table.map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n')}
`;
}
