/** Stores results of calls that the gate ran, for their own agent to read within a day. */
import type { CallResult } from '../../contract/execution.ts';

/** Reads results of calls that the gate ran. Replace it in tests. */
export interface ResultReader {
  /** Undefined while there is none. `likely`: for half the price, one of the last second or so may be missed. Default: `latest`. */
  read(agent: string, pid: string, requestId: string, read?: 'latest' | 'likely'): Promise<CallResult | undefined>;
}

export interface ResultStore extends ResultReader {
  /** Puts one result; false if there is another one under this request already, and then nothing changes. */
  put(agent: string, pid: string, result: CallResult): Promise<boolean>;
}
