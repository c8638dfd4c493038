/** Puts the mutant of `COUNTERSIGN_MUTANT` into its source as the source is loaded by Node. */
import { registerHooks } from 'node:module';
import { MUTANTS } from './mutants/mutants.ts';

const name = process.env['COUNTERSIGN_MUTANT'];
const mutant = MUTANTS.find((one) => one.name === name);
if (!mutant) throw new Error(`COUNTERSIGN_MUTANT: there is no mutant ${JSON.stringify(name)}`);
const { file } = mutant;

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.endsWith(`/${file}`)) return loaded;
    let source = String(loaded.source);
    for (const { find, put } of [mutant, ...(mutant.also ?? [])]) {
      if (source.split(find).length !== 2) throw new Error(`${file}: the text of the mutant does not stand there once`);
      source = source.replace(find, () => put);
    }
    return { ...loaded, source };
  },
});
