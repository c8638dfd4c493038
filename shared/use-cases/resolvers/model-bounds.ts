/** Bounds the calls to the classifier's model and what they cost, as the policy file says. */
import type { Policy } from '../../config/compile.ts';
import { DEFAULT_COST_PER_DAY } from '../../config/schema/models.ts';
import type { TokenUsage } from '../../ports/llm-client.ts';
import type { BudgetReservation } from '../../ports/stores/guardrail-state.ts';
import { type AskingDependencies, DAY_MS, limitKey, limitsOf, MINUTE_MS, reserve } from './question-limits.ts';

/** Reserved for the cost of a call until its provider says what it used: most questions are shorter. */
const USUAL: TokenUsage = { inputTokens: 4_000, outputTokens: 1_024 };
const COST = 'model#cost';

/** Reserves one call of the model. Undefined where a bound is reached, so that a person decides. */
export async function reserveCall(
  agent: string,
  { settings }: Policy,
  asking: AskingDependencies,
): Promise<readonly BudgetReservation[] | undefined> {
  const model = settings.classifier?.model;
  if (!model) return undefined;
  const { perMinute, perDay, price, costPerDay = DEFAULT_COST_PER_DAY } = model;
  const dollars = { perAgent: micro(costPerDay.perAgent), inAll: micro(costPerDay.inAll) };
  return reserve(
    [
      ...limitsOf('model#minute', agent, perMinute, { windowMs: MINUTE_MS, amount: 1 }),
      ...limitsOf('model#day', agent, perDay, { windowMs: DAY_MS, amount: 1 }),
      // The last call before the bound may cost more than is left.
      ...(price ? limitsOf(COST, agent, dollars, { windowMs: DAY_MS, amount: costOf(USUAL, price), atLeast: 0 }) : []),
    ],
    asking,
  );
}

/** @param usage - undefined or without input if the provider did not say it: then what was reserved stays counted. */
export async function afterCall(
  reserved: readonly BudgetReservation[],
  usage: TokenUsage | undefined,
  { settings }: Policy,
  { budgets }: AskingDependencies,
): Promise<void> {
  const price = settings.classifier?.model?.price;
  // No question has no words.
  const isStated = usage !== undefined && usage.inputTokens > 0;
  await Promise.all(
    reserved.map((reservation) => {
      const isCost = reservation.key.startsWith(limitKey(COST));
      return budgets.closeReservation(
        reservation,
        isCost && isStated && price ? costOf(usage, price) : reservation.amount,
      );
    }),
  );
}

/** Dollars a million tokens are micro-dollars a token. */
const costOf = ({ inputTokens, outputTokens }: TokenUsage, price: { input: number; output: number }): number =>
  Math.ceil(inputTokens * price.input + outputTokens * price.output);

const micro = (dollars: number): number => Math.round(dollars * 1_000_000);
