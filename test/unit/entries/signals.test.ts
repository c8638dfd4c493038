/**
 * Checks that every function that waits takes a signal.
 *
 * An abort reaches the model, the person, the tool and the card.
 */
import { afterEach, expect, test } from 'vitest';
import { guardrails } from '../../../shared/adapters/guardrails/index.ts';
import * as approvals from '../../../shared/approvals/index.ts';
import { CountersignClient } from '../../../shared/client/index.ts';
import {
  ClassifierContext,
  CompositeClassifier,
  LlmClassifier,
  PermissionService,
} from '../../../shared/permissions/index.ts';
import * as policies from '../../../shared/policies/index.ts';
import * as echo from '../../../shared/seeds/echo-agent.ts';
import * as tenor from '../../../shared/seeds/tenor.ts';
import * as tkach from '../../../shared/seeds/tkach.ts';
import { modelClassifier, processMessage } from '../../../shared/task-agent/index.ts';
import { createTestGate } from '../../../shared/testing/index.ts';

/** The outside: waits for ever, and notes whether it was let go. */
class Outside {
  isAsked = false;
  isLetGo = false;

  readonly wait = (signal: AbortSignal | undefined): Promise<never> => {
    this.isAsked = true;
    return new Promise((_, reject) => {
      const letGo = () => {
        this.isLetGo = true;
        reject(signal?.reason);
      };
      if (signal?.aborted) letGo();
      else signal?.addEventListener('abort', letGo, { once: true });
    });
  };
}

const action = { flow_id: 'release', persona_id: 'ops' };
const space = { persona_id: 'ops', actions: [action] };
const snapshot = { facts: {}, entity_states: {}, observed_at: '2026-11-21T09:00:00Z' };
const request = { kind: 'approval', requestId: 'r', prompt: 'May it?', toolName: 'Bash', args: {} } as const;
const permission = {
  toolName: 'Bash',
  toolInput: {},
  requiredPermissions: [],
  riskLevel: 'low',
  prompt: 'p',
  suggestions: [],
  requestId: 'r',
  sessionId: 's',
  agentName: 'a',
} as const;
const question = { kind: 'call', id: 'q', title: 't', tool: 'Bash', input: {} } as const;
const classified = { toolName: 'Bash', input: { command: 'make' }, context: new ClassifierContext('a', 's') };
const context = { user_id: 'u', conversation_id: '0b1cf2a0-51d5-4c0d-8a3e-3f6f6f0f9a11', message: 'show me my tasks' };
const ports = { clock: { now: () => 0 }, audit: { decided: () => undefined } };

const askerAt =
  (outside: Outside): policies.Asker =>
  (_question, { signal }) =>
    outside.wait(signal);
const modelAt = (outside: Outside): policies.LlmClient => ({
  complete: (_messages, _model, { signal } = {}) => outside.wait(signal),
});
const fetchAt = (outside: Outside) =>
  ((_url: unknown, init: RequestInit) => outside.wait(init.signal ?? undefined)) as unknown as typeof fetch;
const terminalAt = (outside: Outside) => ({
  write: () => undefined,
  readLine: (signal?: AbortSignal) => outside.wait(signal),
});
/** A gate that takes proposals, and never decides. A withdrawn proposal lets it go. */
function clientAt(outside: Outside): CountersignClient {
  return new CountersignClient({
    agent: 'billing',
    deployment: 'd',
    queueUrl: 'https://queue.example/',
    auditTable: 't',
    stateTable: 's',
    queue: {
      publish: async (message: string) => {
        if (JSON.parse(message).kind === 'cancel') outside.isLetGo = true;
        else outside.isAsked = true;
      },
    },
    reader: { read: async () => undefined },
    executions: { publish: async () => undefined },
    results: { read: async () => undefined } as never,
  });
}

const POLICY = `
people: { olga: { team: T1, user: U1, name: Olga } }
agents: { billing: { owner: olga } }
rules: { allow: [Lookup] }
`;

/** An approved call, which the gate takes to run, and whose result never comes. */
async function runByGate(signal: AbortSignal, outside: Outside) {
  const gate = createTestGate({ policy: POLICY });
  const options = gate.clientOptions('billing');
  const client = new CountersignClient(options);
  const call = { toolName: 'Lookup', input: { id: 7 } };
  const proposalId = await client.propose(call);
  const decision = await client.wait(proposalId);
  gate.stop();
  const running = new CountersignClient({
    ...options,
    executions: { publish: async () => undefined },
    results: { read: async () => undefined },
    sleep: (_ms, own) => outside.wait(own),
  });
  return running.runApproved(decision, proposalId, call, { signal });
}

type Wait = (signal: AbortSignal, outside: Outside) => unknown;

const WAITS: Readonly<Record<string, Wait>> = {
  'gate of a client': (signal, at) => clientAt(at).gate('Bash', () => 1)({}, { signal }),
  'decide of a client': (signal, at) => clientAt(at).decide({ tool: 'Bash', input: {}, signal }),
  'execute of a client': (signal, at) => clientAt(at).execute({ tool: 'Bash', input: {}, signal }),
  'ask of a client': (signal, at) => clientAt(at).ask('Which?', { signal }),
  'choose of a client': (signal, at) => clientAt(at).choose('p', space, snapshot, { signal }),
  'policy of a client': (signal, at) => clientAt(at).policy('p').choose(space, snapshot, { signal }),
  'wait of a client': (signal, at) =>
    new CountersignClient({
      ...{ agent: 'billing', deployment: 'd', queueUrl: 'https://queue.example/', auditTable: 't' },
      reader: { read: async () => undefined },
      sleep: (_ms, own) => at.wait(own),
    }).wait('p', { signal }),
  'runApproved of a client': runByGate,
  'asks of a guard': (signal, at) =>
    clientAt(at).guard({ run: 'r' }).asks({ callId: '1', tool: 'T', input: {} }, { signal }),
  'decide of a guard': (signal, at) =>
    clientAt(at).guard({ run: 'r' }).decide({ callId: '1', tool: 'T', input: {} }, { signal }),
  'run of a guard': (signal, at) =>
    clientAt(at)
      .guard({ run: 'r' })
      .run({ callId: '1', tool: 'T', input: {} }, () => 1, { signal }),
  'check of a permission service': (signal, at) =>
    new PermissionService({ mode: 'auto', classifier: { classify: ({ signal: own }) => at.wait(own) } }).check(
      'Bash',
      { command: 'make' },
      { signal },
    ),
  'decide of a permission service': (signal, at) =>
    new PermissionService({ rules: [{ effect: 'ask', pattern: 'Bash', source: 'project' }], ask: askerAt(at) }).decide(
      'Bash',
      { command: 'make' },
      { signal },
    ),
  'a model that classifies': (signal, at) => new LlmClassifier(modelAt(at), 'm').classify({ ...classified, signal }),
  'several classifiers': (signal, at) =>
    new CompositeClassifier([new LlmClassifier(modelAt(at), 'm')]).classify({ ...classified, signal }),
  'a policy of a model': (signal, at) =>
    policies.llm({ client: modelAt(at), model: 'm' }).choose(space, snapshot, { signal }),
  'a policy of people': (signal, at) =>
    policies.humanInTheLoop({ ask: askerAt(at), timeout: '1h' }).choose(space, snapshot, { signal }),
  'a policy of two': (signal, at) =>
    policies
      .composite({
        propose: policies.firstAvailable(),
        when: policies.flow('release'),
        approve: policies.humanInTheLoop({ ask: askerAt(at), timeout: '1h' }),
      })
      .choose(space, snapshot, { signal }),
  'the loop of policies': (signal, at) =>
    policies.runAgentLoop({
      actionSpace: () => space,
      snapshot: () => snapshot,
      execute: async () => undefined,
      idle: async () => undefined,
      policy: policies.humanInTheLoop({ ask: askerAt(at), timeout: '1h' }),
      signal,
    }),
  'an asker as a channel': (signal, at) =>
    policies.asChannel(askerAt(at)).requestApproval(action, space, snapshot, signal),
  'an asker with a deadline': (signal, at) => policies.withDeadline(askerAt(at), '1h')(question, { signal }),
  'askers one at a time': (signal, at) => approvals.queued(askerAt(at))(question, { signal }),
  'a function that answers': (signal, at) =>
    approvals.callbackAsker((_, options) => at.wait(options.signal))(question, { signal }),
  'the console': (signal, at) => approvals.consoleAsker({ terminal: terminalAt(at) })(question, { signal }),
  'a webhook': (signal, at) =>
    approvals.webhookAsker('https://a.example/', { timeout: '1h', fetch: fetchAt(at) })(question, { signal }),
  'the deployed gate, about a call': (signal, at) => approvals.gateAsker(clientAt(at))(question, { signal }),
  'the deployed gate, for a text': (signal, at) =>
    approvals.gateAsker(clientAt(at))({ kind: 'text', id: 'q', title: 't' }, { signal }),
  'the deployed gate, about an action': (signal, at) =>
    approvals.gateAsker(clientAt(at), { policy: 'p' })(
      { kind: 'choice', id: 'q', title: 't', proposed: action, actionSpace: space, snapshot },
      { signal },
    ),
  'an asker as a handler': (signal, at) => tkach.asHandler(askerAt(at)).approve('Bash', {}, 'Mutating', signal),
  'an agent, at its model': (signal, at) =>
    new approvals.AgentBuilder({ next: (_messages, own) => at.wait(own) }).build().run('go', { signal }),
  'an agent, at a person': (signal, at) =>
    new approvals.AgentBuilder({ next: async () => ({ toolUses: [{ id: '1', name: 't', input: {} }] }) })
      .tool({ name: 't', execute: () => '' })
      .ask(askerAt(at))
      .build()
      .run('go', { signal }),
  'a guarded tool': (signal, at) =>
    guardrails({
      config: { environment: 'e', environments: { e: {} } },
      tools: [{ name: 'T', origin: 'local', execute: ({ signal: own }) => at.wait(own) }],
    }).invoke('T', {}, { agent: 'a', signal }),
  'the task agent, at its tools': (signal, at) =>
    processMessage(context, { ...ports, tools: (_call, options) => at.wait(options?.signal) }, { signal }),
  'the task agent, at its classifier': (signal, at) =>
    processMessage(
      { ...context, message: 'hm, well' },
      { ...ports, classifier: modelClassifier({ client: modelAt(at), model: 'm' }) },
      { signal },
    ),
  'a channel of Tenor': (signal, at) =>
    new tenor.DeadlineApprovalChannel(policies.asChannel(askerAt(at)), '1h').requestApproval(
      action,
      space,
      snapshot,
      signal,
    ),
  'the terminal of Tenor': (signal, at) =>
    new tenor.StdinApprovalChannel(terminalAt(at)).requestApproval(action, space, snapshot, signal),
  'the webhook of Tenor': (signal, at) =>
    new tenor.WebhookApprovalChannel('https://a.example/', { timeout: '1h', fetch: fetchAt(at) }).requestApproval(
      action,
      space,
      snapshot,
      signal,
    ),
  'Slack for Tenor': (signal, at) =>
    new tenor.SlackApprovalChannel(clientAt(at), 'p').requestApproval(action, space, snapshot, signal),
  'the screen of Tkach': (signal, at) =>
    new tkach.QueuedApprovalHandler((prompt) => at.wait(prompt.signal)).approve('Bash', {}, 'Mutating', signal),
  'Slack for Tkach': (signal, at) =>
    new tkach.SlackApprovalHandler(clientAt(at)).approve('Bash', {}, 'Mutating', signal),
  'a provider of Echo': (signal, at) => echo.asProvider(askerAt(at)).request(request, { signal }),
  'a request handler of Echo': (signal, at) => echo.asRequestHandler(askerAt(at)).handle(permission, { signal }),
  'a provider as a handler of Echo': (signal, at) =>
    new echo.ProviderRequestHandler(echo.asProvider(askerAt(at))).handle(permission, { signal }),
  'the console of Echo': (signal, at) => new echo.ConsoleHumanLoopProvider(terminalAt(at)).request(request, { signal }),
  'the webhook of Echo': (signal, at) =>
    new echo.WebhookHumanLoopProvider('https://a.example/', 60, { fetch: fetchAt(at) }).request(request, { signal }),
};

const ends: AbortController[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end.abort();
});

test.each(Object.entries(WAITS))('%s lets go when its signal aborts', async (_name, wait) => {
  const outside = new Outside();
  const controller = new AbortController();
  ends.push(controller);
  const ended = Promise.resolve(wait(controller.signal, outside)).then(
    () => 'ended',
    () => 'ended',
  );
  await expect.poll(() => outside.isAsked, { interval: 1 }).toBe(true);
  controller.abort(new Error('nobody waits'));
  await expect.poll(() => outside.isLetGo, { interval: 1 }).toBe(true);
  expect(await ended).toBe('ended');
});
