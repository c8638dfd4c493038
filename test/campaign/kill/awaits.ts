/** Names the awaits at which a scene has a process end before the repair. */
import type { Door } from './functions.ts';

export const VOTED: Door = {
  verb: 'slack',
  file: 'shared/use-cases/approvals/voting/cast-vote.ts',
  words: 'await updateApproval(',
};
export const DECIDED: Omit<Door, 'verb'> = {
  file: 'shared/use-cases/approvals/resolution/commit-resolution.ts',
  words: 'await deps.approvals.finish(',
};
export const TAKEN: Door = {
  verb: 'execute-tool',
  file: 'shared/use-cases/execution/consume-permit.ts',
  words: 'await deps.permits.take(',
};
export const BEGUN: Door = {
  verb: 'execute-tool',
  file: 'shared/use-cases/execution/execute.ts',
  words: "await deps.permits.move(next, 'taken', reportBy)",
};
export const ENDED: Door = {
  verb: 'execute-tool',
  file: 'shared/use-cases/execution/complete-call.ts',
  words: 'await deps.permits.move(next,',
};
export const RESULT_PUT: Door = {
  verb: 'execute-tool',
  file: 'shared/use-cases/execution/execute.ts',
  words: 'await results.put(agent, pid, result)',
};

export const OPENED: Door = {
  verb: 'evaluate',
  file: 'shared/use-cases/intake/evaluation/open-approval.ts',
  words: 'await deps.claims.open(',
};
export const CLAIMED: Door = {
  verb: 'evaluate',
  file: 'shared/use-cases/intake/evaluation/commit.ts',
  words: 'await deps.claims.claim(',
};
export const TOKEN_STORED: Door = {
  verb: 'request-approval',
  file: 'shared/use-cases/approvals/request-approval.ts',
  words: 'await deps.approvals.storeToken(',
};
export const ARCHIVED: Door = {
  verb: 'archive-audit',
  file: 'shared/use-cases/archive/archive-entries.ts',
  words: "await putObject('entry', entries, gate)",
};
export const LISTED: Door = {
  verb: 'seal',
  file: 'shared/use-cases/archive/write-seal.ts',
  words: 'await archive.put(listName(list), text)',
};
