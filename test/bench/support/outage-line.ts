/** Plays one outage in a process of its own: options come as a message, the line is its answer. */
import { type OutageOptions, OutageRun, type Played } from './outage-run.ts';

export interface OutageLine extends Played {
  /** Slack's own time for so many cards. */
  readonly floorMs: number;
  /** Real time. */
  readonly tookMs: number;
}

// Without the bench nobody waits for the line.
process.once('disconnect', () => process.exit());
process.once('message', async (options: OutageOptions) => {
  const began = performance.now();
  const run = new OutageRun(options);
  const played = await run.play();
  const line: OutageLine = { ...played, floorMs: run.floorMs, tookMs: performance.now() - began };
  process.send?.(line, () => process.disconnect());
});
