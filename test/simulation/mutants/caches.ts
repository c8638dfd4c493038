/** Lists defects of what a process remembers, which the simulator has to find. */
import { execution, kernel, type Mutant } from './mutant.ts';

export const OF_CACHES: readonly Mutant[] = [
  {
    name: 'somebody who left is known as a member for days',
    file: 'shared/adapters/slack/cached-directory.ts',
    find: 'const KEEP_MS = 5 * 60_000;',
    put: 'const KEEP_MS = 5_000 * 60_000;',
  },
  {
    name: 'a process goes by the pause that it read first',
    file: execution('consume-permit'),
    find: 'const control = await deps.control.read();',
    put: 'const own = deps.guardrails as { control?: Control };\n  own.control ??= await deps.control.read();\n  const { control } = own;',
  },
  {
    name: 'a process of the version before is called after its deployment',
    file: 'test/simulation/model/containers.ts',
    find: 'const fits = idle.filter((one) => one.document === document);',
    put: 'const fits = [...idle];',
  },
  {
    name: 'an operator who was let go is known for days',
    file: 'functions/runtime/wiring/senders.ts',
    find: 'const REREAD_KNOWN_MS = 5 * 60_000;',
    put: 'const REREAD_KNOWN_MS = 5_000 * 60_000;',
  },
  {
    name: 'people answer for as many as the policy file of before asked for',
    file: kernel('calls/question/call-question'),
    find: 'return !asking.length || now?.stagesDigest === answer.stagesDigest;',
    put: 'return !asking.length || now !== undefined;',
  },
  {
    name: 'a secret is read once in the life of a process',
    file: 'functions/runtime/clients/secrets.ts',
    find: 'if (known && clock.now() - known.at < KEEP_MS) return known.text;',
    put: 'if (known) return known.text;',
  },
];
