/** Reads CloudFormation templates: resources, and what refers to them. */

export interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly DependsOn?: string | readonly string[];
  readonly [attribute: string]: unknown;
}

export interface Template {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown }>>;
  readonly [section: string]: unknown;
}

type Expression = unknown;

/** Resources of a type, with their logical ids. */
export const ofType = (
  { Resources }: Pick<Template, 'Resources'>,
  type: string,
): readonly (readonly [string, Resource])[] => Object.entries(Resources).filter(([, { Type }]) => Type === type);

/** The logical ids that an expression refers to: `Ref`, `Fn::GetAtt`, and names within `Fn::Sub`. */
export function referredIn(expression: Expression): ReadonlySet<string> {
  const found = new Set<string>();
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'Ref') found.add(String(inner));
      else if (key === 'Fn::GetAtt') found.add(String(Array.isArray(inner) ? inner[0] : String(inner).split('.')[0]));
      else if (key === 'Fn::Sub') for (const [, id = ''] of JSON.stringify(inner).matchAll(/\$\{(\w+)/g)) found.add(id);
      look(inner);
    }
  };
  look(expression);
  return found;
}

/** Every `Fn::GetAtt` of this attribute in an expression: the logical ids. */
export function gotAttributes(expression: Expression, attribute: string): readonly string[] {
  const found: string[] = [];
  JSON.stringify(expression ?? null, (key, value: unknown) => {
    if (key === 'Fn::GetAtt' && Array.isArray(value) && value[1] === attribute) found.push(String(value[0]));
    return value;
  });
  return found;
}

/** The same without these resources, and without all that refers to one of them. */
export function without(template: Template, unwanted: (id: string, resource: Resource) => boolean): Template {
  const gone = new Set(Object.entries(template.Resources).flatMap(([id, one]) => (unwanted(id, one) ? [id] : [])));
  const isLost = (value: unknown) => [...referredIn(value)].some((id) => gone.has(id));
  for (let before = -1; before !== gone.size; ) {
    before = gone.size;
    for (const [id, { Properties }] of Object.entries(template.Resources)) if (isLost(Properties)) gone.add(id);
  }
  const resources = Object.entries(template.Resources).filter(([id]) => !gone.has(id));
  const outputs = Object.entries(template.Outputs ?? {}).filter(([, { Value }]) => !isLost(Value));
  return {
    ...template,
    Resources: Object.fromEntries(resources.map(([id, one]) => [id, independentOf(gone, one)])),
    Outputs: Object.fromEntries(outputs),
  };
}

function independentOf(gone: ReadonlySet<string>, resource: Resource): Resource {
  const { DependsOn: on, ...rest } = resource;
  const left = (typeof on === 'string' ? [on] : (on ?? [])).filter((id) => !gone.has(id));
  return { ...rest, ...(left.length ? { DependsOn: left } : {}) };
}
