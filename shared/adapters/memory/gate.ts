/**
 * Puts a whole gate together in memory, as `functions/` does on AWS.
 * The gate wires all use cases and holds none of their logic. For tests, and for a demo on a machine that cannot play AWS.
 */
import { MAX_DELIBERATIONS, MAX_EXECUTIONS, MAX_RECEIPTS_OF_SENDERS } from '../../config/schema/defaults.ts';
import type { Approval } from '../../contract/approval.ts';
import type { RedeemRequest } from '../../contract/execution.ts';
import { Guardrails } from '../../guardrails/pipeline.ts';
import type { CarriedMessage } from '../../ports/carried-message.ts';
import type { GuardrailEvent } from '../../ports/guardrail-events.ts';
import { NO_DIRECTORY } from '../../ports/people.ts';
import { requestApproval } from '../../use-cases/approvals/request-approval.ts';
import { continueWithModel } from '../../use-cases/approvals/resolution/continue-with-model.ts';
import { resolveApproval, StillWaiting } from '../../use-cases/approvals/resolution/resolve-approval.ts';
import { resolveBeside } from '../../use-cases/approvals/resolution/resolve-beside.ts';
import { audienceOf } from '../../use-cases/approvals/voting/audience.ts';
import { withAliasedReplies } from '../../use-cases/audit/aliased-record.ts';
import { taskGuardrails } from '../../use-cases/conversation/task-guardrails.ts';
import { executeFairly, type RunDependencies } from '../../use-cases/execution/execute-fairly.ts';
import {
  type OutcomeMessage,
  recordDeadLetterOutcome,
  recordOutcome,
} from '../../use-cases/execution/record-outcome.ts';
import { redeem } from '../../use-cases/execution/redeem.ts';
import { renewRun } from '../../use-cases/execution/renew-run.ts';
import { refuseDeadLetter } from '../../use-cases/execution/unread-request.ts';
import { deliberateFairly } from '../../use-cases/intake/deliberate-fairly.ts';
import type { IntakeDependencies } from '../../use-cases/intake/dependencies.ts';
import { answerDeadLetter } from '../../use-cases/intake/evaluation/answer-dead-letter.ts';
import { intake } from '../../use-cases/intake/evaluation/intake.ts';
import type { Incoming } from '../../use-cases/intake/message.ts';
import { renew } from '../../use-cases/intake/resend.ts';
import { refuseDeadLetter as refuseOperation } from '../../use-cases/operations/answer-dead-letter.ts';
import type { OperatorMessage } from '../../use-cases/operations/dependencies.ts';
import { performOperation } from '../../use-cases/operations/perform-operation.ts';
import { withMarkedFaults } from '../../use-cases/port-faults.ts';
import { redactorOf } from '../../use-cases/redactor.ts';
import { deliver } from '../slack/posting/deliver.ts';
import { CardInLineError } from '../slack/posting/errors.ts';
import type { SlackOutMessage } from '../sqs/slack-out-message.ts';
import { aliasedStores } from './aliased-stores.ts';
import { compiledOf } from './compiled-policy.ts';
import type { MemoryGate, MemoryGateOptions, MemoryGateParts } from './gate-parts.ts';
import { guardrailsByProcess } from './guardrails/by-process.ts';
import { MemoryRateLimits } from './guardrails/rate-limits.ts';
import { memoryGuardrailState } from './guardrails/state.ts';
import { memoryCardQueue, memoryDeferredQueue, memoryReplies } from './outbox.ts';
import { memoryDeadLetters } from './queues/dead-letters.ts';
import { MemoryFifoQueue } from './queues/fifo-queue.ts';
import { memoryProposalQueue } from './queues/proposal-queue.ts';
import { MemoryQueue, type Worked } from './queues/queue.ts';
import { memoryResumeQueue } from './queues/resume-queue.ts';
import { type RunSteps, runOf } from './queues/single-run.ts';
import { memoryWebhookQueue } from './queues/webhook-queue.ts';
import { memoryRepairs } from './repairs.ts';
import { memoryRuntime } from './runtime.ts';
import { memoryRegistry, memorySenderId } from './senders.ts';
import { memoryStores } from './stores.ts';
import { memoryVault } from './vault.ts';
import { memoryWorkflow } from './workflow.ts';

export function createMemoryGate(options: MemoryGateOptions): MemoryGate {
  const { clock, timers, ids, poster, shell, detector, deployment = 'memory', onFault = () => undefined } = options;
  const { atOnce = 1, invoke = (_, work) => work() } = options;
  const invoked =
    <Given extends readonly unknown[], Result>(name: string, work: (...given: Given) => Promise<Result>) =>
    (...given: Given): Promise<Result> =>
      invoke(name, () => work(...given));
  let newest = options.document;
  const compiledNow = () => compiledOf(options.process?.()?.document ?? newest);
  const wrap: NonNullable<MemoryGateOptions['wrap']> = options.wrap ?? ((_, port) => port);
  const given = options.stores ?? memoryStores(options.limits);
  const { state, aliases, naming, readersOf, ...plain } = aliasedStores(clock, () => compiledNow().policy, given);
  const stores = {
    state,
    aliases,
    inputs: plain.inputs,
    claims: wrap('claims', plain.claims),
    approvals: wrap('approvals', plain.approvals),
    journal: wrap('journal', plain.journal),
    control: wrap('control', plain.control),
    delegations: wrap('delegations', plain.delegations),
    audit: wrap('audit', plain.audit),
    sessions: wrap('sessions', plain.sessions),
    tasks: wrap('tasks', plain.tasks),
    conversations: wrap('conversations', plain.conversations),
    history: plain.history,
    lists: wrap('lists', plain.lists),
    permits: wrap('permits', plain.permits),
    results: wrap('results', plain.results),
    modelAnswers: wrap('modelAnswers', plain.modelAnswers),
  };
  const replies = memoryReplies();
  const vault = memoryVault(clock);

  const cards = new MemoryFifoQueue<SlackOutMessage>({
    timers,
    concurrency: CARDS_AT_ONCE,
    visibilityMs: 120_000,
    work: invoked('slack-out', async (message: SlackOutMessage, received: number) => {
      const { approvals, cards: again, rates, people, policy: current } = parts;
      const { newCards } = current.settings.approvals;
      const audience = (approval: Approval) => audienceOf(approval, parts);
      const { history, lists } = stores;
      const { names } = compiledNow();
      const drawing = { approvals, history, lists, poster, clock, cards: again, rates, newCards, people, names };
      const delivered = await deliver(
        () => message,
        received,
        async () => ({ ...drawing, audienceOf: audience, drawHome: options.drawHome, shown: options.onShown }),
      );
      // A card that waits for its turn is no fault.
      const isFault = delivered.kind !== 'done' && !(delivered.error instanceof CardInLineError);
      if (isFault) onFault('slack-out', delivered.error);
      return delivered.kind === 'later' ? delivered.seconds * 1_000 : undefined;
    }),
  });
  const cardQueue = memoryCardQueue(clock, () => cards);

  const workflow = memoryWorkflow({
    clock,
    timers,
    ids,
    steps: {
      requestApproval: invoked('request-approval', (pid, token) => requestApproval(pid, token, parts)),
      resume: invoked('resume', async (pid: string) => {
        const { state } = await resolveApproval(pid, parts);
        if (state === 'waiting') throw new StillWaiting();
      }),
    },
  });

  const sharedClock = options.sharedClock ?? clock;
  const runtime = memoryRuntime(sharedClock, timers, ids, options.random);
  const limits = memoryGuardrailState(sharedClock.now.bind(sharedClock));
  const guarding = {
    state: {
      rate: wrap('limits.rate', limits.rate),
      slots: wrap('limits.slots', limits.slots),
      budgets: wrap('limits.budgets', limits.budgets),
      circuits: wrap('limits.circuits', limits.circuits),
    },
    runtime,
    events: { emit: (event: GuardrailEvent) => options.onEvent?.(event) },
  };
  const guardrailsNow = guardrailsByProcess(
    () => options.process?.() ?? options,
    () =>
      new Guardrails({
        ...guarding,
        get config() {
          return compiledNow().policy.guardrails;
        },
        findTool: (name) => options.tools?.find((tool) => tool.name === name),
        agentShare: true,
      }),
  );

  const parts: MemoryGate['parts'] = {
    ...stores,
    deployment,
    clock,
    digestKey: options.digestKey ?? new Uint8Array(32),
    shell,
    redactor: redactorOf(() => compiledNow().policy, detector),
    sealer: wrap('sealer', vault),
    unsealer: wrap('unsealer', vault),
    resumer: wrap('resumer', { resume: async (pid: string) => resumed.send(pid) }),
    accountsAllowed: false,
    slackRoleId: SLACK_ROLE_ID,
    people: wrap('people', options.people ?? NO_DIRECTORY),
    cards: wrap('cards', cardQueue),
    webhooks: wrap('webhooks', memoryWebhookQueue()),
    deadLetters: wrap('deadLetters', memoryDeadLetters()),
    replies: wrap('replies', withAliasedReplies(replies, naming)),
    workflow: wrap('workflow', workflow),
    get policy() {
      return compiledNow().policy;
    },
    rates: wrap('rates', new MemoryRateLimits(clock.now.bind(clock))),
    deferred: wrap(
      'deferred',
      memoryDeferredQueue(
        timers,
        (message) => deferred.send(message),
        (pid) => handedOver.send(pid),
      ),
    ),
    get guardrails() {
      return guardrailsNow();
    },
    taskGuardrails: taskGuardrails({ ...guarding, config: () => compiledNow().policy.guardrails }),
    runtime,
    agents: wrap(
      'agents',
      memoryRegistry('agents', () => compiledNow().policy.settings),
    ),
    operators: wrap(
      'operators',
      memoryRegistry('operators', () => compiledNow().policy.settings),
    ),
  };

  // `parts` has a policy that changes: the copy for the deferred queue looks it up each time, too.
  const deliberating: MemoryGateParts = Object.create(parts, {
    model: { value: options.model },
    hooks: { value: options.hooks },
    models: { value: options.models },
    asking: { value: { budgets: guarding.state.budgets, answers: stores.modelAnswers, newId: () => ids.next() } },
    // As deployed: who asks outsiders may not read originals.
    unsealer: { value: undefined },
    taskClassifier: { value: options.taskClassifier },
  });
  const workWith =
    (deps: IntakeDependencies) =>
    async (batch: readonly Incoming[], receipts: readonly number[]): Promise<Worked[]> =>
      Promise.all(
        intake(batch, deps).map(async (worked, index): Promise<Worked> => {
          try {
            await worked;
            return { ok: true };
          } catch (error) {
            onFault('evaluate', error);
            const delivery = { receiveCount: receipts[index] ?? 1, ...(deps === deliberating ? DEFERRED : {}) };
            return { ok: await renew(batch[index] as Incoming, delivery, error, deps) };
          }
        }),
      );
  const answerDead = invoked('redrive', (message: Incoming, tries: number) =>
    answerDeadLetter(message, tries, deliberating),
  );
  const proposals = new MemoryQueue<Incoming>({
    timers,
    batchSize: 10,
    concurrency: atOnce,
    work: invoked('evaluate', workWith(parts)),
    answerDead,
  });
  const deferred = new MemoryQueue<Incoming>({
    timers,
    batchSize: 1,
    concurrency: MAX_DELIBERATIONS,
    work: invoked('deliberate', async (batch: readonly Incoming[], receipts: readonly number[]) => {
      const [message] = batch;
      if (!message) return [];
      const work = () => workWith(deliberating)(batch, receipts);
      try {
        return (await deliberateFairly(message, deliberating, guarding.state.slots, work)) ?? [{ ok: true }];
      } catch (error) {
        onFault('deliberate', error);
        return [{ ok: await renew(message, { receiveCount: receipts[0] ?? 1, ...DEFERRED }, error, deliberating) }];
      }
    }),
    answerDead,
  });
  const resumed = memoryResumeQueue(
    timers,
    invoked('resume', (pid) => resolveBeside(pid, parts)),
    (error) => onFault('resume', error),
  );
  const handedOver = new MemoryQueue<string>({
    timers,
    batchSize: 1,
    work: invoked('deliberate', async ([pid]: readonly string[]) => {
      try {
        if (pid !== undefined) await continueWithModel(pid, deliberating);
        return [{ ok: true }];
      } catch (error) {
        onFault('deliberate', error);
        return [{ ok: false }];
      }
    }),
  });
  // Two of one millisecond would have no order; a sender that waits for one before the next has none such.
  let lastSentAt = 0;
  const sendToOperators = (raw: string, principal: string): void => {
    lastSentAt = Math.max(clock.now(), lastSentAt + 1);
    operators.send({ messageId: ids.next(), raw, principal, sentAt: lastSentAt });
  };
  const operators = new MemoryQueue<OperatorMessage>({
    timers,
    batchSize: 1,
    concurrency: atOnce,
    work: invoked('operate', async ([message]: readonly OperatorMessage[]) => {
      if (message) await performOperation(message, parts);
      return [{ ok: true }];
    }),
    maxReceives: MAX_RECEIPTS_OF_SENDERS,
    answerDead: invoked('redrive', (message, tries) => refuseOperation(message, tries, parts)),
  });

  const runSingle = <Message extends { readonly messageId: string }>(where: string, steps: RunSteps<Message>) =>
    invoked(
      where,
      runOf(steps, (error) => onFault(where, error)),
    );
  const executions = new MemoryQueue<CarriedMessage>({
    timers,
    batchSize: 1,
    concurrency: MAX_EXECUTIONS,
    maxReceives: MAX_RECEIPTS_OF_SENDERS,
    work: runSingle('execute-tool', {
      work: (message) =>
        executeFairly({ ...message, deadlineAt: clock.now() + RUN_MS }, withMarkedFaults(parts), inShares),
      giveUp: (message) => refuseDeadLetter(message, 1, parts),
      renew: (message, received, error) => renewRun(message, received, error, inShares.runs, clock.now()),
    }),
    answerDead: invoked('redrive', (message, tries) => refuseDeadLetter(message, tries, parts)),
  });
  const inShares = withMarkedFaults<RunDependencies>({
    slots: guarding.state.slots,
    runs: {
      carry: async (message, _agent, seconds) => void timers.after(seconds * 1_000, () => executions.send(message)),
    },
  });
  const outcomes = new MemoryQueue<OutcomeMessage>({
    timers,
    batchSize: 1,
    concurrency: atOnce,
    maxReceives: MAX_RECEIPTS_OF_SENDERS,
    work: runSingle('record-outcome', { work: (message) => recordOutcome(message, parts) }),
    answerDead: invoked('redrive', (message, tries) => recordDeadLetterOutcome(message, tries, parts)),
  });

  const repairs = memoryRepairs({
    // As deployed: what repairs may not read originals.
    deps: Object.create(parts, { unsealer: { value: undefined } }),
    clock,
    timers,
    everyMs: options.reconcileEveryMs ?? 60_000,
    waiting: () => state.undecided(),
    hasProcesses: options.process !== undefined,
    // Stores of somebody else's are asked each time.
    mayFindRows: () => options.stores !== undefined || state.isAnyDue(clock.now()),
    invoke: (work) => invoke('reconcile', work),
    onFault: (error) => onFault('reconcile', error),
  });

  return {
    parts,
    workflow,
    replies,
    queues: { proposals, deferred, operators, cards, executions, outcomes },
    agentSide(agent) {
      const readers = readersOf(agent);
      const sender = memorySenderId('agents', agent);
      const sent = (raw: string) => ({ messageId: ids.next(), raw, principal: sender });
      const queue = memoryProposalQueue(sender, clock, ids, (message) => proposals.send(message));
      const runs = {
        executions: { publish: async (raw: string) => executions.send({ ...sent(raw), firstSentAt: clock.now() }) },
        outcomes: { publish: async (raw: string) => outcomes.send(sent(raw)) },
        results: readers.results,
        redeemer: { redeem: invoked('redeem', (request: RedeemRequest) => redeem(request, parts)) },
      };
      return { agent, deployment, queue, reader: readers.reader, clock, ...runs };
    },
    operateAs(operator, raw) {
      sendToOperators(raw, memorySenderId('operators', operator));
    },
    askInSlack(asked) {
      sendToOperators(JSON.stringify(asked), SLACK_ROLE_ID);
    },
    reconcile: repairs.run,
    usePolicy(document) {
      newest = document;
      repairs.noteNewPolicy();
    },
    stop() {
      repairs.stop();
      workflow.stop();
      for (const queue of [proposals, deferred, handedOver, resumed, operators, cards, executions, outcomes])
        queue.stop();
    },
  };
}

/** The sender that stands for the function of Slack's requests. */
const SLACK_ROLE_ID = 'memory-slack';

/** Lines that `slack-out` works at once. */
const CARDS_AT_ONCE = 10;

const DEFERRED = { isDeferred: true } as const;

/** How long a run of `execute-tool` may last. */
const RUN_MS = 240_000;
