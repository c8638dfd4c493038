/**
 * Lists the rights of a role, one line a right, so that tests read like a table.
 *
 * The form of a line is `<service>:<verb> <resource>[ rows]`.
 */
import { all, one, plain, type TemplateJson, target } from './template.ts';

export interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const list = <Value>(value: Value | readonly Value[]): readonly Value[] =>
  Array.isArray(value) ? value : [value as Value];

/** The statements of every policy that is attached to the role. */
export function statementsOf(template: TemplateJson, role: string): Statement[] {
  const { id } = one(template, 'AWS::IAM::Role', role);
  // The CDK moves statements that are too long for a role's own policy to a managed one.
  return ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy']
    .flatMap((type) => all<{ Roles?: unknown[]; PolicyDocument: { Statement: Statement[] } }>(template, type))
    .filter(({ properties }) => properties.Roles?.some((attached) => target(attached) === id))
    .flatMap(({ properties }) => properties.PolicyDocument.Statement);
}

/** The rights of a role, sorted, each in a line. */
export function rightsOf(template: TemplateJson, role: string): string[] {
  const lines = statementsOf(template, role).flatMap(({ Action, Resource, Condition }) =>
    list(Action).flatMap((action) =>
      list(Resource).map((on) => [action, nameOf(on), rowsOf(Condition)].join(' ').trim()),
    ),
  );
  return [...new Set(lines)].sort();
}

/** The resource's logical id and what follows it; wildcards as they stand. */
export function nameOf(resource: unknown): string {
  if (typeof resource === 'string') return resource;
  const join = (resource as { readonly 'Fn::Join'?: [string, unknown[]] })['Fn::Join'];
  if (!join) return plain(target(resource));
  return join[1].map((part) => (typeof part === 'string' ? part : plain(target(part)))).join('');
}

function rowsOf(condition: Statement['Condition']): string {
  const keys = condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] as string[] | undefined;
  const others = condition?.['ForAllValues:StringNotLike']?.['dynamodb:LeadingKeys'] as string[] | undefined;
  return [...(keys ? [`[${keys.join(' ')}]`] : []), ...(others ? [`[not ${others.join(' ')}]`] : [])].join(' ');
}
