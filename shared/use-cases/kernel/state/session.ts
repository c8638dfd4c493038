/** Declares the facts about the sender and the moment that are read before a run of the kernel. */
import type { AgentSettings } from '../../../config/schema/policy-file.ts';
import type { ChainEnd, LevelFacts, Mode, Person, PossibleParent } from '../../../contract/index.ts';
import type { Control } from '../../../ports/stores/control.ts';
import type { Lineage } from './lineage.ts';

/** A session and those above it that it escalates to, its own first. */
export interface Chain {
  readonly levels: readonly LevelFacts[];
  readonly end: ChainEnd;
  /** Where nobody started the last of these sessions: what may be above it. Only its denials and questions count. */
  readonly possible?: readonly PossibleParent[] | undefined;
}

/** The mode that is shown and recorded of a session that has two: the one that overrules no rules. */
export function modeOf({ levels: [own] }: Pick<Chain, 'levels'>, otherwise: Mode): Mode {
  if (!own) return otherwise;
  return own.mode === 'bypass' ? (own.agentMode ?? own.mode) : own.mode;
}

export interface Session {
  readonly pid: string;
  /** The approval whose card asked, if it was not this one's. */
  readonly askedAs?: string | undefined;
  readonly agent: string;
  readonly settings: AgentSettings;
  readonly sessionId: string;
  /** In whose name the agent asks: may not approve it, and confirms it where a stage says so. Absent: its owner. */
  readonly requester?: Person | undefined;
  readonly mode: Mode;
  readonly control: Control;
  /** For whom it works, today. Absent: for its own agent alone. */
  readonly lineage?: Lineage | undefined;
  /** The session's memory as it is now. Beside a journal with the memory of an earlier run, it can only tighten. */
  readonly chain?: Chain;
  /** Calls whose commands hold secrets: they are not printed, because decisions are recorded. */
  readonly unprinted?: ReadonlySet<string> | undefined;
}
