/** Lets tool servers report how their runs ended: late, twice, otherwise, as others. */
import { recordReport } from '../../../shared/use-cases/execution/record-outcome.ts';
import type { Effect, Reported } from '../model/history.ts';
import type { Report } from '../model/plan.ts';
import { AGENTS } from '../model/policies.ts';
import type { World } from '../world/world.ts';

/** A run, as whoever runs it knows it. */
interface Ran {
  readonly agent: string;
  readonly proposalId: string;
  readonly callId: string;
  readonly permitId: string;
  readonly actionDigest: string | null;
  readonly redemptionId: string;
  readonly effect: Effect;
}

const AT_ONCE: readonly Report[] = [{ later: 0, as: 'succeeded', by: 'server' }];
/** A server that has no answer tries so often. */
const TRIES = 3;

export const outcomeOf = (
  { proposalId, callId, permitId, actionDigest, effect }: Ran,
  status: Report['as'],
  startedAt = new Date(effect.at).toISOString(),
) => ({ proposalId, callId, permitId, actionDigest, status, startedAt, durationMs: effect.until - effect.at });

export async function reportsOf(ran: Ran, reports: readonly Report[] = AT_ONCE, world: World): Promise<void> {
  await Promise.all(reports.map((report) => tell(ran, report, world).catch(() => undefined)));
}

async function tell(ran: Ran, { later, as, by }: Report, world: World): Promise<void> {
  await world.sleep(later);
  const { agent, effect, proposalId: id } = ran;
  // A liar states another time, so that its word can be told from that of others.
  const isLiar = by === 'guesser' || by === 'stranger';
  const startedAt = new Date(effect.at + (isLiar ? 1 : 0)).toISOString();
  const outcome = outcomeOf(ran, as, startedAt);
  const noted: Reported = { at: world.clock.now(), id, as, by, startedAt };
  world.history.reports.push(noted);
  world.tell(() => `${by} reports that ${id} ${as}`);
  if (!isLiar) effect.isReported = true;
  if (by === 'holder' || by === 'stranger') {
    const sender = by === 'holder' ? agent : AGENTS.find((name) => name !== agent);
    if (sender) await world.gate.agentSide(sender).outcomes.publish(JSON.stringify(outcome), sender);
    return;
  }
  const redemptionId = by === 'server' ? ran.redemptionId : world.ids.next();
  await report({ ...outcome, agent, redemptionId }, noted, world);
}

async function report(raw: object, noted: Reported, world: World): Promise<void> {
  for (let tried = 1; ; tried++) {
    try {
      const messageId = world.ids.next();
      const answer = await world.invoke('report', () => recordReport({ messageId, raw }, world.gate.parts));
      noted.told = answer.recorded ? 'recorded' : answer.code;
      return world.tell(() => `the answer about ${noted.id} is ${noted.told}`);
    } catch (error) {
      if (tried === TRIES) throw error;
      await world.sleep(5_000 * tried);
    }
  }
}
