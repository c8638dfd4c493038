/** Lists defects of pauses, stages and memories that time or a later operation ends. */
import { domain, execution, kernel, type Mutant } from './mutant.ts';

export const OF_TIME: readonly Mutant[] = [
  {
    name: 'a pause that ends by itself never holds',
    file: 'shared/ports/stores/control.ts',
    find: '  until === undefined || now < until;',
    put: '  until === undefined || now > until;',
  },
  {
    name: 'an older rejection undoes the approval of an edited call',
    file: kernel('calls/authorization/authorize-call'),
    find: 'const present = judging.answered?.has(call.id) && session.chain ? withoutMemory(session.chain) : session.chain;',
    put: 'const present = session.chain;',
  },
  {
    name: 'permits that were made void run on',
    file: execution('consume-permit'),
    find: 'permit.permitEpoch < control.permitEpoch',
    put: 'permit.permitEpoch < 0',
  },
  {
    name: 'the second group may answer before it is asked',
    file: domain('approval/approval'),
    find: '...(row.escalated && stage.escalateTo ? [stage.escalateTo.group] : [])];\n  const here',
    put: '...(stage.escalateTo ? [stage.escalateTo.group] : [])];\n  const here',
  },
];
