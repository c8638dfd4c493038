/** Lists defects of reports of tool servers that the simulator has to find. */
import { execution, type Mutant } from './mutant.ts';

export const OF_SERVERS: readonly Mutant[] = [
  {
    name: 'a report is believed whoever redeemed the permit',
    file: execution('record-outcome'),
    find: 'reporter.redemptionId !== undefined && held?.redemptionId !== reporter.redemptionId;',
    put: 'held?.redemptionId === undefined;',
  },
  {
    name: 'a report that contradicts the one before it counts as taken',
    file: execution('record-outcome'),
    find: 'if (now?.ended?.reported && now.ended.startedAt === startedAt && now.ended.status === status) {',
    put: 'if (now?.ended?.reported) {',
  },
  {
    name: 'a run that is reported once more takes the place of the first report',
    file: execution('record-outcome'),
    find: "if (held.stage === 'begun' && (await completeCall(held, ended, deps))) return { recorded: true };",
    put: "if (await deps.permits.move({ ...held, stage: 'ended', ended }, held.stage)) return { recorded: true };",
  },
];
