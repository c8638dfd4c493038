/**
 * Writes X-Ray subsegments for waits and answers.
 * The file is loaded only where Lambda traces, and never on the fast path's first import.
 */
import { lazyAsync } from '../lazy.ts';

const tracer = lazyAsync(async () => {
  const { Tracer } = await import('@aws-lambda-powertools/tracer');
  return new Tracer({ serviceName: 'countersign', captureHTTPsRequests: false });
});

/** Runs `work` in a subsegment that is found by the approval's pid. A fault is marked, its text is not kept: it may quote a message. */
export async function traced<Result>(name: string, pid: string, work: () => Promise<Result>): Promise<Result> {
  if (!process.env['AWS_XRAY_DAEMON_ADDRESS']) return work();
  const xray = await tracer();
  const parent = xray.getSegment();
  const segment = parent?.addNewSubsegment(name);
  if (segment) xray.setSegment(segment);
  xray.putAnnotation('pid', pid);
  try {
    return await work();
  } catch (error) {
    segment?.addErrorFlag();
    throw error;
  } finally {
    segment?.close();
    if (parent) xray.setSegment(parent);
  }
}

interface Traced {
  readonly name: string;
  readonly ids: Readonly<Record<string, string>>;
}

/**
 * Marks the events of a run, so that its trace is found by the pid of each proposal of a batch. Loads the library only where the request is
 * sampled.
 */
export async function traceOf(spans: readonly Traced[]): Promise<void> {
  const { env } = process;
  if (!env['AWS_XRAY_DAEMON_ADDRESS'] || !env['_X_AMZN_TRACE_ID']?.includes('Sampled=1')) return;
  const parent = (await tracer()).getSegment();
  for (const { name, ids } of spans) {
    const segment = parent?.addNewSubsegment(name);
    for (const [key, id] of Object.entries(ids)) segment?.addAnnotation(key, id);
    segment?.close();
  }
}
