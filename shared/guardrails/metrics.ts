/**
 * Counts the figures of this process, per tool and origin: latency, errors, retries.
 *
 * Exporters read them.
 */

/** Latencies kept per series; percentiles are of these. */
const MAX_LATENCIES = 1000;

/** Figures of one tool and origin. Times in milliseconds. */
export interface SeriesSnapshot {
  readonly tool: string;
  readonly origin: string;
  readonly invocations: number;
  readonly errors: number;
  readonly errorRate: number;
  readonly retries: number;
  readonly errorsByCode: Readonly<Record<string, number>>;
  readonly p50: number | undefined;
  readonly p95: number | undefined;
  readonly p99: number | undefined;
}

interface Series {
  readonly tool: string;
  readonly origin: string;
  /** In a ring: percentiles need no order. */
  readonly latencies: number[];
  invocations: number;
  errors: number;
  retries: number;
  readonly errorsByCode: Map<string, number>;
}

/** Nearest rank: the smallest value that at least p percent of the values do not exceed. */
export function percentile(values: readonly number[], p: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((p / 100) * sorted.length) - 1)];
}

/** Counts calls, errors and latencies by tool and origin, in this process. */
export class GuardrailMetrics {
  readonly #series: Series[] = [];
  readonly #byTool = new Map<string, Map<string, Series>>();

  record(call: {
    tool: string;
    origin: string;
    durationMs: number;
    attempts: number;
    errorCode?: string | undefined;
  }): void {
    const series = this.#of(call.tool, call.origin);
    series.invocations += 1;
    series.retries += Math.max(0, call.attempts - 1);
    series.latencies[(series.invocations - 1) % MAX_LATENCIES] = call.durationMs;
    if (call.errorCode === undefined) return;
    series.errors += 1;
    series.errorsByCode.set(call.errorCode, (series.errorsByCode.get(call.errorCode) ?? 0) + 1);
  }

  snapshot(): SeriesSnapshot[] {
    return this.#series.map(({ latencies, errorsByCode, ...series }) => ({
      ...series,
      errorRate: series.invocations === 0 ? 0 : series.errors / series.invocations,
      errorsByCode: Object.fromEntries(errorsByCode),
      p50: percentile(latencies, 50),
      p95: percentile(latencies, 95),
      p99: percentile(latencies, 99),
    }));
  }

  /** Separate for one tool name at two origins. */
  #of(tool: string, origin: string): Series {
    const byOrigin = this.#byTool.get(tool) ?? new Map<string, Series>();
    const known = byOrigin.get(origin);
    if (known) return known;
    const fresh = { tool, origin, latencies: [], invocations: 0, errors: 0, retries: 0, errorsByCode: new Map() };
    byOrigin.set(origin, fresh);
    this.#byTool.set(tool, byOrigin);
    this.#series.push(fresh);
    return fresh;
  }
}
