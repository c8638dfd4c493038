/** Collects the samples of one invocation, and writes them as EMF in few lines. */
import { METRICS, type MetricName, NAMESPACE } from '../../../shared/config/metric-names.ts';
import type { Figures } from './figures.ts';

/** CloudWatch takes a hundred values of a metric in one line. */
const MAX_VALUES = 99;

/** Samples of the same series. */
interface Series {
  readonly by: readonly Readonly<Record<string, string>>[];
  readonly samples: Map<MetricName, number[]>;
}

/** How long an invocation ran, and the memory of its process: fields of a line, and no metrics, which Lambda has by itself. */
export interface RunFacts {
  readonly runMs: number;
  readonly memoryMb: number;
}

interface Line {
  readonly _aws: { readonly Timestamp: number; readonly CloudWatchMetrics: readonly object[] };
  readonly [key: string]: unknown;
}

export class MetricLines {
  readonly #service: string;
  #series = new Map<string, Series>();
  #ids = new Map<string, Set<string>>();

  constructor(service: string) {
    this.#service = service;
  }

  add({ values, by }: Figures, ids: Readonly<Record<string, string>> = {}): void {
    const entries = Object.entries(values) as [MetricName, number][];
    if (!entries.length || process.env['POWERTOOLS_METRICS_DISABLED'] === 'true') return;
    const key = JSON.stringify(by);
    const known = this.#series.get(key);
    if (known && entries.some(([name]) => known.samples.get(name)?.length === MAX_VALUES)) this.publish();
    const series = this.#series.get(key) ?? { by, samples: new Map() };
    this.#series.set(key, series);
    for (const [name, id] of Object.entries(ids)) this.#ids.set(name, (this.#ids.get(name) ?? new Set()).add(id));
    for (const [name, value] of entries) {
      const samples = series.samples.get(name) ?? [];
      series.samples.set(name, samples);
      samples.push(value);
    }
  }

  /** Nothing is written where nothing was counted, so that a flood writes no line for each request (A23): each line has to be one JSON object (AU-014). */
  publish(run?: RunFacts): void {
    const series = [...this.#series.values()];
    const ids = this.#ids;
    this.#series = new Map();
    this.#ids = new Map();
    const lines: Line[] = [];
    for (const one of series) {
      const line = this.#lineOf(one);
      const mate = lines.findIndex((other) => fits(other, line));
      if (mate < 0) lines.push(line);
      else lines[mate] = joined(lines[mate] as Line, line);
    }
    const found = Object.fromEntries([...ids].map(([name, all]) => [name, all.size === 1 ? [...all][0] : [...all]]));
    const [first, ...others] = lines;
    const texts = first ? [{ ...run, ...found, ...first }, ...others] : [];
    for (const text of texts) process.stdout.write(`${JSON.stringify(text)}\n`);
  }

  #lineOf({ by, samples }: Series): Line {
    // CloudWatch refuses a dimension without a value.
    const sets = by.map((set) => Object.entries(set).filter(([, value]) => value !== ''));
    return {
      _aws: {
        Timestamp: Date.now(),
        CloudWatchMetrics: [
          {
            Namespace: NAMESPACE,
            Dimensions: [[], ...sets].map((set) => ['service', ...set.map(([name]) => name)]),
            Metrics: [...samples.keys()].map((name) => ({ Name: name, Unit: METRICS[name].unit })),
          },
        ],
      },
      service: this.#service,
      ...Object.fromEntries(sets.flat()),
      ...Object.fromEntries([...samples].map(([name, values]) => [name, values.length === 1 ? values[0] : values])),
    };
  }
}

/** Names of metrics and dimensions are keys of the whole line: two series fit one line if no key would have two values. */
function fits(line: Line, other: Line): boolean {
  return Object.entries(other).every(([key, value]) => {
    if (key === '_aws' || !Object.hasOwn(line, key)) return true;
    return typeof value === 'string' && line[key] === value;
  });
}

const joined = (line: Line, other: Line): Line => ({
  ...line,
  ...other,
  _aws: {
    ...line._aws,
    CloudWatchMetrics: [...line._aws.CloudWatchMetrics, ...other._aws.CloudWatchMetrics],
  },
});
