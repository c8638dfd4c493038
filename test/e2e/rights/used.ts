/** Tells of each right of each role in which test it was used, by the endpoint's log. */
import type { TemplateJson } from '../../cdk/support/template.ts';
import { type Granted, grantedBy, keyOf, ofKind, type Right, rightsOf } from './record.ts';

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

export interface UsedRight extends Right {
  /** A test that ran when a role of its kind used it first; undefined where none did. */
  readonly test?: string;
}

interface Refused {
  readonly role: string;
  readonly action: string;
  readonly resource: string;
  /** A test that ran then. */
  readonly test: string;
}

/** The role of `harness/roles.ts`, with which tests try to do what they may not. */
export const THIEF = 'stolen';
const BEFORE = 'before the first test';

/** All rights of each kind of roles, sorted, and the requests that no statement allowed. */
export function usedRights(
  template: TemplateJson,
  logged: readonly Logged[],
  events: readonly TestEvent[],
): { readonly rights: readonly UsedRight[]; readonly refused: readonly Refused[] } {
  const granted = grantedBy(template);
  const testAt = testsByTime(events);
  const own = logged.filter(({ session }) => session !== THIEF);
  const first = new Map<string, string>();
  for (const line of own.filter(({ decision }) => decision === 'Allow'))
    for (const right of usedBy(line, granted)) {
      const key = keyOf(ofKind(right));
      if (!first.has(key)) first.set(key, testAt(line.at));
    }
  const refused = new Map<string, Refused>();
  for (const { role, action, resource = '', at } of own.filter(({ decision }) => decision !== 'Allow')) {
    const key = [role, action, resource].join(' ');
    if (!refused.has(key)) refused.set(key, { role, action, resource, test: testAt(at) });
  }
  const rights = new Map<string, UsedRight>();
  for (const right of granted.flatMap(rightsOf).map(ofKind)) {
    const test = first.get(keyOf(right));
    rights.set(keyOf(right), test === undefined ? right : { ...right, test });
  }
  const sorted = [...rights].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, right]) => right);
  return { rights: sorted, refused: [...refused.values()] };
}

/** CloudFormation gives a managed policy a name of its own, which has the template's in its middle. */
export const isStatementOf = (
  { policy = '', statement }: Logged,
  one: { readonly policy: string; readonly place: number },
): boolean => one.place === statement && (policy === one.policy || policy.includes(`-${one.policy}-`));

/** The rights that a request needed. */
export function usedBy(line: Logged, granted: readonly Granted[]): Omit<Right, 'isOfAws'>[] {
  return granted
    .filter((one) => isStatementOf(line, one))
    .flatMap(({ role, resources, rows }) => {
      const patterns = line.rows.length ? line.rows.map((place) => rows[Number(place)] ?? '') : rows.slice(0, 1);
      return (line.resources ?? []).flatMap((place) =>
        patterns.map((pattern) => ({ role, action: line.action, resource: resources[place] ?? '', rows: pattern })),
      );
    });
}

/** The test that had begun last by the end of a second: schedules and messages of before may be at work then, too. */
function testsByTime(events: readonly TestEvent[]): (at: number) => string {
  const began = events.filter(({ event }) => event === 'began').toSorted((a, b) => a.at - b.at);
  return (at) => began.findLast((event) => event.at < at + 1)?.test ?? BEFORE;
}
