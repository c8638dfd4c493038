/** Lists defects of the hooks of a policy file that the simulator has to find. */
import { kernel, type Mutant, resolvers } from './mutant.ts';

export const OF_HOOKS: readonly Mutant[] = [
  {
    name: 'a hook that fails has no opinion where a rule would allow',
    file: kernel('calls/authorization/hook-facts'),
    find: "return { decision: settings.onFailure === 'deny' ? 'deny' : 'failed', reason };",
    put: "return { decision: settings.onFailure === 'deny' ? 'deny' : 'pass', reason };",
  },
  {
    name: 'a hook that is to deny what it cannot judge asks people',
    file: kernel('calls/authorization/hook-facts'),
    find: "return { decision: settings.onFailure === 'deny' ? 'deny' : 'failed', reason };",
    put: "return { decision: 'failed', reason };",
  },
  {
    name: 'what a hook answers in no known form is an allow',
    file: resolvers('call-hook'),
    find: "if (!parsed) return failed(need, 'the answer is not one that a hook may give');",
    put: "if (!parsed) return { type: 'hook', by: need.hook, answer: { state: 'answered', decision: 'allow' } };",
  },
  {
    name: 'a hook that is late is one that falls through',
    file: resolvers('call-hook'),
    find: "if (text === LATE) return failed(need, 'no answer in time');",
    put: "if (text === LATE) return { type: 'hook', by: need.hook, answer: { state: 'answered', decision: 'pass' } };",
  },
  {
    name: 'the denial of a hook asks people',
    file: kernel('calls/authorization/hook-facts'),
    find: "case 'block':\n    case 'deny':\n      return { decision,",
    put: "case 'block':\n    case 'deny':\n      return { decision: 'human',",
  },
  {
    name: 'the denial of a hook is ignored for a call that somebody changed',
    file: resolvers('ask-about-edits'),
    find: 'return given && journalled(need, given, about.pid, deps);',
    put: `const isDenied = given?.type === 'hook' && given.answer.state === 'answered' && given.answer.decision !== 'allow';
    const heard = isDenied ? { ...given, answer: { state: 'answered', decision: 'pass' } } : given;
    return heard && journalled(need, heard as typeof given, about.pid, deps);`,
  },
  {
    name: 'a call that somebody changed is not asked of its hook again',
    file: resolvers('ask-about-edits'),
    find: 'if (!edited.has(need.call.id)) return nobodyAsked(need);',
    put: "if (need.type === 'hook') return { type: 'hook', by: need.hook, answer: { state: 'answered', decision: 'pass' } };",
  },
  {
    name: 'a message that waits for a hook is given up where the store of shares fails',
    file: 'shared/adapters/memory/gate.ts',
    find: "onFault('deliberate', error);\n        return [{ ok: await renew(message, { receiveCount: receipts[0] ?? 1, ...DEFERRED }, error, deliberating) }];",
    put: "onFault('deliberate', error);\n        return [{ ok: false }];",
  },
];
