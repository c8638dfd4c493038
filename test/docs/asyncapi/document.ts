/**
 * Builds the AsyncAPI 3 document of queues, messages, replies and events.
 *
 * Schemas are those of the contract.
 */
import { type WordName, wordSchema } from '../../../shared/contract/json-schema.ts';
import { SCHEMA_VERSION } from '../../../shared/contract/primitives.ts';
import { STACK_SETTINGS } from '../../../shared/domain/aws/stack-settings.ts';
import { EVENT_DETAIL, EVENTS } from './events.ts';

/** Path in this repository, and below `countersign/` in the package. */
export const ASYNCAPI_FILE = 'shared/contract/schemas/asyncapi.json';

const ref = (...parts: readonly string[]) => ({ $ref: `#/${parts.join('/')}` });

const outputs = (...settings: readonly (keyof typeof STACK_SETTINGS)[]): string =>
  settings.map((setting) => `\`${STACK_SETTINGS[setting].output}\``).join(' and ');

interface Channel {
  readonly server: 'sqs' | 'dynamodb' | 'lambda' | 'eventbridge';
  readonly title: string;
  readonly description: string;
  readonly messages: readonly string[];
}

const CHANNELS: Readonly<Record<string, Channel>> = {
  proposals: {
    server: 'sqs',
    title: 'The proposals queue',
    description: `Output ${outputs('queueUrl')}. A standard queue; the message group is the agent's name. The sender is who AWS authenticated. Where it is another agent's, the gate answers not_your_agent.`,
    messages: ['proposal'],
  },
  record: {
    server: 'dynamodb',
    title: "An agent's rows of the record",
    description: `Output ${outputs('auditTable')}. GetItem of pk, sk, verdict, decision, under pk = <agent>#<pid> and sk = evaluated, then decided; the last read before the agent gives up is consistent. The pid is the hex SHA-256 of deployment, agent and proposal id, each as <bytes>:<text>, joined. In the row digests are bytes, and a call inherits each field of the decision that it does not state; vectors/wire.json has examples.`,
    messages: ['decision'],
  },
  replies: {
    server: 'sqs',
    title: "An agent's own reply queue",
    description:
      'The queue that grantPropose was given as replyQueue, if any. A copy of the decision, as plain JSON; the record is the truth.',
    messages: ['decision'],
  },
  executions: {
    server: 'sqs',
    title: 'The executions queue',
    description: `Output ${outputs('executionsQueueUrl')}. The gate runs the approved call, once.`,
    messages: ['execution-request'],
  },
  results: {
    server: 'dynamodb',
    title: "An agent's rows of results",
    description: `Output ${outputs('stateTable')}. GetItem under pk = result#<agent>#<pid> and sk = the request's requestId; the last read before the agent gives up is consistent.`,
    messages: ['call-result'],
  },
  redeem: {
    server: 'lambda',
    title: 'The redeem function',
    description: `Output ${outputs('redeemFunction')}. Invoked with RequestResponse before a call is run elsewhere than by the gate. A granted permit whose answer is lost is spent: never repeat the call by itself.`,
    messages: ['redeem-request', 'redeem-answer'],
  },
  outcomes: {
    server: 'sqs',
    title: 'The outcomes queue',
    description: `Output ${outputs('outcomesQueueUrl')}. The end of each run under a redeemed permit.`,
    messages: ['outcome'],
  },
  operators: {
    server: 'sqs',
    title: 'The operators queue',
    description: `Output ${outputs('operatorsQueueUrl')}. Operators alone may send to it.`,
    messages: ['operation'],
  },
  events: {
    server: 'eventbridge',
    title: 'The event bus',
    description:
      'Source countersign; the detail type is the name of the event. Sent with best effort: the record is the truth.',
    messages: Object.keys(EVENTS),
  },
};

/** An operation from the gate's side: it receives what agents send. */
interface Operation {
  readonly action: 'send' | 'receive';
  readonly channel: keyof typeof CHANNELS & string;
  readonly message?: string;
  readonly summary: string;
  readonly reply?: { readonly channel: string; readonly message: string };
}

const OPERATIONS: Readonly<Record<string, Operation>> = {
  propose: {
    action: 'receive',
    channel: 'proposals',
    summary: 'An agent proposes calls, a choice or a question, or withdraws a proposal.',
    reply: { channel: 'record', message: 'decision' },
  },
  reply: { action: 'send', channel: 'replies', summary: 'The gate sends a copy of a decision.' },
  execute: {
    action: 'receive',
    channel: 'executions',
    summary: 'An agent has the gate run an approved call.',
    reply: { channel: 'results', message: 'call-result' },
  },
  redeem: {
    action: 'receive',
    channel: 'redeem',
    message: 'redeem-request',
    summary: 'Whoever runs a call asks whether it may run now.',
    reply: { channel: 'redeem', message: 'redeem-answer' },
  },
  report: { action: 'receive', channel: 'outcomes', summary: 'The runner of a call reports its end.' },
  operate: { action: 'receive', channel: 'operators', summary: 'An operator pauses, decides, or changes a session.' },
  emit: { action: 'send', channel: 'events', summary: 'The gate tells what it did.' },
};

/** Where the id stands that a message and its answer share. */
const CORRELATED: Partial<Record<WordName, string>> = {
  proposal: 'proposalId',
  decision: 'proposalId',
  'execution-request': 'requestId',
  'call-result': 'requestId',
  operation: 'operationId',
};

const WORDS = [...new Set(Object.values(CHANNELS).flatMap(({ messages }) => messages))].filter(
  (name): name is WordName => !(name in EVENTS),
);

function wordMessage(name: WordName) {
  const { description } = wordSchema(name, 'draft-7');
  const id = CORRELATED[name];
  return {
    name,
    title: name,
    summary: description,
    contentType: 'application/json',
    ...(id === undefined ? {} : { correlationId: { location: `$message.payload#/${id}` } }),
    payload: ref('components', 'schemas', name),
  };
}

const eventMessage = ([name, summary]: readonly [string, string]) => ({
  name,
  title: name,
  summary,
  contentType: 'application/json',
  payload: ref('components', 'schemas', 'event'),
});

const mapped = <Value, Made>(
  values: Readonly<Record<string, Value>>,
  make: (value: Value, name: string) => Made,
): Record<string, Made> => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, make(value, name)]));

const server = (host: string, protocol: string, description: string) => ({ host, protocol, description });

/** The whole document. */
export function asyncapiDocument(): Readonly<Record<string, unknown>> {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Countersign',
      version: SCHEMA_VERSION,
      description:
        'The gate between AI agents and what they can do. Agents of any language propose calls on a queue and read decisions. Requests are ' +
        "signed with an AWS role's credentials.",
      license: { name: 'MIT' },
    },
    defaultContentType: 'application/json',
    servers: {
      sqs: server('sqs.amazonaws.com', 'sqs', 'Amazon SQS, in the region of the deployment.'),
      dynamodb: server('dynamodb.amazonaws.com', 'https', 'Amazon DynamoDB, in the region of the deployment.'),
      lambda: server('lambda.amazonaws.com', 'https', 'AWS Lambda, in the region of the deployment.'),
      eventbridge: server('events.amazonaws.com', 'https', 'Amazon EventBridge, in the region of the deployment.'),
    },
    channels: mapped(CHANNELS, ({ server: host, title, description, messages }) => ({
      address: null,
      title,
      description,
      servers: [ref('servers', host)],
      messages: Object.fromEntries(messages.map((name) => [name, ref('components', 'messages', name)])),
    })),
    operations: mapped(OPERATIONS, ({ action, channel, message, summary, reply }) => ({
      action,
      channel: ref('channels', channel),
      summary,
      messages: (message ? [message] : (CHANNELS[channel]?.messages ?? [])).map((name) =>
        ref('channels', channel, 'messages', name),
      ),
      ...(reply
        ? {
            reply: {
              channel: ref('channels', reply.channel),
              messages: [ref('channels', reply.channel, 'messages', reply.message)],
            },
          }
        : {}),
    })),
    components: {
      messages: {
        ...Object.fromEntries(WORDS.map((name) => [name, wordMessage(name)])),
        ...Object.fromEntries(Object.entries(EVENTS).map((event) => [event[0], eventMessage(event)])),
      },
      schemas: {
        ...Object.fromEntries(WORDS.map((name) => [name, schemaOf(name)])),
        event: { title: 'Countersign event', ...EVENT_DETAIL },
      },
    },
  };
}

/** A schema within the document names no dialect of its own. */
function schemaOf(name: WordName) {
  const { $schema: _, ...schema } = wordSchema(name, 'draft-7');
  return schema;
}
