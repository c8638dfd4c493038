/** The SDK's client on simulated tables: commands of the adapters go there in place of a network. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SimulatedTables } from './tables.ts';

interface Command {
  readonly input: object;
}

export class SimulatedClient extends DynamoDBClient {
  readonly #tables: SimulatedTables;

  constructor(tables: SimulatedTables) {
    super({ region: 'us-east-1', credentials: { accessKeyId: 'none', secretAccessKey: 'none' } });
    this.#tables = tables;
  }

  override async send(command: Command): Promise<never> {
    return this.#tables.answer(command.constructor.name, command.input) as never;
  }
}
