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
  Wipe: { permissions: [Sensitive] }
rules:
  deny: [Wipe, mcp__t__Wipe]
  ask: [Refund, mcp__t__Refund]
  allow: [Lookup, mcp__t__Lookup]
`;

/** The refunds of the suite: what becomes of each is clear from its amount. */
export const AMOUNT = { approved: 10, refused: 500, edited: 50, editedTo: 5, unanswered: 77 } as const;

/** Virtual time of each turn, which is a real millisecond: a framework has real work to do, and a permit lasts minutes. */
const TURN_MS = 50;
const LONG_MS = 10 * 60_000;

export interface Ran {
  readonly tool: string;
  readonly input: unknown;
}

export class Scene {
  readonly ran: Ran[] = [];
  /** Amounts that people were asked about: one for each card and round. */
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
      approver: async ({ proposal, round }) => {
        const [call] = proposal.kind === 'tool-call' ? proposal.calls : [];
        const { amount } = (call?.input ?? {}) as { readonly amount?: number };
        this.asked.push(amount);
        await this.#answering.promise;
        return this.#isOver ? undefined : answerTo(amount, round);
      },
    });
    void this.#run();
  }

  /** A client of another process: it knows nothing of what was proposed before. */
  client(): CountersignClient {
    return new CountersignClient(this.gate.clientOptions('coder'));
  }

  guard(run = 'run-1'): RunGuard {
    return this.client().guard({ run });
  }

  now(): number {
    return this.#clock.now();
  }

  /** Does the work of a tool. */
  work(tool: string, input: unknown): string {
    this.ran.push({ tool, input });
    return `${tool} done`;
  }

  /** From now on people answer. */
  answer(): void {
    this.#answering.resolve();
  }

  /** From now on hours pass in a moment. */
  hurry(): void {
    this.#turnMs = LONG_MS;
  }

  /** How the calls of the run ended, by the gate's record. */
  async endOf(callId: string, run: string): Promise<string | undefined> {
    return (await this.gate.record('coder', `${run}:${callId}`)).findLast(({ type }) => type === 'decided')?.outcome;
  }

  /** Lets what is under way come to where it waits. */
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
  // Of what a person made of the arguments another one is asked.
  if (round > 1) return { choice: 'approve', by: 'bob' };
  if (amount === AMOUNT.refused) return { choice: 'reject', reason: 'Too much' };
  if (amount === AMOUNT.edited) return { choice: 'edit', input: { amount: AMOUNT.editedTo } };
  return { choice: 'approve', by: 'alice' };
}
