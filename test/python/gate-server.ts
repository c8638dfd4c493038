/** Plays the three AWS services that an agent uses, over HTTP, in front of a gate in memory. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { CountersignClientOptions } from '../../shared/client/options.ts';
import type { RedeemRequest } from '../../shared/contract/execution.ts';
import { createTestGate, type TestGate, type TestGateOptions } from '../../shared/testing/index.ts';
import { attributesOf } from './dynamo-json.ts';

export interface GateServer {
  readonly gate: TestGate;
  /** Variables with which an agent's process finds the gate. The agent's name is its access key as well. */
  environmentOf(agent: string): Record<string, string>;
  close(): Promise<void>;
}

/** A fault that the next calls of an operation end in. */
interface Fault {
  readonly operation: string;
  times: number;
  readonly status: number;
  readonly code: string;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly code?: string;
}

type Fields = Readonly<Record<string, unknown>>;

const OK = (body: unknown): Answer => ({ status: 200, body });
const refused = (code: string, status = 400): Answer => ({ status, code, body: { __type: code, message: code } });

/** Starts the server on a free port of loopback. `/control` takes faults, and tells what was called. */
export async function startGateServer(options: TestGateOptions): Promise<GateServer> {
  const gate = createTestGate(options);
  const sides = new Map<string, CountersignClientOptions>();
  const faults: Fault[] = [];
  let calls: string[] = [];
  const sideOf = (agent: string): CountersignClientOptions => {
    const side = sides.get(agent) ?? gate.clientOptions(agent);
    sides.set(agent, side);
    return side;
  };

  async function answer(request: IncomingMessage): Promise<Answer> {
    const fields = (await json(request)) as Fields;
    if (request.url === '/control') {
      const called = calls;
      calls = [];
      if (fields['fault']) faults.push({ ...(fields['fault'] as Fault) });
      return OK({ calls: called });
    }
    const agent = /Credential=([^/]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const operation = operationOf(request);
    calls.push(operation);
    const fault = faults.find((each) => each.operation === operation && each.times > 0);
    if (fault) {
      fault.times -= 1;
      return refused(fault.code, fault.status);
    }
    return OPERATIONS[operation]?.(fields, agent, sideOf(agent)) ?? refused('UnknownOperationException');
  }

  const server = createServer((request, response) => {
    answer(request)
      .catch((error: unknown) => refused(String(error), 500))
      .then(({ status, body, code }) => {
        response.writeHead(status, {
          'content-type': 'application/x-amz-json-1.0',
          ...(code === undefined ? {} : { 'x-amzn-errortype': code }),
        });
        response.end(JSON.stringify(body));
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    gate,
    environmentOf: (agent) => ({
      COUNTERSIGN_AGENT: agent,
      COUNTERSIGN_DEPLOYMENT: sideOf(agent).deployment ?? '',
      COUNTERSIGN_QUEUE_URL: `${url}/000000000000/proposals`,
      COUNTERSIGN_AUDIT_TABLE: 'audit',
      AWS_ENDPOINT_URL: url,
      AWS_ACCESS_KEY_ID: agent,
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_REGION: 'eu-central-1',
      AWS_DEFAULT_REGION: 'eu-central-1',
      AWS_EC2_METADATA_DISABLED: 'true',
    }),
    async close() {
      gate.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const operationOf = ({ headers, url = '' }: IncomingMessage): string =>
  headers['x-amz-target']?.toString().split('.').at(-1) ?? (url.includes('/functions/redeem/') ? 'Invoke' : url);

type Operation = (fields: Fields, agent: string, side: CountersignClientOptions) => Promise<Answer>;

const OPERATIONS: Readonly<Record<string, Operation>> = {
  async SendMessage({ QueueUrl, MessageBody, MessageGroupId }, agent, { queue, outcomes }) {
    const to = String(QueueUrl).endsWith('/outcomes') ? outcomes : queue;
    // Fair queues: without its agent as message group one agent's backlog would delay the others.
    if (MessageGroupId !== agent || !to) return refused('InvalidParameterValue');
    await to.publish(String(MessageBody), agent);
    return OK({ MessageId: 'm-1', MD5OfMessageBody: createHash('md5').update(String(MessageBody)).digest('hex') });
  },

  async GetItem({ Key, ConsistentRead, ProjectionExpression }, agent, { reader }) {
    const { pk, sk } = Key as Readonly<Record<string, { readonly S: string }>>;
    const [owner, pid = ''] = pk?.S.split('#') ?? [];
    if (owner !== agent || ProjectionExpression !== 'pk, sk, verdict, decision')
      return refused('AccessDeniedException');
    if (ConsistentRead !== true) return refused('ValidationException');
    const row = await reader?.read(agent, pid, sk?.S === 'decided' ? 'decided' : 'evaluated');
    return OK(row ? { Item: { pk, sk, ...attributesOf(row) } } : {});
  },

  async Invoke(request, agent, { redeemer }) {
    if (request['agent'] !== agent || !redeemer) return refused('AccessDeniedException', 403);
    return OK(await redeemer.redeem(request as unknown as RedeemRequest));
  },
};
