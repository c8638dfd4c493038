/** Puts the mutant of `COUNTERSIGN_MUTANT` into its source as the source is loaded by Node. */
import { registerHooks } from 'node:module';
import { mutated } from './mutants/mutant.ts';
import { MUTANTS } from './mutants/mutants.ts';

const name = process.env['COUNTERSIGN_MUTANT'];
const mutant = MUTANTS.find((one) => one.name === name);
if (!mutant) throw new Error(`COUNTERSIGN_MUTANT: there is no mutant ${JSON.stringify(name)}`);
const { file } = mutant;

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.endsWith(`/${file}`)) return loaded;
    return { ...loaded, source: mutated(mutant, String(loaded.source)) };
  },
});
