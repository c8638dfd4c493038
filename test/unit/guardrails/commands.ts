/**
 * Makes fast-check commands from plain functions.
 *
 * A step runs on the reference and on the real thing, and compares their answers.
 */
import fc from 'fast-check';
import { runs } from '../permissions/properties/arbitraries.ts';

type Step<Model, Real> = (model: Model, real: Real) => Promise<void>;

/** A kind of command: its argument, and what it does with it. The name is what a counterexample shows. */
export function command<Argument, Model extends object, Real>(
  name: string,
  argument: fc.Arbitrary<Argument>,
  step: (argument: Argument) => Step<Model, Real>,
): fc.Arbitrary<fc.AsyncCommand<Model, Real>> {
  return argument.map((value) => ({
    check: () => true,
    run: step(value),
    toString: () => `${name}(${fc.stringify(value)})`,
  }));
}

/** Runs many sequences of the commands, each on a fresh model and a fresh real thing. */
export async function agree<Model extends object, Real>(
  commands: readonly fc.Arbitrary<fc.AsyncCommand<Model, Real>>[],
  fresh: () => { readonly model: Model; readonly real: Real },
  usual = 150,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.commands([...commands], { maxCommands: 60, size: 'max' }), (sequence) =>
      fc.asyncModelRun(() => fresh(), sequence),
    ),
    { numRuns: runs(usual) },
  );
}
