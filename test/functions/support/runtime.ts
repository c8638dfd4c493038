/**
 * Plays Lambda for a bundle, in a process of its own.
 *
 * Loads the bundle, hands it events, and names the loaded files.
 */
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

interface Invocation {
  readonly id: number;
  readonly event: unknown;
  readonly remainingMs: number;
  /** Moves the clock of the process, and invokes nothing. */
  readonly advanceMs?: number;
}
type Handler = (event: unknown, context: unknown) => Promise<unknown>;

const loaded: string[] = [];
registerHooks({
  load(url, context, next) {
    loaded.push(url);
    return next(url, context);
  },
});

const { handler } = (await import(pathToFileURL(process.argv[2] ?? '').href)) as { handler: Handler };

const realNow = Date.now;
let ahead = 0;
Date.now = () => realNow() + ahead;

process.on('message', async ({ id, event, remainingMs, advanceMs }: Invocation) => {
  if (advanceMs !== undefined) {
    ahead += advanceMs;
    return void process.send?.({ id, loaded: [] });
  }
  const until = Date.now() + remainingMs;
  const context = { awsRequestId: `request-${id}`, getRemainingTimeInMillis: () => Math.max(0, until - Date.now()) };
  const outcome = await handler(event, context).then(
    (value) => ({ value }),
    (error: unknown) => ({ error: error instanceof Error ? error.name : String(error) }),
  );
  process.send?.({ id, ...outcome, loaded: [...loaded] });
});
process.send?.({ ready: true });
