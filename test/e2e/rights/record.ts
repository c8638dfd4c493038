/**
 * Lists the rights of each role of a template.
 *
 * A right is one action on one resource and, of the state and the record, on one pattern of rows.
 */
import { nameOf, type Statement } from '../../cdk/support/statements.ts';
import { all, plain, type TemplateJson, target } from '../../cdk/support/template.ts';

export interface Right {
  /** Without the CDK's hash. */
  readonly role: string;
  readonly action: string;
  readonly resource: string;
  readonly rows: string;
  /** The local endpoint never asks for it, since AWS's own services use it in the role's name. */
  readonly isOfAws: boolean;
}

/** A statement of a policy, as a role has it. */
export interface Granted {
  readonly role: string;
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  /** Patterns of the partition keys; `['']` where none is asked for. */
  readonly rows: readonly string[];
  /** All that a request may name of a row; undefined where that is free. */
  readonly attributes: readonly string[] | undefined;
  /** Where it stands. */
  readonly policy: string;
  readonly place: number;
}

interface Policy {
  readonly name: string;
  readonly roles: readonly string[];
  readonly statements: readonly Statement[];
}

const list = <Value>(value: Value | readonly Value[] | undefined): readonly Value[] =>
  value === undefined ? [] : ([value].flat() as Value[]);

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

/** Every statement of every role, in the template's order. */
export function grantedBy(template: TemplateJson): Granted[] {
  return policiesOf(template).flatMap(({ name, roles, statements }) =>
    roles.flatMap((role) =>
      statements.map((statement, place) => ({
        role,
        actions: list(statement.Action),
        resources: list(statement.Resource).map(nameOf),
        rows: rowsOf(statement),
        attributes: attributesOf(statement),
        policy: name,
        place,
      })),
    ),
  );
}

export function rightsOf({ role, actions, resources, rows }: Granted): Right[] {
  return actions.flatMap((action) =>
    resources.flatMap((resource) =>
      rows.map((pattern) => ({ role, action, resource, rows: pattern, isOfAws: isOfAws(action) })),
    ),
  );
}

export const keyOf = ({ role, action, resource, rows }: Omit<Right, 'isOfAws'>): string =>
  [role, action, resource, rows].join(' ');

/** Roles that differ in the name of their sender alone are one kind: agents, or operators. */
export function kindOf(role: string): string {
  if (/^(AgentRole|Listener)/.test(role)) return 'agents';
  return role.startsWith('OperatorRole') ? 'operators' : role;
}

/** A pattern of rows without the name of the agent whose they are. */
export const rowsOfKind = (kind: string, rows: string): string =>
  kind === 'agents' ? rows.replace(/^(result#)?.+#\*$/, '$1AGENT#*') : rows;

/** A right as all roles of its kind have it. */
export function ofKind<Kept extends Omit<Right, 'isOfAws'>>(right: Kept): Kept {
  const role = kindOf(right.role);
  return { ...right, role, rows: rowsOfKind(role, right.rows) };
}

const ROWS = 'dynamodb:LeadingKeys';
function rowsOf({ Condition }: Statement): readonly string[] {
  const patterns = list(Condition?.['ForAllValues:StringLike']?.[ROWS] as string | string[] | undefined);
  const others = list(Condition?.['ForAllValues:StringNotLike']?.[ROWS] as string | string[] | undefined);
  return patterns.length ? patterns : [others.length ? `not ${others.join(' ')}` : ''];
}

function attributesOf({ Condition }: Statement): readonly string[] | undefined {
  const named = Condition?.['ForAllValues:StringEquals']?.['dynamodb:Attributes'] as string | string[] | undefined;
  return named === undefined ? undefined : list(named);
}

/** Functions leave traces with their roles, and workflows logs; no local endpoint asks for those rights. */
const isOfAws = (action: string): boolean =>
  action.startsWith('xray:') ||
  (action.startsWith('logs:') && !OF_LOGS.has(action)) ||
  action === 'dynamodb:ListStreams';
const OF_LOGS: ReadonlySet<string> = new Set(['logs:FilterLogEvents', 'logs:CreateLogStream', 'logs:PutLogEvents']);
