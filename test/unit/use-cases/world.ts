/**
 * Plays a gate in memory with people, a fake clock and a page of cards.
 *
 * The tests of the use cases live in it.
 */
import { createMemoryGate } from '../../../shared/adapters/memory/gate.ts';
import type { MemoryGate, MemoryGateOptions } from '../../../shared/adapters/memory/gate-parts.ts';
import { memoryApprovalStore } from '../../../shared/adapters/memory/stores/approval-store.ts';
import { memoryAuditLog } from '../../../shared/adapters/memory/stores/audit-log.ts';
import { memoryControlStore } from '../../../shared/adapters/memory/stores/control-store.ts';
import { secretlintDetector } from '../../../shared/adapters/secretlint/detector.ts';
import type { RenderedCard } from '../../../shared/adapters/slack/cards/card.ts';
import type { ThreadNote } from '../../../shared/adapters/slack/cards/thread-notes.ts';
import { SlackProblemError } from '../../../shared/adapters/slack/posting/errors.ts';
import type { SlackPoster } from '../../../shared/adapters/slack/posting/poster.ts';
import type { PolicyDocument } from '../../../shared/config/document.ts';
import { loadPolicy } from '../../../shared/config/load.ts';
import type { AuditEntry, CallVote, Decision, GrantScope, Person } from '../../../shared/contract/index.ts';
import type { Ballot } from '../../../shared/domain/approval/approval.ts';
import { pidOf } from '../../../shared/domain/digest.ts';
import { loadShellParser } from '../../../shared/permissions/shell/parser.ts';
import type { ApprovalStore, Card } from '../../../shared/ports/stores/approval-store.ts';
import type { AuditLog } from '../../../shared/ports/stores/audit-log.ts';
import type { ControlStore } from '../../../shared/ports/stores/control.ts';
import { countingIds } from '../../../shared/testing/counting-ids.ts';
import { FakeClock } from '../../../shared/testing/fake-clock.ts';
import { edit, passOn, type VoteResult, vote } from '../../../shared/use-cases/approvals/voting/cast-vote.ts';

/** Loaded once: what needs I/O would not be done within one turn of the fake clock. */
const parser = await loadShellParser();
const detector = secretlintDetector();

export const PEOPLE = {
  alice: { team: 'T0DEMO', user: 'U0ALICE' },
  bob: { team: 'T0DEMO', user: 'U0BOB' },
  olga: { team: 'T0DEMO', user: 'U0OLGA' },
  stranger: { team: 'T0DEMO', user: 'U0SAM' },
} as const satisfies Record<string, Person>;

export interface PolicyParts {
  readonly agents?: string;
  readonly approvers?: string;
  readonly approvals?: string;
  readonly deny?: readonly string[];
  readonly ask?: readonly string[];
  readonly allow?: readonly string[];
  readonly more?: string;
  /** Alice has left. */
  readonly withoutAlice?: true;
}

/** A policy file with the given parts in place of the usual ones. */
export function policyOf(parts: PolicyParts = {}): PolicyDocument {
  const list = (rules: readonly string[]) => `[${rules.join(', ')}]`;
  return loaded(`
people:
${parts.withoutAlice ? '' : '  alice: { team: T0DEMO, user: U0ALICE, name: Alice }'}
  bob: { team: T0DEMO, user: U0BOB, name: Bob }
  olga: { team: T0DEMO, user: U0OLGA, name: Olga }
agents:
${parts.agents ?? '  coder: { owner: olga }\n  writer: { owner: olga }'}
operators:
  oncall: { person: bob }
  owner: { person: olga }
channels:
  approvals: { team: T0DEMO, id: C0APPROVALS }
  security: { team: T0DEMO, id: C0SECURITY }
approvers:
${parts.approvers ?? `  platform: { members: [${parts.withoutAlice ? '' : 'alice, '}bob, olga], channel: approvals }\n  security: { members: [bob], channel: security }`}
approvals: ${parts.approvals ?? '{ approvers: platform, timeout: 1h }'}
rules:
  deny: ${list(parts.deny ?? ["'Bash(rm:*)'"])}
  ask: ${list(parts.ask ?? ["'Bash(git push:*)'"])}
  allow: ${list(parts.allow ?? ["'Bash(git status:*)'"])}
${parts.more ?? ''}`);
}

/** Files of late: a property makes hundreds of gates of one file, which is compiled once then. */
const recent = new Map<string, PolicyDocument>();
const MAX_RECENT = 20;

function loaded(text: string): PolicyDocument {
  const document = recent.get(text) ?? frozen(loadPolicy(text, 'countersign.yaml'));
  recent.delete(text);
  recent.set(text, document);
  const [oldest = text] = recent.keys();
  if (recent.size > MAX_RECENT) recent.delete(oldest);
  return document;
}

/** Several worlds have it: none may change it. */
function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  for (const held of Object.values(value)) frozen(held);
  return Object.freeze(value);
}

/** The channel as people see it: each card's last text, by its place. */
export class FakeSlack implements SlackPoster {
  readonly cards = new Map<string, RenderedCard>();
  readonly notices: string[] = [];
  /** News in threads. */
  readonly thread: string[] = [];
  /** Messages that people were told directly. */
  readonly direct: { readonly user: string; readonly text: string }[] = [];
  down = false;
  #posted = 0;

  async post(channel: string, card: RenderedCard): Promise<Card> {
    this.#check();
    const place = { channel, ts: `1700000000.${String(++this.#posted).padStart(6, '0')}` };
    this.cards.set(`${place.channel}#${place.ts}`, card);
    return place;
  }
  async update({ channel, ts }: Card, card: RenderedCard): Promise<boolean> {
    this.#check();
    this.cards.set(`${channel}#${ts}`, card);
    return true;
  }
  async reply(_at: Card, { text }: ThreadNote): Promise<void> {
    this.#check();
    this.thread.push(text);
  }
  async announce(_channel: string, text: string): Promise<void> {
    this.#check();
    this.notices.push(text);
  }
  async message(user: string, text: string): Promise<void> {
    this.#check();
    this.direct.push({ user, text });
  }
  get titles(): string[] {
    return [...this.cards.values()].map(({ text }) => text);
  }
  #check(): void {
    if (this.down) throw new SlackProblemError(undefined);
  }
}

interface ClickOptions {
  readonly reason?: string;
  readonly questionDigest?: string;
  readonly via?: Ballot['via'];
  readonly remember?: GrantScope;
  readonly calls?: readonly CallVote[];
  readonly isBot?: boolean;
  readonly foreign?: boolean;
  readonly agent?: string;
  /** The message or form that was clicked, as JSON. */
  readonly shown?: string;
  /** Answers a question instead of approving. */
  readonly answer?: string;
}

interface Sent {
  readonly agent?: string;
  readonly groupId?: string;
}

export class World {
  readonly clock = new FakeClock();
  readonly slack = new FakeSlack();
  readonly ids = countingIds();
  readonly faults: unknown[] = [];
  readonly gate: MemoryGate;
  /** Stores for the looks of a test: they never fail, whatever is let fail. */
  readonly look: { readonly approvals: ApprovalStore; readonly audit: AuditLog; readonly control: ControlStore };
  #clicks = 0;

  constructor(document: PolicyDocument = policyOf(), options: Partial<MemoryGateOptions> = {}) {
    this.gate = createMemoryGate({
      detector: async () => detector,
      document,
      clock: this.clock,
      timers: this.clock,
      ids: this.ids,
      shell: async () => parser,
      poster: this.slack,
      onFault: (_, error) => this.faults.push(error),
      ...options,
    });
    const { state, inputs } = this.gate.parts;
    this.look = {
      approvals: memoryApprovalStore(state, inputs),
      audit: memoryAuditLog(state),
      control: memoryControlStore(state),
    };
  }

  /** Sends a message as an agent, and lets everything happen that needs no time. */
  async send(message: unknown, { agent = 'coder', groupId = agent }: Sent = {}): Promise<void> {
    const { queue } = this.gate.agentSide(agent);
    await queue.publish(typeof message === 'string' ? message : JSON.stringify(message), groupId);
    await this.rest();
  }

  async rest(): Promise<void> {
    await this.clock.advance(0);
  }

  pid(proposalId: string, agent = 'coder'): string {
    return pidOf(this.gate.parts.deployment, agent, proposalId);
  }

  /** The agent's view: the decision, or the verdict that it waits on. */
  async decision(proposalId: string, agent = 'coder'): Promise<Decision | undefined> {
    const { reader } = this.gate.agentSide(agent);
    const pid = this.pid(proposalId, agent);
    const claim = await reader.read(agent, pid, 'evaluated');
    return claim?.decision ?? (await reader.read(agent, pid, 'decided'))?.decision;
  }

  async decided(proposalId: string, agent = 'coder'): Promise<Decision> {
    const decision = await this.decision(proposalId, agent);
    if (!decision) throw new Error(`there is no decision on ${proposalId}`);
    return decision;
  }

  async row(proposalId: string, agent = 'coder') {
    const view = await this.look.approvals.read(this.pid(proposalId, agent));
    if (!view) throw new Error(`there is no approval of ${proposalId}`);
    return view;
  }

  async audit(proposalId: string, agent = 'coder'): Promise<AuditEntry[]> {
    const records = await this.look.audit.ofProposal(agent, this.pid(proposalId, agent));
    return records.map(({ entry }) => entry);
  }

  /** A verified click of a person on the card of an approval. */
  async click(
    proposalId: string,
    who: keyof typeof PEOPLE,
    choice: 'approve' | 'reject' = 'approve',
    more: ClickOptions = {},
  ): Promise<VoteResult> {
    const { approval, cards } = await this.row(proposalId, more.agent);
    const card = cards[0] ?? { channel: 'C0APPROVALS', ts: '1.1' };
    const voted = await vote(
      {
        pid: approval.pid,
        person: PEOPLE[who],
        isBot: more.isBot ?? false,
        ballot: {
          reason: more.reason ?? (choice === 'reject' ? 'not today' : undefined),
          questionDigest: more.questionDigest ?? approval.question.digest,
          via: more.via ?? 'slack',
          ...(more.answer !== undefined
            ? { choice: 'respond', answer: more.answer }
            : choice === 'approve'
              ? {
                  choice,
                  ...(more.remember ? { remember: more.remember } : {}),
                  ...(more.calls ? { calls: more.calls } : {}),
                }
              : { choice }),
        },
        requestId: `click-${++this.#clicks}`,
        from: { card, isOwn: () => !more.foreign },
        shown: more.shown,
      },
      this.gate.parts,
    );
    await this.rest();
    return voted;
  }

  /** A person's edit of the one call of an approval, or of the first. */
  async edit(
    proposalId: string,
    who: keyof typeof PEOPLE,
    input: Record<string, unknown>,
    agent?: string,
  ): Promise<VoteResult> {
    const { approval } = await this.row(proposalId, agent);
    const voted = await edit(
      {
        pid: approval.pid,
        person: PEOPLE[who],
        isBot: false,
        requestId: `click-${++this.#clicks}`,
        questionDigest: approval.question.digest,
        via: 'slack',
        callId: 'call',
        input,
      },
      this.gate.parts,
    );
    await this.rest();
    return voted;
  }

  /** "Not me": the seat of `who` goes to somebody else. */
  async passOn(
    proposalId: string,
    who: keyof typeof PEOPLE,
    to?: keyof typeof PEOPLE,
    agent?: string,
  ): Promise<VoteResult> {
    const { approval } = await this.row(proposalId, agent);
    const passed = await passOn(
      {
        pid: approval.pid,
        person: PEOPLE[who],
        isBot: false,
        requestId: `click-${++this.#clicks}`,
        questionDigest: approval.question.digest,
        via: 'slack',
        to: to && PEOPLE[to],
      },
      this.gate.parts,
    );
    await this.rest();
    return passed;
  }

  waiting(kind: 'agent' | 'group', name: string): number {
    return this.gate.parts.state.waitingOf(kind, name);
  }
}

/** A proposal of one call that a rule asks about, unless told otherwise. */
export const bash = (proposalId: string, command = 'git push origin main', more: Record<string, unknown> = {}) => ({
  kind: 'tool-call',
  proposalId,
  toolName: 'Bash',
  input: { command },
  ...more,
});
