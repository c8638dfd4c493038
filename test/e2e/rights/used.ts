/**
 * Tells of each right of each role in which test it was used, by the endpoint's log.
 *
 * A right is one action on one resource and, of the state and the record, on one pattern of rows.
 */
import { nameOf, type Statement } from '../../cdk/support/statements.ts';
import { all, plain, type TemplateJson, target } from '../../cdk/support/template.ts';

/** A line of `rights_log.py`. */
export interface Logged {
  /** Seconds since 1970. */
  readonly at: number;
  readonly role: string;
  readonly session: string;
  readonly action: string;
  readonly decision: string;
  readonly policy?: string;
  /** The place in the policy. */
  readonly statement?: number;
  /** Places in the statement's list; of a refused request the resource itself. */
  readonly resources?: readonly number[];
  readonly rows: readonly (number | string)[];
  readonly resource?: string;
}

/** A line of `log-tests.ts`. */
export interface TestEvent {
  readonly at: number;
  readonly event: 'began' | 'ended';
  readonly test: string;
}

export interface Right {
  /** Without the CDK's hash. */
  readonly role: string;
  readonly action: string;
  readonly resource: string;
  readonly rows: string;
  /** A test that ran when it was used first; undefined where none did. */
  readonly test?: string;
  /** The local endpoint never asks for it, since AWS's own services use it in the role's name. */
  readonly isOfAws: boolean;
}

export interface Refused {
  readonly role: string;
  readonly action: string;
  readonly resource: string;
  /** A test that ran then. */
  readonly test: string;
}

/** The role of `harness/roles.ts`, with which tests try to do what they may not. */
const THIEF = 'stolen';
const BEFORE = 'before the first test';
const list = <Value>(value: Value | readonly Value[] | undefined): readonly Value[] =>
  value === undefined ? [] : ([value].flat() as Value[]);

interface Policy {
  readonly name: string;
  readonly roles: readonly string[];
  readonly statements: readonly Statement[];
}

function policiesOf(template: TemplateJson): Policy[] {
  return ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy'].flatMap((type) =>
    all<{ PolicyName?: string; Roles?: unknown[]; PolicyDocument: { Statement: Statement[] } }>(template, type).map(
      ({ id, properties }) => ({
        name: properties.PolicyName ?? id,
        roles: (properties.Roles ?? []).map((role) => plain(target(role))),
        statements: properties.PolicyDocument.Statement,
      }),
    ),
  );
}

const ROWS = 'dynamodb:LeadingKeys';
function rowsOf({ Condition }: Statement): readonly string[] {
  const patterns = list(Condition?.['ForAllValues:StringLike']?.[ROWS] as string | string[] | undefined);
  const others = list(Condition?.['ForAllValues:StringNotLike']?.[ROWS] as string | string[] | undefined);
  return patterns.length ? patterns : [others.length ? `not ${others.join(' ')}` : ''];
}

/** Lambda polls queues and streams with the function's role, writes its log and traces; so does Step Functions. */
function isOfAws(role: string, action: string): boolean {
  if (/^(logs|xray):/.test(action)) return true;
  if (role.startsWith('GateWorkflow')) return action === 'lambda:InvokeFunction';
  const polls = /^sqs:(ReceiveMessage|DeleteMessage|GetQueueAttributes)$/;
  const reads = /^dynamodb:(DescribeStream|GetRecords|GetShardIterator|ListStreams)$/;
  return role.startsWith('Gate') && (polls.test(action) || reads.test(action));
}

const keyOf = (...parts: readonly string[]): string => parts.join(' ');

/** All rights of the template, sorted, and the requests that no statement allowed. */
export function usedRights(
  template: TemplateJson,
  logged: readonly Logged[],
  events: readonly TestEvent[],
): { readonly rights: readonly Right[]; readonly refused: readonly Refused[] } {
  const policies = policiesOf(template);
  const testAt = testsByTime(events);
  const own = logged.filter(({ session }) => session !== THIEF);
  const first = new Map<string, string>();
  for (const line of own.filter(({ decision }) => decision === 'Allow'))
    for (const key of keysOf(line, policies)) if (!first.has(key)) first.set(key, testAt(line.at));
  const refused = new Map<string, Refused>();
  for (const { role, action, resource = '', at } of own.filter(({ decision }) => decision !== 'Allow')) {
    const key = keyOf(role, action, resource);
    if (!refused.has(key)) refused.set(key, { role, action, resource, test: testAt(at) });
  }
  const rights = new Map<string, Right>();
  for (const right of policies.flatMap(rightsOf)) {
    const key = keyOf(right.role, right.action, right.resource, right.rows);
    const test = first.get(key);
    rights.set(key, test === undefined ? right : { ...right, test });
  }
  const sorted = [...rights].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, right]) => right);
  return { rights: sorted, refused: [...refused.values()] };
}

/** The rights that a request needed. */
function keysOf(line: Logged, policies: readonly Policy[]): string[] {
  const policy = policies.find(({ name }) => name === line.policy);
  const statement = policy?.statements[line.statement ?? -1];
  if (!policy || !statement) return [];
  const patterns = rowsOf(statement);
  const rows = line.rows.length ? line.rows.map((place) => patterns[Number(place)] ?? '') : patterns.slice(0, 1);
  const resources = (line.resources ?? []).map((place) => nameOf(list(statement.Resource)[place]));
  return policy.roles.flatMap((role) =>
    resources.flatMap((resource) => rows.map((row) => keyOf(role, line.action, resource, row))),
  );
}

function rightsOf({ roles, statements }: Policy): Right[] {
  return roles.flatMap((role) =>
    statements.flatMap((statement) =>
      list(statement.Action).flatMap((action) =>
        list(statement.Resource).flatMap((resource) =>
          rowsOf(statement).map((rows) => ({
            ...{ role, action, resource: nameOf(resource), rows },
            isOfAws: isOfAws(role, action),
          })),
        ),
      ),
    ),
  );
}

/** Of a second the test that had begun last: schedules and messages of before may be at work then, too. */
function testsByTime(events: readonly TestEvent[]): (at: number) => string {
  const began = events.filter(({ event }) => event === 'began').toSorted((a, b) => a.at - b.at);
  return (at) => began.findLast((event) => event.at < at + 1)?.test ?? BEFORE;
}
