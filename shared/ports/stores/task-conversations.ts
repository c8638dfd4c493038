/** Stores conversations with the task agent, changed only together with a decision. */
import type { EndedQuestion, TaskConversation } from '../../contract/task-conversation.ts';
import type { TaskWrite } from './task-store.ts';

/** The changes of a decision on a message; joins the transaction that writes the decision. */
export interface TaskTurn {
  /** Replaces the row of version `version - 1`; of the first version, none. Absent: nothing waits, before or after. */
  readonly conversation?: TaskConversation | undefined;
  readonly write?: TaskWrite | undefined;
  /** Kept with the decision: whoever is given the message again closes the question. */
  readonly ended?: EndedQuestion | undefined;
}

export interface TaskConversations {
  /** Consistent; undefined if nothing waits in it. */
  read(key: string): Promise<TaskConversation | undefined>;
  /** Consistent; by the pid of the message that ended it. */
  endedBy(pid: string): Promise<EndedQuestion | undefined>;
}
