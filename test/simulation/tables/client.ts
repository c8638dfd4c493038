/** Puts the SDK's client on simulated tables: commands of the adapters go there, not to a network. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DYNAMODB } from '../../../shared/adapters/aws/signed/dynamodb.ts';
import { messageOf } from '../../../shared/adapters/aws/signed/message.ts';
import type { OwnPause } from '../../../shared/adapters/dynamodb/retry-pause.ts';

/** Operations by their names, as `SimulatedTables` has them. */
type Operations = object;

/** Answers a command of the SDK, by its name. */
export function answerOf(operations: Operations, command: string, input: object): unknown {
  const operation: unknown = Reflect.get(operations, command.replace(/Command$/, ''));
  if (typeof operation !== 'function') throw new Error(`the simulated tables know no ${command}`);
  return operation.call(operations, input);
}

interface Command {
  readonly input: object;
}

export class SimulatedClient extends DynamoDBClient implements OwnPause {
  readonly retryPause: OwnPause['retryPause'];
  readonly #operations: Operations;

  constructor(operations: Operations, retryPause: OwnPause['retryPause']) {
    super({ region: 'us-east-1', credentials: { accessKeyId: 'none', secretAccessKey: 'none' } });
    this.#operations = operations;
    this.retryPause = retryPause;
  }

  override async send(command: Command): Promise<never> {
    const { name } = command.constructor;
    const input = name === 'TransactWriteItemsCommand' ? named(command.input) : command.input;
    return answerOf(this.#operations, name, input) as never;
  }
}

/** With the token that the bundles' client gives a transaction. */
function named(input: object): object {
  const { ClientRequestToken } = JSON.parse(messageOf(DYNAMODB, 'TransactWriteItems', input).body);
  return { ...input, ClientRequestToken };
}
