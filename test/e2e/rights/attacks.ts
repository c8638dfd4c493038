/**
 * Lists the requests that a role must be refused: all that some role may do, and this one may not.
 *
 * Made of the rights of the template: each action on each resource of its kind, and on a row of each family.
 */
import { all, plain, type TemplateJson } from '../../cdk/support/template.ts';
import { type Granted, grantedBy, type Right, rightsOf } from './record.ts';

export interface Attack {
  readonly role: string;
  readonly action: string;
  /** As the template names it, without wildcards at its end. */
  readonly resource: string;
  /** The partition key of a row, or the name of an object. */
  readonly key: string;
  /** Attributes that the request names, for a right that is limited to attributes. */
  readonly attributes?: readonly string[];
}

/** Actions that no role has, or one alone, by the kind of resource that they would harm. */
const NOBODYS: Readonly<Record<Kind, readonly string[]>> = {
  table: ['dynamodb:BatchWriteItem', 'dynamodb:Scan'],
  index: ['dynamodb:Scan'],
  queue: ['sqs:PurgeQueue', 'sqs:SetQueueAttributes'],
  objects: ['s3:DeleteObject'],
  bucket: [],
  function: ['lambda:UpdateFunctionConfiguration'],
  key: ['kms:ScheduleKeyDeletion'],
  secret: ['secretsmanager:PutSecretValue'],
  machine: ['states:StopExecution'],
  parameters: [],
  bus: [],
  model: [],
};

type Kind =
  | 'table'
  | 'index'
  | 'queue'
  | 'objects'
  | 'bucket'
  | 'function'
  | 'key'
  | 'secret'
  | 'machine'
  | 'parameters'
  | 'bus'
  | 'model';

/** Undefined of the whole account, of logs, which Lambda writes, and of executions, which the stack does not name. */
function kindOf(action: string, resource: string): Kind | undefined {
  if (resource === '*' || /^(logs|xray):/.test(action) || resource.includes(':execution:')) return undefined;
  switch (action.split(':')[0]) {
    case 'dynamodb':
      // Streams are read by Lambda.
      if (/Stream|GetRecords|GetShardIterator/.test(action)) return undefined;
      return resource.includes('/index/') ? 'index' : 'table';
    case 'sqs':
      return 'queue';
    case 's3':
      return resource.includes('/') ? 'objects' : 'bucket';
    case 'lambda':
      return 'function';
    case 'kms':
      return 'key';
    case 'secretsmanager':
      return 'secret';
    case 'states':
      return 'machine';
    case 'ssm':
      return 'parameters';
    case 'events':
      return 'bus';
    case 'bedrock':
      return 'model';
    default:
      throw new Error(`no attack is known by ${action} on ${resource}: name the kind of its resource`);
  }
}

/** A name that a pattern covers. */
const sampleOf = (pattern: string): string =>
  pattern.startsWith('not ') ? 'attacked#row' : pattern.replace(/:\*$/, '').replace(/\*$/, 'attacked');

const glob = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
  );

function covers(pattern: string, name: string): boolean {
  if (pattern === '') return true;
  return pattern.startsWith('not ') ? !glob(pattern.slice(4)).test(name) : glob(pattern).test(name);
}

interface Target {
  readonly resource: string;
  readonly key: string;
}

/** So many of the roles that differ in the name of their agent alone try everything; the others try each other's rows. */
const ALIKE = 2;

/** Attacks by every role that the template makes and gives anything. */
export function attacksOf(template: TemplateJson): Attack[] {
  const granted = grantedBy(template);
  const rights = granted.flatMap(rightsOf);
  const free = granted.filter(({ attributes }) => attributes === undefined).flatMap(rightsOf);
  const isOfOne = narrowerIn(rights);
  const roles = [...new Set(granted.map(({ role }) => role))];
  const ofRole = (role: string) => rights.filter((right) => right.role === role);
  const shapes = Map.groupBy(roles, (role) => shapeOf(ofRole(role), isOfOne));
  const whole = new Set([...shapes.values()].flatMap((same) => same.slice(0, ALIKE)));
  const shared = rights.filter((right) => !isOfOne(right));
  const own = rights.filter(isOfOne).map(({ action, resource, rows }) => ({ action, resource, key: sampleOf(rows) }));
  return [
    ...roles.flatMap((role) => {
      const held = free.filter((right) => right.role === role);
      const mine = ofRole(role);
      const actions = new Set(mine.map(({ action }) => action));
      const alike = own.filter((one) =>
        mine.some(({ action, resource }) => one.action === action && one.resource === resource),
      );
      return distinct([...(whole.has(role) ? triesOf(shared, actions) : []), ...alike])
        .filter((target) => !held.some((right) => mayReach(right, target)))
        .map((target) => ({ role, ...target }));
    }),
    ...granted.flatMap(beyondAttributes),
  ];
}

type Try = Omit<Attack, 'role' | 'attributes'>;

const distinct = (tries: readonly Try[]): Try[] => [
  ...new Map(tries.map((one) => [[one.action, one.resource, one.key].join(' '), one])).values(),
];

const mayReach = (right: Right, { action, resource, key }: Try): boolean =>
  right.action === action &&
  covers(right.resource, action.startsWith('s3:') && key ? `${resource}/${key}` : resource) &&
  covers(right.rows, action.startsWith('dynamodb:') ? key : '');

/** Whether the rows of a right are some of those that another right has: one agent's, of all agents'. */
function narrowerIn(rights: readonly Right[]): (right: Right) => boolean {
  const patterns = Map.groupBy(
    rights.filter(({ rows }) => rows !== ''),
    ({ resource }) => resource,
  );
  return ({ resource, rows }) =>
    rows !== '' &&
    !rows.startsWith('not ') &&
    (patterns.get(resource) ?? []).some((other) => other.rows !== rows && covers(other.rows, sampleOf(rows)));
}

const shapeOf = (rights: readonly Right[], isOfOne: (right: Right) => boolean): string =>
  rights
    .map((right) => [right.action, right.resource, isOfOne(right) ? 'its own' : right.rows].join(' '))
    .toSorted()
    .join();

/**
 * Each action that the role has, on each resource of its kind and each row. Of the actions that it has nowhere one on each,
 * in turns: no statement names them, so that IAM cannot tell their resources apart.
 */
function triesOf(rights: readonly Right[], held: ReadonlySet<string>): Try[] {
  const actions = Map.groupBy(rights, ({ action, resource }) => kindOf(action, resource));
  return [...targetsByKind(rights)].flatMap(([kind, targets]) => {
    const names = [...new Set([...(actions.get(kind) ?? []).map(({ action }) => action), ...NOBODYS[kind]])];
    const others = names.filter((action) => !held.has(action));
    return [...targets.values()].flatMap((target, place) => {
      const other = others[place % others.length];
      return [...names.filter((action) => held.has(action)), ...(other ? [other] : [])].map((action) => ({
        action,
        ...target,
      }));
    });
  });
}

/** Each resource and, of tables and their indexes, a row of each family that somebody may touch there. */
function targetsByKind(rights: readonly Right[]): ReadonlyMap<Kind, ReadonlyMap<string, Target>> {
  const found = new Map<Kind, Map<string, Target>>();
  for (const { action, resource, rows } of rights) {
    const kind = kindOf(action, resource);
    if (!kind) continue;
    const [name = '', ...path] = kind === 'objects' ? resource.split('/') : [resource];
    const target = { resource: sampleOf(name), key: kind === 'objects' ? sampleOf(path.join('/')) : sampleOf(rows) };
    if ((kind === 'table' || kind === 'index') && target.key === '') continue;
    const ofKind = found.get(kind) ?? new Map<string, Target>();
    found.set(kind, ofKind.set(`${target.resource} ${target.key}`, target));
  }
  return found;
}

/** Requests for the rows of a right that name one attribute more than it has, or none, which is all of them. */
function beyondAttributes({ role, actions, resources, rows, attributes }: Granted): Attack[] {
  if (!attributes) return [];
  const [pattern = ''] = rows;
  return actions.flatMap((action) =>
    resources.map((resource) => ({
      ...{ role, action, resource, key: sampleOf(pattern) },
      attributes: [...attributes.filter((name) => name !== 'pk' && name !== 'sk'), 'attacked'],
    })),
  );
}

/** The attribute that is the partition key of a table or of its index; the empty string of other resources. */
export function keyNameOf(template: TemplateJson, resource: string): string {
  const [table = '', , index] = resource.split('/');
  const found = all<Table>(template, 'AWS::DynamoDB::Table').find(({ id }) => plain(id) === table);
  if (!found) return '';
  const { KeySchema, GlobalSecondaryIndexes = [] } = found.properties;
  const schema = index ? GlobalSecondaryIndexes.find(({ IndexName }) => IndexName === index)?.KeySchema : KeySchema;
  return schema?.find(({ KeyType }) => KeyType === 'HASH')?.AttributeName ?? '';
}

type KeySchema = readonly { readonly AttributeName: string; readonly KeyType: string }[];
interface Table {
  readonly KeySchema: KeySchema;
  readonly GlobalSecondaryIndexes?: readonly { readonly IndexName: string; readonly KeySchema: KeySchema }[];
}
