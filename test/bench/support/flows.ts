/** Plays the ways of decisions through the gate's functions, each function a phase of the meter. */
import { setImmediate as turn } from 'node:timers/promises';
import type { RenderedCard } from '../../../shared/adapters/slack/cards/card.ts';
import { drawCard } from '../../../shared/adapters/slack/posting/draw.ts';
import { canonicalJson } from '../../../shared/domain/digest.ts';
import { requestApproval } from '../../../shared/use-cases/approvals/request-approval.ts';
import { resolveBeside } from '../../../shared/use-cases/approvals/resolution/resolve-beside.ts';
import { vote } from '../../../shared/use-cases/approvals/voting/cast-vote.ts';
import { intake } from '../../../shared/use-cases/intake/evaluation/intake.ts';
import { EscrowContract } from '../../examples/escrow.ts';
import { ATTENDED, type BenchWorld } from './bench-world.ts';

const TEAM = 'T0DEMO';

/** A minute's work of a team's agents: mostly reading, some commands, now and then a denied call. */
const CALLS = [
  { toolName: 'Read', input: { file_path: '/workspace/app/src/orders/invoice-lines.ts' } },
  { toolName: 'Bash', input: { command: 'git status --short' } },
  { toolName: 'Read', input: { file_path: '/workspace/app/package.json', offset: 1, limit: 200 } },
  { toolName: 'Bash', input: { command: 'npm test -- --run test/unit/orders' } },
  { toolName: 'Bash', input: { command: 'rm -rf build' } },
] as const;

/** One batch: agents propose, `evaluate` works it, each agent reads its decision once. */
export async function decideAutomatically(world: BenchWorld, size: number, offset = 0): Promise<void> {
  const client = world.client();
  const ids: string[] = [];
  for (let index = 0; index < size; index++) {
    const call = CALLS[(offset + index) % CALLS.length];
    if (call) ids.push(await client.propose(call));
  }
  await evaluate(world);
  for (const id of ids) await client.wait(id, { timeout: 1_000 });
}

type Client = ReturnType<BenchWorld['client']>;

/** One push that a rule asks about. */
const push = (client: Client): Promise<string> =>
  client.propose({
    toolName: 'Bash',
    input: { command: 'git push origin main' },
    reason: 'The release branch is ready.',
  });

const contract = new EscrowContract({ Order: 'pending_large', Escrow: 'held' }, { carrier_scan: 'delivered' });

/** One choice whose policy asks a person. */
export const choose = (client: Client): Promise<string> =>
  client.proposeChoice(ATTENDED, contract.actionSpace('ops'), contract.snapshot());

/** The card, the click, the end, with the agent waiting all the time. */
export async function decideByPeople(world: BenchWorld, propose = push): Promise<void> {
  const { gate, meter, cardsAsked } = world;
  const { promise: decided, resolve } = Promise.withResolvers<void>();
  const client = world.client(() => decided);
  const id = await propose(client);
  await evaluate(world);
  // Reads the claim, finds that people are asked, looks for the decided row, and sleeps until the end.
  const wait = client.wait(id, { timeout: 60_000 });
  const { pid, question } = await waiting(world);
  const token = { token: world.taskToken, enteredAt: new Date().toISOString(), retryCount: 0 };
  await meter.during('request-approval', () => requestApproval(pid, token, gate));
  await slackOut();
  const [card] = (await uncounted(world, () => gate.approvals.read(pid)))?.cards ?? [];
  if (!card) throw new Error('no card was posted');
  await meter.during('slack', () =>
    vote(
      {
        pid,
        person: { team: TEAM, user: 'U0ALICE' },
        isBot: false,
        ballot: { choice: 'approve', questionDigest: question.digest, via: 'slack' },
        requestId: `click-${pid.slice(0, 24)}`,
        from: { card, isOwn: () => true },
        shown: canonicalJson({ blocks: blocksShown }),
      },
      gate,
    ),
  );
  await slackOut();
  await meter.during('resume', () => resolveBeside(pid, gate));
  await slackOut();
  resolve();
  await wait;

  async function slackOut(): Promise<void> {
    for (const asked of cardsAsked.splice(0)) {
      await meter.during('slack-out', () =>
        drawCard(
          asked.pid,
          {
            approvals: gate.approvals,
            history: world.history,
            lists: world.lists,
            poster,
            clock: gate.clock,
            cards: gate.cards,
            rates: gate.rates,
            newCards: { burst: 1_000, perMinute: 600, listFrom: 1_000 },
          },
          asked,
        ),
      );
    }
  }
}

let posted = 0;
/** The blocks of the last card posted, without the ids of 5 characters that Slack gives to blocks. */
let blocksShown: unknown;
/** Slack's Web API is no AWS call and costs nothing. */
const poster = {
  async post(channel: string, { blocks }: RenderedCard) {
    blocksShown = blocks;
    return { channel, ts: `1700000000.${String(++posted).padStart(6, '0')}` };
  },
  update: async () => true,
  reply: async () => undefined,
  announce: async () => undefined,
  message: async () => undefined,
};

async function evaluate({ gate, meter, received }: BenchWorld): Promise<void> {
  const results = await meter.during('evaluate', () => Promise.allSettled(intake(received(), gate)));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

async function waiting(world: BenchWorld) {
  const views = await uncounted(world, async () => {
    const pids = await world.gate.approvals.due(Number.MAX_SAFE_INTEGER, 10);
    return Promise.all(pids.map(({ pid }) => world.gate.approvals.read(pid)));
  });
  const first = views.map((view) => view?.approval).find((approval) => approval?.status === 'pending');
  if (!first) throw new Error('nothing waits for people');
  return first;
}

/** Work of the benchmark itself, which is not counted; the agent's calls of the same moment are. */
async function uncounted<Value>({ meter }: BenchWorld, work: () => Promise<Value>): Promise<Value> {
  await turn();
  const value = await meter.during('benchmark', work);
  meter.calls = meter.calls.filter(({ phase }) => phase !== 'benchmark');
  return value;
}
