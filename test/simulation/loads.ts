/** Counts the modules that Node loads, by which a run tells that it had to wait for one. */
import { registerHooks } from 'node:module';

let count = 0;

registerHooks({
  load(url, context, next) {
    count += 1;
    return next(url, context);
  },
});

export const modulesLoaded = (): number => count;
