/** Acts on the deployed gate as the simulator's steps say, and notes what outsiders saw. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { dynamoDecisionReader } from '../../shared/adapters/dynamodb/proposals/decision-reader.ts';
import { lambdaRedeemer } from '../../shared/adapters/lambda/redeemer.ts';
import type { Decision, RedeemAnswer } from '../../shared/contract/index.ts';
import { OPERATIONS, pidOfOperation } from '../../shared/domain/record/operation-id.ts';
import { type Agent, agentNamed, operatorNamed } from '../e2e/harness/agents.ts';
import { functionNamed } from '../e2e/harness/functions.ts';
import { approvalOf, recordsOf } from '../e2e/harness/rows.ts';
import { clientConfig } from '../local/endpoint/index.ts';
import { messageFor } from '../simulation/actors/actors.ts';
import { History } from '../simulation/model/history.ts';
import {
  type Cancel,
  type Click,
  type Deploy,
  inputOf,
  numberIn,
  type Operate,
  type Propose,
} from '../simulation/model/plan.ts';
import { PILOT } from '../simulation/model/policies.ts';
import { AGENTS, type CampaignGate, HAS_QUEUE, REDEEMS, WAITING } from './gate.ts';
import { Names } from './names.ts';
import { cardsThatAsk, clickAs } from './people.ts';

/** Clocks of processes on one machine; a run states its time before its write. */
const APART_MS = 2_000;
/** A gate's function looks at its rules, and the tool is called, within so long. */
const RUN_MS = 20_000;
const MAX_CARD_WAIT_MS = 60_000;
const TRIES = 4;
/** Slots of processes that ended are free when their calls had to be over. */
const MAX_SLOT_WAIT_MS = 60_000;
/** Looks of many at once take the time of the gate. */
const LOOK_MS = 500;

export class Actors {
  readonly gate: CampaignGate;
  readonly history: History;
  readonly agents: ReadonlyMap<string, Agent>;
  readonly names: Names;
  /** The bytes that were sent under each id. */
  readonly raw = new Map<string, string>();
  /** Calls that their tool says no to, or leaves without an answer. */
  readonly failing = new Map<string, 'refused' | 'unanswered'>();
  /** Ids by the keys that stand for them in what functions are given. */
  readonly ids = new Map<string, string>();
  /** One after the other: the gate goes by when an order was sent, and the judge by when it was noted. */
  #orders: Promise<unknown> = Promise.resolve();

  private constructor(gate: CampaignGate, agents: ReadonlyMap<string, Agent>) {
    this.gate = gate;
    this.agents = agents;
    this.names = new Names(gate);
    const began = Date.now();
    this.history = new History(began, false, { apartMs: APART_MS, calmAt: Number.POSITIVE_INFINITY, waiting: WAITING });
    // The campaign troubles the gate until its end.
    this.history.troubled.push({ from: began, until: Number.POSITIVE_INFINITY });
    for (const agent of [...AGENTS, PILOT]) if (agent !== HAS_QUEUE) this.history.muted.add(agent);
    gate.tools.serve('*', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const [id = '', permitId = ''] = String(request.headers['x-correlation-id']).split(':');
        if (request.url !== '/webhook') this.#ranByGate(id, permitId, chunks);
        const how = this.failing.get(id);
        if (how === 'unanswered') response.destroy();
        else response.writeHead(how ? 422 : 200, { 'content-type': 'application/json' }).end('{}');
      });
    });
  }

  static async on(gate: CampaignGate): Promise<Actors> {
    const agents = await Promise.all(
      [...AGENTS, PILOT].map(
        async (name) => [name, await agentNamed(name, name === HAS_QUEUE ? 'listener' : name)] as const,
      ),
    );
    return new Actors(gate, new Map(agents));
  }

  /** From now on nothing is done to the gate: what waits has its end within minutes. */
  calm(): void {
    this.history.terms.calmAt = Date.now();
  }

  agent(name: string): Agent {
    const agent = this.agents.get(name);
    if (!agent) throw new Error(`${name} is no agent of the campaign`);
    return agent;
  }

  pid({ id, agent }: Pick<Propose, 'id' | 'agent'>): string {
    const pid = this.agent(agent).pid(id);
    this.ids.set(pid, id);
    return pid;
  }

  async propose(step: Propose): Promise<void> {
    const agent = this.agent(step.agent);
    const sentAt = Date.now();
    const raw = messageFor(step, step.number, sentAt);
    this.raw.set(step.id, raw);
    this.history.sent.push({ ...step, sentAt });
    await agent.send(raw);
    const copies = step.copies.map(async (later) => {
      await delay(later);
      await agent.send(raw);
    });
    if (step.other !== undefined) {
      this.history.lied.add(step.id);
      await delay(step.other);
      await agent.send(messageFor(step, step.number + 1, sentAt));
    }
    await Promise.all(copies);
  }

  /** The agent's own view, once there is something to read. */
  async decisionOf(step: Pick<Propose, 'id' | 'agent'>, patienceMs: number): Promise<Decision | undefined> {
    for (const until = Date.now() + patienceMs; ; await delay(LOOK_MS)) {
      const decision = await this.read(step);
      if (decision || Date.now() > until) return decision;
    }
  }

  async read({ id, agent: name }: Pick<Propose, 'id' | 'agent'>, pid = this.pid({ id, agent: name })) {
    const reader = dynamoDecisionReader(this.agent(name).dynamodb, this.gate.outputs.AuditTable);
    const claim = await reader.read(name, pid, 'evaluated');
    const decision = claim?.decision ?? (await reader.read(name, pid, 'decided'))?.decision;
    return decision && this.names.inDecision(decision);
  }

  async cancel({ id }: Pick<Cancel, 'id'>): Promise<void> {
    const sent = this.#sent(id);
    this.history.withdrawn.push({ at: Date.now(), id });
    await this.agent(sent.agent).send(
      JSON.stringify({ kind: 'cancel', proposalId: `cancel-${id}-${randomUUID()}`, cancels: id }),
    );
  }

  /** As soon as there is a card; nothing where the proposal is decided before. */
  async click(step: Pick<Click, 'id' | 'who' | 'choice' | 'edit'>, tries = TRIES): Promise<string | undefined> {
    const sent = this.#sent(step.id);
    const pid = this.pid(sent);
    for (let tried = 0; tried < tries; tried++) {
      const shown = await this.#cardFor(sent, pid);
      if (!shown) return undefined;
      const { approval } = (await approvalOf(pid)) ?? {};
      const question = approval?.question;
      const isPresent = question?.digest === shown.digest && question.kind === 'calls';
      const choice = step.edit === undefined ? step.choice : ('edit' as const);
      const vote: History['votes'][number] = {
        at: Date.now(),
        id: step.id,
        who: step.who,
        choice,
        remember: false,
        seen: isPresent ? question.calls.map(({ actionDigest }) => actionDigest) : [],
        requestId: randomUUID(),
        ...(step.edit === undefined ? {} : { edit: step.edit }),
      };
      this.history.votes.push(vote);
      const told = await clickAs(step.who, shown, { choice, edit: step.edit }).catch(() => undefined);
      if (told === undefined) continue;
      vote.told = told;
      vote.toldAt = Date.now();
      return told;
    }
    return undefined;
  }

  async #cardFor(sent: Pick<Propose, 'id' | 'agent'>, pid: string) {
    for (const until = Date.now() + MAX_CARD_WAIT_MS; Date.now() < until; await delay(LOOK_MS)) {
      const shown = (await cardsThatAsk(pid)).at(-1);
      if (shown) return shown;
      if (await this.read(sent)) return undefined;
    }
    return undefined;
  }

  /** Done once the record says so. */
  async operate({ effect, scope }: Pick<Operate, 'effect' | 'scope'>): Promise<void> {
    const ordered = this.#orders.catch(() => undefined).then(() => this.#order({ effect, scope }));
    this.#orders = ordered;
    const operation = await ordered;
    for (const until = Date.now() + MAX_CARD_WAIT_MS; Date.now() < until; await delay(200)) {
      const records = await recordsOf(OPERATIONS, pidOfOperation(operation.id));
      if (!records.some(({ entry }) => entry.accepted)) continue;
      operation.doneAt = Date.now();
      return;
    }
  }

  async #order(wanted: Pick<Operate, 'effect' | 'scope'>): Promise<History['operations'][number]> {
    const oncall = await operatorNamed('oncall');
    const operation: History['operations'][number] = { at: Date.now(), id: randomUUID(), ...wanted };
    this.history.operations.push(operation);
    await oncall.say({ kind: 'pause', operationId: operation.id, ...wanted });
    return operation;
  }

  async deploy({ policy }: Pick<Deploy, 'policy'>): Promise<void> {
    const file = this.gate.policies.get(policy);
    if (file === undefined) throw new Error(`${policy} is no policy of the campaign`);
    const deployed: History['deployed'][number] = { at: Date.now(), policy, doneAt: Number.POSITIVE_INFINITY };
    this.history.deployed.push(deployed);
    await this.gate.deploy(file);
    deployed.doneAt = Date.now();
  }

  /** Runs an approved call: by the gate, or by the one agent that redeems. A run that was interrupted is asked for under another id. */
  async run(step: Propose, decision: Decision, how: 'agent' | 'gate', tried = 0): Promise<void> {
    const { id, agent: name } = step;
    const asked = askedOf(step, decision);
    if (!asked) return;
    const send = (QueueUrl: string | undefined, message: object) =>
      this.agent(name).sqs.send(
        new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(message), MessageGroupId: name }),
      );
    if (how === 'gate') {
      await send(this.gate.outputs['ExecutionsQueueUrl'], {
        ...asked,
        requestId: tried ? `${id}:run:${tried}` : `${id}:run`,
      });
      return;
    }
    const redeemed = await this.redeem(step, decision);
    if (redeemed) await send(this.gate.outputs['OutcomesQueueUrl'], redeemed.outcome);
  }

  /** Runs it as its agent, and gives what there is to report; undefined where it may not run. */
  async redeem(step: Propose, decision: Decision) {
    const { id, agent: name } = step;
    const asked = askedOf(step, decision);
    const [call] = decision.calls;
    if (!asked || !call) return undefined;
    const { permitId, callId, input } = asked;
    const since = Date.now();
    const answer = await this.#redeem({ ...asked, agent: name }, this.agent(name));
    if (!answer?.granted) return undefined;
    const at = Date.now();
    this.history.effects.push({ at, since, id, number: input.number, permitId, by: 'agent', until: at });
    const { redemptionId } = answer;
    const { actionDigest } = call;
    const startedAt = new Date(at).toISOString();
    const outcome = {
      ...{ proposalId: id, callId, permitId, actionDigest },
      ...{ status: 'succeeded', startedAt, durationMs: 1 },
    };
    return { redemptionId, outcome };
  }

  async #redeem(request: Parameters<ReturnType<typeof lambdaRedeemer>['redeem']>[0], { environment }: Agent) {
    const { name } = await functionNamed('redeem');
    const redeemer = lambdaRedeemer(name, clientConfig({ ...this.gate.endpoint, env: environment }));
    try {
      const until = Date.now() + MAX_SLOT_WAIT_MS;
      for (let tried = 0; tried < TRIES; await delay(1_000)) {
        const answer: RedeemAnswer | undefined = await redeemer.redeem(request).catch(() => undefined);
        if (!answer) tried += 1;
        else if (answer.granted || answer.error.code !== 'ConcurrencyLimited' || Date.now() > until) return answer;
      }
      return undefined;
    } finally {
      redeemer.close();
    }
  }

  /** Whether the agent may redeem: the others have the gate run their calls. */
  readonly runsItself = (agent: string): boolean => agent === REDEEMS;

  #ranByGate(id: string, permitId: string, chunks: readonly Buffer[]): void {
    const at = Date.now();
    const number = numberIn(JSON.parse(Buffer.concat(chunks).toString() || '{}'), Number.NaN);
    this.history.effects.push({ at, since: at - RUN_MS, id, number, permitId, by: 'gate', until: at });
  }

  #sent(id: string): Propose {
    const sent = this.history.sent.find((one) => one.id === id);
    if (!sent) throw new Error(`${id} was not sent`);
    return sent;
  }
}

function askedOf({ id, number, tool }: Propose, { calls }: Decision) {
  const [call] = calls;
  if (!call?.permit) return undefined;
  const input = inputOf(numberIn(call.effective?.input, number));
  return { proposalId: id, callId: call.id, permitId: call.permit.permitId, toolName: tool, input };
}
