/** Answers questions about a synthesised template: which resources a type has, and what they say. */
interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
  readonly DeletionPolicy?: string;
}

export interface TemplateJson {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown }>>;
}

interface FoundResource<Properties> {
  readonly id: string;
  readonly properties: Properties;
  readonly deletionPolicy: string | undefined;
}

export function all<Properties = Readonly<Record<string, unknown>>>(
  { Resources }: TemplateJson,
  type: string,
): FoundResource<Properties>[] {
  return Object.entries(Resources)
    .filter(([, { Type }]) => Type === type)
    .map(([id, { Properties, DeletionPolicy }]) => ({
      id,
      properties: Properties as Properties,
      deletionPolicy: DeletionPolicy,
    }));
}

/** The one resource of the type whose logical id begins so, before the CDK's hash. */
export function one<Properties = Readonly<Record<string, unknown>>>(
  template: TemplateJson,
  type: string,
  name: string,
): FoundResource<Properties> {
  const found = all<Properties>(template, type).filter(({ id }) => id.replace(/[0-9A-F]{8}$/, '') === name);
  const [first] = found;
  if (!first || found.length > 1) throw new Error(`${found.length} resources of ${type} are named ${name}`);
  return first;
}

/** The logical id behind `Ref` and `Fn::GetAtt`. */
export function target(value: unknown): string {
  const { Ref, 'Fn::GetAtt': att } = (value ?? {}) as { readonly Ref?: string; readonly 'Fn::GetAtt'?: string[] };
  return Ref ?? att?.[0] ?? '';
}

/** A logical id without the CDK's hash. */
export const plain = (id: string): string => id.replace(/[0-9A-F]{8}$/, '');

/** The resource that a reference points at. */
export function behind<Properties>({ Resources }: TemplateJson, reference: unknown): Properties {
  const found = Resources[target(reference)];
  if (!found) throw new Error(`nothing of the template is meant by ${JSON.stringify(reference)}`);
  return found.Properties as Properties;
}
