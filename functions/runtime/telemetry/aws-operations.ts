/** Remembers which AWS call an error came from: the SDK's errors do not name their operation. */

const operations = new WeakMap<object, string>();

/** The call and its table or queue, for an error of a client that `noteOperations` was given. */
export const operationOf = (error: object): string | undefined => operations.get(error);

/** The part of a middleware's arguments that is read. */
interface Call {
  readonly input: object;
}
type Next = (call: Call) => Promise<unknown>;
interface Observable {
  readonly middlewareStack: {
    add(
      middleware: (next: never, context: { readonly commandName?: string }) => (call: never) => Promise<never>,
      options: { readonly step: 'initialize'; readonly name: string },
    ): void;
  };
}

/** Wraps a client so that the operation of each of its errors is remembered. */
export function noteOperations<Client extends object>(client: Client): Client {
  const { middlewareStack } = client as Client & Observable;
  const middleware = (next: Next, { commandName = '' }: { readonly commandName?: string }) => {
    const operation = commandName.replace(/Command$/, '');
    return async (call: Call): Promise<unknown> => {
      try {
        return await next(call);
      } catch (error) {
        if (typeof error === 'object' && error !== null) operations.set(error, described(operation, call.input));
        throw error;
      }
    };
  };
  middlewareStack.add(middleware as never, { step: 'initialize', name: 'countersignOperations' });
  return client;
}

/** Fields of an input that name a resource of the deployment; nothing else of the input is read. */
const RESOURCES = ['TableName', 'QueueUrl', 'FunctionName', 'stateMachineArn', 'SecretId', 'Bucket', 'KeyId', 'Path'];

function described(operation: string, input: object): string {
  const fields = input as Readonly<Record<string, unknown>>;
  const direct = RESOURCES.map((name) => fields[name]).find((value) => typeof value === 'string');
  const resources = direct === undefined ? tablesOf(fields) : [direct];
  return [operation, ...resources.map(lastPart)].join(' ').slice(0, 200);
}

/** Lists the tables that a batch or a transaction names. */
function tablesOf({ RequestItems, TransactItems }: Readonly<Record<string, unknown>>): string[] {
  if (typeof RequestItems === 'object' && RequestItems !== null) return Object.keys(RequestItems);
  if (!Array.isArray(TransactItems)) return [];
  const actions = TransactItems.flatMap((item: object) => Object.values(item) as { readonly TableName?: string }[]);
  return [...new Set(actions.flatMap(({ TableName }) => TableName ?? []))];
}

/** Without the account and the host. */
const lastPart = (name: string): string => name.split(/[/:]/).at(-1) ?? '';
