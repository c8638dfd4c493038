/** Plays the three AWS services that an agent uses, over HTTP, in front of a gate in memory. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { type AgentSide, getItem, invokeRedeem, RefusedCall, sendMessage } from '../../shared/dev/endpoint/calls.ts';
import { INVOCATION_PATH, NAMES, queueUrl } from '../../shared/dev/endpoint/names.ts';
import { createTestGate, type TestGate, type TestGateOptions } from '../../shared/testing/index.ts';

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
  const sides = new Map<string, AgentSide & { readonly deployment: string }>();
  const faults: Fault[] = [];
  let calls: string[] = [];
  const sideOf = (agent: string) => {
    const known = sides.get(agent);
    if (known) return known;
    const { deployment = '', queue, outcomes, reader, redeemer } = gate.clientOptions(agent);
    if (!queue || !outcomes || !reader || !redeemer) throw new Error('the gate in memory has all of them');
    const side = { agent, deployment, queue, outcomes, reader, redeemer };
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
    return OPERATIONS[operation]?.(fields, sideOf(agent)) ?? refused('UnknownOperationException');
  }

  const server = createServer((request, response) => {
    answer(request)
      .catch((error: unknown) => (error instanceof RefusedCall ? refused(error.type) : refused(String(error), 500)))
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
      COUNTERSIGN_DEPLOYMENT: sideOf(agent).deployment,
      COUNTERSIGN_QUEUE_URL: queueUrl(url, NAMES.proposals),
      COUNTERSIGN_AUDIT_TABLE: NAMES.audit,
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
  headers['x-amz-target']?.toString().split('.').at(-1) ?? (url === INVOCATION_PATH ? 'Invoke' : url);

type Operation = (fields: Fields, side: AgentSide) => Promise<Answer>;

/** As `countersign dev` answers them, and stricter where AWS would take less than the client has to send. */
const OPERATIONS: Readonly<Record<string, Operation>> = {
  async SendMessage(fields, side) {
    // Fair queues: without its agent as message group one agent's backlog would delay the others.
    if (fields['MessageGroupId'] !== side.agent) return refused('InvalidParameterValue');
    return OK(await sendMessage(side, fields));
  },

  async GetItem(fields, side) {
    if (typeof fields['ConsistentRead'] !== 'boolean') return refused('ValidationException');
    return OK(await getItem(side, fields));
  },

  Invoke: async (fields, side) => OK(await invokeRedeem(side, fields)),
};
