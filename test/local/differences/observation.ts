/** Declares one question to an endpoint, beside AWS's documented answer. */
import type { World } from './world.ts';

export interface Observation {
  readonly operation: string;
  /** AWS's behaviour, in the words of its document. */
  readonly aws: string;
  readonly document: string;
  /** True for a time, which is recorded and not compared. */
  readonly measured?: true;
  readonly look: (world: World) => Promise<string>;
}
