/** Reads decisions from memory for one agent alone, as its role does on AWS. */
import type { DecisionReader } from '../../../ports/agent-side.ts';
import { answered } from './claim-store.ts';
import { readCopy } from './json-copy.ts';
import type { MemoryState } from './state.ts';

/** `owner`: the one agent that may read with it; another's rows are refused as IAM refuses them. */
export function memoryDecisionReader(state: MemoryState, owner?: string): DecisionReader {
  return {
    async read(agent, pid, sort) {
      if (owner !== undefined && agent !== owner) throw new Error(`${owner} may not read the decisions of ${agent}`);
      const row = state.recordAt(agent, pid, sort);
      if (!row) return undefined;
      return { verdict: row.verdict, ...readCopy(row.record, answered) };
    },
  };
}
