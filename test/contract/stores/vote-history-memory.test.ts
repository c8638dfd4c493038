/** Runs the contract of earlier ends on the memory store. */
import { memoryVoteHistory } from '../../../shared/adapters/memory/stores/vote-history.ts';
import { voteHistoryContract } from './vote-history.contract.ts';

const history = memoryVoteHistory();
voteHistoryContract(() => history);
