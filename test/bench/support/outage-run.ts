/**
 * Plays one outage in virtual time and notes when each card and each answer comes.
 *
 * Approvals are opened while the outage begins, and people answer each card.
 */
import type { RenderedCard } from '../../../shared/adapters/slack/cards/card.ts';
import { SlackProblemError } from '../../../shared/adapters/slack/posting/errors.ts';
import type { SlackPoster } from '../../../shared/adapters/slack/posting/poster.ts';
import { loadPolicy } from '../../../shared/config/load.ts';
import type { ApprovalStore } from '../../../shared/ports/stores/approval-store.ts';
import { vote } from '../../../shared/use-cases/approvals/voting/cast-vote.ts';
import { LimitedSlack } from '../../unit/use-cases/limited-slack.ts';
import { Outages } from '../../unit/use-cases/outages.ts';
import { bash, PEOPLE, World } from '../../unit/use-cases/world.ts';

const MINUTE = 60_000;
const PER_AGENT = 20;
const PER_GROUP = 200;
const READS_MS = 30_000;
/** A person who cannot answer tries again. */
const TRIES_AGAIN_MS = 60_000;
/** After the outage; whoever is not answered then is lost. */
const MAX_MS = 12 * 60 * MINUTE;
/** Ports that take a question in. */
const INTAKE = ['claims', 'rates', 'sessions', 'control'];

export interface OutageOptions {
  readonly waiting: number;
  /** See `Outages`. */
  readonly ports: readonly string[];
  readonly ms: number;
  /** Each call holds a secret. */
  readonly isSealed: boolean;
}

export interface Played {
  /** Milliseconds from the end of the outage; negative: before it. */
  readonly cards: readonly number[];
  readonly answers: readonly number[];
  /** Approvals that ended otherwise than approved, or have not. */
  readonly lost: number;
}

export class OutageRun {
  readonly #options: OutageOptions;
  readonly #world: World;
  readonly #outages: Outages;
  readonly #slack: LimitedSlack;
  readonly #posted = new Map<string, number>();
  readonly #answered = new Map<string, number>();
  #clicks = 0;

  constructor(options: OutageOptions) {
    this.#options = options;
    this.#outages = new Outages(() => this.#world);
    this.#slack = new LimitedSlack(() => this.#world.clock);
    this.#world = new World(policyFor(options.waiting), {
      poster: this.#poster(),
      // An outage has a fault for each try: half a million of them would fill the memory.
      onFault: () => undefined,
      wrap: (name, port) => this.#outages.wrap(name, name === 'approvals' ? this.#watched(port) : port),
    });
  }

  /** Slack's own second for each post of the fullest channel. */
  get floorMs(): number {
    return Math.min(this.#options.waiting, PER_GROUP) * 1_000;
  }

  async play(): Promise<Played> {
    const { waiting, ports, ms, isSealed } = this.#options;
    const { clock, gate } = this.#world;
    this.#outages.begin(
      ports.filter((port) => !INTAKE.includes(port)),
      ms,
    );
    const end = clock.now() + ms;
    const sent = Array.from({ length: waiting }, (_, index) => ({
      agent: `a${Math.floor(index / PER_AGENT)}`,
      id: `p${index}`,
      command: isSealed
        ? `git push https://x:ghp_${'a1B2c3D4e5F6'.repeat(3)}@git.example/r.git b${index}`
        : `git push ${index}`,
    }));
    // Sealing needs its service, too: it goes once the questions were taken in.
    if (isSealed) this.#outages.planned.length = 0;
    for (const { agent, id, command } of sent)
      await gate.agentSide(agent).queue.publish(JSON.stringify(bash(id, command)), agent);
    await this.#world.rest();
    this.#outages.begin(ports, end - clock.now());
    const pids = sent.map(({ agent, id }) => this.#world.pid(id, agent));
    for (; clock.now() < end + MAX_MS && this.#answered.size < waiting; ) await clock.advance(MINUTE);
    gate.stop();
    const { approvals } = gate.parts.state;
    const approved = pids.filter((pid) => approvals.get(pid)?.decision && this.#answered.has(pid));
    const after = (times: ReadonlyMap<string, number>) => [...times.values()].map((at) => at - end);
    return { cards: after(this.#posted), answers: after(this.#answered), lost: waiting - approved.length };
  }

  /** Notes the first card and the decision of each, and has a person read the card. */
  #watched<Port extends object>(port: Port): Port {
    const store = port as unknown as ApprovalStore;
    const watched: Partial<ApprovalStore> = {
      addCard: async (pid, card) => {
        await store.addCard(pid, card);
        if (this.#posted.has(pid)) return;
        this.#posted.set(pid, this.#world.clock.now());
        this.#world.clock.after(READS_MS, () => void this.#answer(pid));
      },
      finish: async (approval, ...rest) => {
        const done = await store.finish(approval, ...rest);
        if (done === 'written' && approval.status === 'approved')
          this.#answered.set(approval.pid, this.#world.clock.now());
        return done;
      },
    };
    return { ...store, ...watched } as unknown as Port;
  }

  async #answer(pid: string): Promise<void> {
    const { gate, clock, look } = this.#world;
    try {
      const view = await look.approvals.read(pid);
      const [card] = view?.cards ?? [];
      if (!view || !card) return;
      await vote(
        {
          pid,
          person: PEOPLE.alice,
          isBot: false,
          ballot: {
            choice: 'approve',
            reason: undefined,
            questionDigest: view.approval.question.digest,
            via: 'slack',
          },
          requestId: `click-${++this.#clicks}`,
          from: { card, isOwn: () => true },
        },
        gate.parts,
      );
    } catch {
      clock.after(TRIES_AGAIN_MS, () => void this.#answer(pid));
    }
  }

  #poster(): SlackPoster {
    const check = () => {
      if (this.#outages.isDown('slack')) throw new SlackProblemError(undefined);
    };
    const slack = this.#slack;
    return {
      post: async (channel, card: RenderedCard) => {
        check();
        return slack.post(channel, card);
      },
      update: async (at, card) => {
        check();
        return slack.update(at, card);
      },
      reply: async (at) => {
        check();
        return slack.reply(at);
      },
      announce: async (channel) => {
        check();
        return slack.announce(channel);
      },
      message: async (user) => {
        check();
        return slack.announce(user);
      },
    };
  }
}

function policyFor(waiting: number) {
  const each = (count: number, line: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => `  ${line(index)}`).join('\n');
  const agents = Math.ceil(waiting / PER_AGENT);
  const groups = Math.ceil(waiting / PER_GROUP);
  const groupOf = (agent: number) => Math.floor((agent * PER_AGENT) / PER_GROUP);
  return loadPolicy(
    `
people:
  alice: { team: T0DEMO, user: U0ALICE, name: Alice }
  olga: { team: T0DEMO, user: U0OLGA, name: Olga }
agents:
${each(agents, (index) => `a${index}: { owner: olga, approvers: g${groupOf(index)}, rate: { perSecond: 100, burst: 100 } }`)}
channels:
${each(groups, (index) => `c${index}: { team: T0DEMO, id: C0GROUP${index} }`)}
approvers:
${each(groups, (index) => `g${index}: { members: [alice], channel: c${index} }`)}
approvals: { approvers: g0, timeout: 5d }
rules:
  ask: ['Bash(git push:*)']
`,
    'countersign.yaml',
  );
}
