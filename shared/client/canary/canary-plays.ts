/** Plays the calls of the canary, and tells in a word what the gate did with each. */
import type { Decision } from '../../contract/decision.ts';
import { MESSAGE_VERSIONS } from '../../contract/primitives.ts';
import { CANARY, CANARY_TOOL, type CanaryVerdict } from '../../domain/canary.ts';
import { ownValue } from '../../domain/own.ts';
import type { Options } from '../calls/options.ts';
import type { Exchange } from '../exchange/exchange.ts';

/** One step of a check may take so long: all of them fit the time of one run. */
const STEP_TIMEOUT_MS = 24_000;
/** A question that could not be withdrawn ends by itself. */
const ENDS_AFTER_MS = 120_000;
/** After its time a question that nobody answers has its end within this, or the gate is late. */
const EXPIRED_WITHIN_MS = 15_000;
/** A question stands for a moment before it is withdrawn. */
const ASKED_FOR_MS = 2_000;

const TIMEOUT = { timeout: STEP_TIMEOUT_MS };

/** Two runs are two questions: an identical call that waits would be joined to the first. */
const callOf = (verdict: CanaryVerdict, proposalId: string) => ({
  proposalId,
  toolName: CANARY_TOOL,
  input: { verdict, run: proposalId },
});

/** The gate's word on one call, or another outcome. */
export async function verdictOn(
  verdict: CanaryVerdict,
  proposalId: string,
  exchange: Exchange,
  { clock, sleep }: Options,
): Promise<string> {
  const expiresAt = new Date(clock.now() + ENDS_AFTER_MS).toISOString();
  await exchange.propose({ ...callOf(verdict, proposalId), expiresAt });
  const isAsked = await exchange.isAsked(proposalId, TIMEOUT);
  // By then its card has been asked for, and with it whether Slack can be reached.
  if (isAsked) await sleep(ASKED_FOR_MS, undefined);
  if (isAsked) await exchange.cancel(proposalId, 'the canary has seen the question');
  const decision = await exchange.wait(proposalId, TIMEOUT);
  // A person's answer to it, or silence, is no end of a question that was withdrawn at once.
  if (isAsked) return decision.outcome === 'cancelled' ? 'ask' : `asked, then ${decision.outcome}`;
  return wordOf(decision);
}

/** Redeems the permit of an allowed call twice, and reports that it ran. No such tool exists: nothing runs. */
export async function usesOfPermit(proposalId: string, exchange: Exchange, options: Options): Promise<string> {
  const { redeemer, outcomes, clock } = options;
  const word = await verdictOn('allow', proposalId, exchange, options);
  const [call] = (await exchange.wait(proposalId, TIMEOUT)).calls;
  if (word !== 'allow' || !call?.permit || !redeemer || !outcomes) return word;
  const { permitId, actionDigest } = call.permit;
  const { toolName, input } = callOf('allow', proposalId);
  const about = { schemaVersion: MESSAGE_VERSIONS[0], proposalId, callId: call.id, permitId };
  const redeem = () => redeemer.redeem({ ...about, agent: CANARY, toolName, input });
  const first = await redeem();
  if (!first.granted) return first.permit === 'usable' ? 'not now' : `never: ${first.error.code}`;
  const startedAt = new Date(clock.now()).toISOString();
  const second = await redeem();
  // Without a report the run would be told to approvers as one that nobody knows the end of.
  const report = { ...about, actionDigest, status: 'succeeded', startedAt, durationMs: 0 };
  await outcomes.publish(JSON.stringify(report), CANARY);
  return second.granted ? 'twice' : 'once';
}

/** How a question ends that nobody is asked and nobody withdraws. */
export async function endOf(
  proposalId: string,
  afterMs: number,
  exchange: Exchange,
  { clock }: Options,
): Promise<string> {
  const expiresAt = clock.now() + afterMs;
  await exchange.propose({ ...callOf('ask', proposalId), expiresAt: new Date(expiresAt).toISOString() });
  const isAsked = await exchange.isAsked(proposalId, TIMEOUT);
  const decision = await exchange.wait(proposalId, { timeout: afterMs + EXPIRED_WITHIN_MS });
  if (!isAsked) return wordOf(decision);
  if (decision.outcome !== 'expired') return `asked, then ${decision.outcome}`;
  return Date.parse(decision.decidedAt) < expiresAt ? 'expired before its time' : 'expired';
}

const OUTCOMES: Readonly<Record<string, CanaryVerdict>> = { approved: 'allow', denied: 'deny' };
const wordOf = ({ outcome, reasonCode }: Decision): string =>
  ownValue(OUTCOMES, outcome) ?? `${outcome}: ${reasonCode}`;
