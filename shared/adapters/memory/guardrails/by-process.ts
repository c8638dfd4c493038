/** Gives each process guardrails of its own, as deployed: they remember refusals and hold queues. */
import type { Guardrails } from '../../../guardrails/pipeline.ts';

export function guardrailsByProcess(processNow: () => object, make: () => Guardrails): () => Guardrails {
  const known = new WeakMap<object, Guardrails>();
  return () => {
    const process = processNow();
    const own = known.get(process) ?? make();
    known.set(process, own);
    return own;
  };
}
