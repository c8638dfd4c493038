/** Tells a classifier the real history of a session in this process. */
import type { CallContext } from '../call/call-context.ts';
import { prepareCall } from '../call/prepared-call.ts';
import { ClassifierContext } from '../classifiers/context.ts';
import { denialKey } from '../classifiers/denial-tracker.ts';
import { riskOfCall } from '../classifiers/risk.ts';
import type { PermissionServiceConfig } from './config.ts';

/** As many as the gate remembers of a session. */
const MAX_CALLS = 20;

/** The calls that a classifier was asked about, the last one last. */
export class ClassifiedCalls {
  #calls: readonly { readonly key: string; readonly files: readonly string[] }[] = [];

  /** Returns the context of this call, which from now on is a recent one. Fields that the configuration states stay as stated. */
  contextOf(call: CallContext, config: PermissionServiceConfig): ClassifierContext {
    const lookup = call.tools.lookup(call.toolName);
    const prepared = lookup.kind === 'refused' ? undefined : prepareCall(call, lookup);
    const key = denialKey(call.toolName, call.input);
    const before = this.#calls;
    const files = prepared?.paths.filter(({ argument }) => argument).map(({ path }) => path.stated) ?? [];
    this.#calls = [...before, { key, files }].slice(-MAX_CALLS);
    if (config.classifierContext !== undefined) return config.classifierContext;
    const repetitionCount = before.filter((each) => each.key === key).length;
    const context = new ClassifierContext(config.agentName ?? 'agent', config.sessionId ?? 'main');
    return (call.hasProjectRoot === false ? context : context.withWorkspacePath(call.projectRoot))
      .withRecentFiles([...new Set(before.toReversed().flatMap((each) => each.files))])
      .withRiskContext({ ...(prepared === undefined ? {} : riskOfCall(prepared)), repetitionCount });
  }
}
