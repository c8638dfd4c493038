/** Starts the world of the demo: an AWS endpoint with the deployed stack, or adapters in memory. */
import type { PolicyDocument } from '../../../shared/config/document.ts';
import type { LocalSlack } from '../slack/server.ts';
import type { Cast } from './cast.ts';
import type { AgentLine } from './print.ts';
import type { Scene } from './scenes.ts';

export interface DemoWorld {
  readonly document: PolicyDocument;
  readonly cast: Cast;
  readonly slack: LocalSlack;
  /** The first scene: three calls. Resolves when the agent has heard of each. */
  first(tell: (line: AgentLine) => void): Promise<void>;
  play(scene: Scene, tell: (line: AgentLine) => void): Promise<void>;
  /** Prints the record of these proposals; `ran`: the ids of those that ran, whose reports may still be on their way. */
  trail(proposed: readonly { readonly id: string; readonly what: string }[], ran: readonly string[]): Promise<void>;
  /** Commands to try in another terminal. */
  readonly hints: readonly string[];
}

export interface WorldOptions {
  readonly policyFile: string;
  readonly signal: AbortSignal;
  onStop(stop: () => Promise<void> | void): void;
}

/** The port of the page, where it is free: the same address each time. */
export const PAGE_PORT = 7475;
