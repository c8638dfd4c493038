/** Declares the options of the commands that send an operation. */
export interface SendOptions {
  readonly operatorsQueueUrl?: string;
  readonly auditTable?: string;
  readonly stateTable?: string;
  readonly deployment?: string;
  /** False: `--no-wait`. */
  readonly wait?: boolean;
  readonly unchecked?: boolean;
  /** The proposal was looked at before, or is meant unseen. */
  readonly isSeen?: boolean;
  readonly json?: boolean;
}
