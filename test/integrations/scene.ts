/**
 * Plays a gate in memory with three tools, people, and virtual time that passes by itself.
 *
 * People answer by the amount of a refund.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { CountersignClient, type RunGuard } from '../../shared/client/index.ts';
import { type ApproverAnswer, createTestGate, FakeClock, type TestGate } from '../../shared/testing/index.ts';

const POLICY = `
people:
  olga: { team: T1, user: U1, name: Olga }
  alice: { team: T1, user: U2, name: Alice }
  bob: { team: T1, user: U3, name: Bob }
agents:
  coder: { owner: olga }
channels:
  approvals: { team: T1, id: C1 }
approvers:
  platform: { members: [olga, alice, bob], channel: approvals }
approvals: { approvers: platform, timeout: 1h }
tools:
  Refund: { permissions: [Sensitive], effect: IdempotentWrite }
  Lookup: { permissions: [Network], effect: Pure }
  Slow: { permissions: [Network], effect: Pure }
  Helper: { permissions: [Network], effect: Pure }
  Wipe: { permissions: [Sensitive] }
rules:
  deny: [Wipe, mcp__t__Wipe]
  ask: [Refund, mcp__t__Refund]
  allow: [Lookup, mcp__t__Lookup, Slow, Helper]
guardrails: { tools: { Lookup: { ratePerSecond: 0.000001, burst: 1 }, Slow: { timeoutMs: 200 } } }
`;

/** The refunds of the suite: what becomes of each is clear from its amount. */
export const AMOUNT = { approved: 10, edited: 50, editedTo: 5, unanswered: 77 } as const;

/** A gate with its people, as an adapter and the suite see it. */
export interface World {
  /** The id of the run that the framework's calls belong to. */
  readonly run: string;
  /** The Slack id of the person who refuses. */
  readonly approver: string;
  /** The amount of the refund that people refuse: another one for each test, since a refusal is remembered for a while. */
  readonly refused: number;
  readonly ran: readonly Ran[];
  /** Amounts that people were asked about: one for each card and round, and a list for a card with several calls. */
  readonly asked: readonly unknown[];
  /** A client of another process: it knows nothing of what was proposed before. */
  client(): CountersignClient;
  guard(run?: string): RunGuard;
  now(): number;
  /** Does the work of a tool. */
  work(tool: string, input: unknown): string;
  /** From now on people answer. */
  answer(): void;
  /** From now on hours pass in a moment. Absent where time is real. */
  hurry?(): void;
  /** How a call of the run ended, by the gate's record. */
  endOf(callId: string, run: string): Promise<string | undefined>;
  /** Lets what is under way come to where it waits. */
  pass(): Promise<void>;
  until(condition: () => boolean | Promise<boolean>): Promise<void>;
  stop(): void;
}

/** The reason that a tool of the name `Slow` is told at its deadline. */
export const aborted = (signal: AbortSignal | undefined): Promise<unknown> =>
  new Promise((resolve) => signal?.addEventListener('abort', () => resolve(signal.reason)));

/** The text that a model reads of a tool whose time is over. */
export const LATE = /^No result within \d+ ms/;

const REFUSED = 500;

/** Virtual time of each turn, which is a real millisecond: a framework has real work to do, and a permit lasts minutes. */
const TURN_MS = 50;
const LONG_MS = 10 * 60_000;

export interface Ran {
  readonly tool: string;
  readonly input: unknown;
}

export class Scene implements World {
  readonly run = 'run-1';
  readonly approver = 'U2';
  readonly refused = REFUSED;
  readonly ran: Ran[] = [];
  readonly asked: unknown[] = [];
  readonly gate: TestGate;
  readonly #clock = new FakeClock();
  readonly #answering = Promise.withResolvers<void>();
  #isOver = false;
  #turnMs = TURN_MS;

  constructor() {
    this.gate = createTestGate({
      policy: POLICY,
      clock: this.#clock,
      approver: async ({ proposal, question, round }) => {
        const asked = question.kind === 'calls' ? question.calls.map(({ id }) => id) : [];
        const calls = proposal.kind === 'tool-call' ? proposal.calls.filter(({ id }) => asked.includes(id)) : [];
        const refunds = calls.map(({ id, input }) => ({ id, amount: (input as { readonly amount?: number }).amount }));
        const [refund, ...others] = refunds;
        this.asked.push(others.length ? refunds.map(({ amount }) => amount) : refund?.amount);
        await this.#answering.promise;
        if (this.#isOver) return undefined;
        return others.length ? answerToEach(refunds) : answerTo(refund?.amount, round);
      },
    });
    void this.#run();
  }

  client(): CountersignClient {
    return new CountersignClient(this.gate.clientOptions('coder'));
  }

  guard(run = this.run): RunGuard {
    return this.client().guard({ run });
  }

  now(): number {
    return this.#clock.now();
  }

  work(tool: string, input: unknown): string {
    this.ran.push({ tool, input });
    return `${tool} done`;
  }

  answer(): void {
    this.#answering.resolve();
  }

  hurry(): void {
    this.#turnMs = LONG_MS;
  }

  /** How the run of a call was reported. */
  async reportOf(callId: string): Promise<string | undefined> {
    await this.pass();
    return (await this.gate.record('coder', `${this.run}:${callId}`)).find(({ type }) => type === 'ran')?.ran?.status;
  }

  async endOf(callId: string, run: string): Promise<string | undefined> {
    return (await this.gate.record('coder', `${run}:${callId}`)).findLast(({ type }) => type === 'decided')?.outcome;
  }

  async pass(): Promise<void> {
    for (let turns = 0; turns < 50; turns++) await pause(1);
  }

  async until(condition: () => boolean | Promise<boolean>): Promise<void> {
    for (let turns = 0; !(await condition()); turns++) {
      if (turns > 5_000) throw new Error('it did not come to pass');
      await pause(1);
    }
  }

  stop(): void {
    this.#isOver = true;
    this.#answering.resolve();
    this.gate.stop();
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      await this.#clock.advance(this.#turnMs);
      await pause(1);
    }
  }
}

function answerTo(amount: number | undefined, round: number): ApproverAnswer | undefined {
  if (amount === AMOUNT.unanswered) return undefined;
  // Another person is asked about an edit.
  if (round > 1) return { choice: 'approve', by: 'bob' };
  if (amount === REFUSED) return { choice: 'reject', reason: 'Too much' };
  if (amount === AMOUNT.edited) return { choice: 'edit', input: { amount: AMOUNT.editedTo } };
  return { choice: 'approve', by: 'alice' };
}

/** One answer to a card with several calls. */
function answerToEach(
  refunds: readonly { readonly id: string; readonly amount: number | undefined }[],
): ApproverAnswer {
  const calls = refunds.map(({ id, amount }) =>
    amount === REFUSED ? ({ id, choice: 'reject', reason: 'Too much' } as const) : ({ id, choice: 'approve' } as const),
  );
  return { choice: 'approve', by: 'alice', calls };
}
