/**
 * Draws the same cases of properties in each run, so that a run that passed passes again.
 *
 * A longer look (`COUNTERSIGN_RUNS=100000`), or a seed (`COUNTERSIGN_SEED=random`, or a number that a failure
 * printed), draws others.
 */
import fc from 'fast-check';

const FIXED = 20_261_122;
const { COUNTERSIGN_SEED: asked, COUNTERSIGN_RUNS: runs } = process.env;

const seed =
  asked === undefined ? (runs === undefined ? FIXED : undefined) : asked === 'random' ? undefined : Number(asked);
if (seed !== undefined && !Number.isInteger(seed)) {
  throw new Error(`COUNTERSIGN_SEED: a whole number or "random", not ${JSON.stringify(asked)}`);
}
if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
