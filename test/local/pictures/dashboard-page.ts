/** Writes a page that looks like a dashboard of CloudWatch: grid, graphs as SVG, alarms. Pure. */

/** The figures of a game day, and the alarms that stood at its end. */
export interface Day {
  readonly figures: readonly { readonly series: string; readonly at: number; readonly value: number }[];
  /** The body of the dashboard. */
  readonly dashboard: string;
  /** Names of alarms by logical id. */
  readonly names: Readonly<Record<string, string>>;
  readonly stands: readonly string[];
}

interface Options {
  readonly stat?: string;
  readonly label?: string;
  readonly expression?: string;
  readonly id?: string;
  readonly visible?: boolean;
}
type Row = readonly (string | Options)[];
interface Widget {
  readonly type: 'text' | 'metric' | 'alarm';
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly properties: {
    readonly markdown?: string;
    readonly title?: string;
    readonly view?: string;
    readonly metrics?: readonly Row[];
    readonly alarms?: readonly string[];
    readonly annotations?: { readonly horizontal?: readonly { readonly value: number; readonly label?: string }[] };
  };
}
interface Line {
  readonly label: string;
  readonly stat: string;
  readonly points: readonly { readonly at: number; readonly value: number }[];
}

const CELL = { width: 60, height: 44 };
/** A part of the day, which lasts two minutes: a game day is a month in fast motion. */
const BUCKET_MS = 5_000;
const COLOURS = [
  '#1f77b4',
  '#ff7f0e',
  '#2ca02c',
  '#d62728',
  '#9467bd',
  '#8c564b',
  '#e377c2',
  '#7f7f7f',
  '#bcbd22',
  '#17becf',
];

export function pageOf(day: Day): string {
  const { widgets } = JSON.parse(day.dashboard) as { readonly widgets: readonly Widget[] };
  const bottom = Math.max(...widgets.map(({ y, height }) => y + height));
  const cells = widgets.map((widget) => {
    const { x, y, width, height } = widget;
    const at = `left:${x * CELL.width}px;top:${y * CELL.height}px;width:${width * CELL.width - 8}px;height:${height * CELL.height - 8}px`;
    return `<section class="${widget.type}" style="${at}">${inside(widget, day)}</section>`;
  });
  return `<!doctype html><style>${STYLE}</style><body style="height:${bottom * CELL.height + 8}px">${cells.join('')}`;
}

const STYLE = `
body{position:relative;margin:8px 0 0 4px;width:${24 * CELL.width}px;font:12px system-ui,sans-serif;background:#f2f3f3;color:#16191f}
section{position:absolute;box-sizing:border-box;background:#fff;border:1px solid #d5dbdb;border-radius:4px;padding:6px 8px;overflow:hidden}
section.text{background:none;border:0;font-size:15px;font-weight:600;padding:10px 4px}
h3{margin:0 0 4px;font-size:12px} svg{display:block}
.chips{display:flex;flex-wrap:wrap;gap:4px}.chip{font-size:10px;padding:2px 5px;border-radius:3px;background:#e6f4e1;border-left:4px solid #1d8102}
.chip.on{background:#fdf3f1;border-color:#d13212}
.values{display:flex;flex-wrap:wrap;gap:6px 22px}.value b{display:block;font-size:22px;font-weight:400}
.legend{font-size:10px;color:#545b64;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}.none{color:#879596}`;

function inside({ type, width, height, properties }: Widget, day: Day): string {
  const { markdown = '', title = '', view, alarms = [], annotations } = properties;
  if (type === 'text') return escaped(markdown.replace(/^#+ /, ''));
  const head = `<h3>${escaped(title)}</h3>`;
  if (type === 'alarm') return `${head}<div class="chips">${alarms.map((one) => chip(one, day)).join('')}</div>`;
  const lines = linesOf(properties.metrics ?? [], day);
  if (view === 'singleValue') return `${head}<div class="values">${lines.map(single).join('')}</div>`;
  const bounds = (annotations?.horizontal ?? []).map(({ value }) => value);
  return `${head}${graph(lines, bounds, width * CELL.width - 26, height * CELL.height - 74)}${legend(lines)}`;
}

function chip(reference: string, { names, stands }: Day): string {
  const name = names[reference] ?? reference;
  return `<span class="chip${stands.includes(name) ? ' on' : ''}">${escaped(name)}</span>`;
}

function linesOf(metrics: readonly Row[], { figures }: Day): Line[] {
  const bySeries = Map.groupBy(figures, ({ series }) => series);
  const line = (series: string, stat: string, label: string): Line => ({
    label,
    stat,
    points: bucketed(bySeries.get(series) ?? [], stat),
  });
  const ids = new Map<string, Line>();
  const found: Line[] = [];
  for (const row of metrics) {
    const texts = row.filter((one): one is string => typeof one === 'string');
    const options = (row.find((one) => typeof one === 'object') ?? {}) as Options;
    const { expression, label, stat = 'Average', id, visible } = options;
    const search = /^SEARCH\('\{([^}]+)\} MetricName="([^"]+)" service="([^"]+)"', '([^']+)'/.exec(expression ?? '');
    if (search) {
      const [, schema = '', metric = '', service = '', each = ''] = search;
      const wanted = [schema.split(',')[0], metric].join(' ');
      const names = schema.split(',').slice(1).toSorted();
      for (const series of bySeries.keys()) {
        if (!series.startsWith(`${wanted} `) || !series.includes(`service=${service}`)) continue;
        const dimensions = series.slice(wanted.length + 1).split(' ');
        if (dimensions.map((one) => one.split('=')[0]).join() !== names.join()) continue;
        const own = dimensions.filter((one) => !one.startsWith('service='));
        found.push(line(series, each, `${own.map((one) => one.split('=')[1]).join(' ')} ${each}`));
      }
    } else if (expression !== undefined) {
      const left = /^100 \* \(1 - \(1 - (\w+)\) \/ ([\d.]+)\)$/.exec(expression);
      const source = ids.get(left?.[1] ?? '') ?? lateOf(metrics, left?.[1] ?? '', line);
      if (left && source)
        found.push({
          label: label ?? '',
          stat: 'Average',
          points: source.points.map(({ at, value }) => ({ at, value: 100 * (1 - (1 - value) / Number(left[2])) })),
        });
    } else {
      const one = line(nameOf(texts), stat, label ?? `${texts[1]} ${stat}`);
      if (id !== undefined) ids.set(id, one);
      if (visible !== false) found.push(one);
    }
  }
  return found;
}

/** A metric of an expression may stand behind it. */
function lateOf(metrics: readonly Row[], id: string, line: (series: string, stat: string, label: string) => Line) {
  const row = metrics.find((one) => one.some((part) => typeof part === 'object' && part.id === id));
  if (!row) return undefined;
  const texts = row.filter((one): one is string => typeof one === 'string');
  return line(nameOf(texts), (row.at(-1) as Options).stat ?? 'Average', id);
}

function nameOf([namespace = '', metric = '', ...dimensions]: readonly string[]): string {
  const pairs = Array.from(
    { length: dimensions.length / 2 },
    (_, index) => `${dimensions[2 * index]}=${dimensions[2 * index + 1]}`,
  );
  return [namespace, metric, ...pairs.toSorted()].join(' ');
}

function bucketed(figures: Day['figures'], stat: string): Line['points'] {
  const buckets = Map.groupBy(figures, ({ at }) => Math.floor(at / BUCKET_MS) * BUCKET_MS);
  return [...buckets]
    .map(([at, all]) => ({
      at,
      value: statisticOf(
        stat,
        all.map(({ value }) => value),
      ),
    }))
    .toSorted((a, b) => a.at - b.at);
}

function statisticOf(stat: string, values: readonly number[]): number {
  const sum = values.reduce((total, value) => total + value, 0);
  if (stat === 'Sum') return sum;
  if (stat === 'Maximum') return Math.max(...values);
  if (stat === 'Minimum') return Math.min(...values);
  const rank = /^p(\d+)$/.exec(stat)?.[1];
  if (rank === undefined) return sum / values.length;
  return values.toSorted((a, b) => a - b)[Math.ceil((Number(rank) / 100) * values.length) - 1] ?? 0;
}

function single({ label, stat, points }: Line): string {
  const values = points.map(({ value }) => value);
  const shown = values.length ? short(statisticOf(stat, values)) : '–';
  return `<span class="value"><b>${shown}</b>${escaped(label)}</span>`;
}

const short = (value: number): string =>
  Math.abs(value) >= 10_000 ? `${(value / 1_000).toFixed(0)}k` : String(Number(value.toFixed(value % 1 ? 1 : 0)));

function graph(lines: readonly Line[], bounds: readonly number[], width: number, height: number): string {
  const all = lines.flatMap(({ points }) => points);
  if (!all.length) return `<div class="none" style="height:${height}px">no figures of this machine</div>`;
  const top = Math.max(1, ...all.map(({ value }) => value), ...bounds) * 1.1;
  const from = Math.min(...all.map(({ at }) => at));
  const span = Math.max(BUCKET_MS, Math.max(...all.map(({ at }) => at)) - from);
  const x = (at: number) => (36 + ((at - from) / span) * (width - 44)).toFixed(1);
  const y = (value: number) => (height - 4 - (Math.max(0, value) / top) * (height - 14)).toFixed(1);
  const axis = [0, top / 2.2, top / 1.1]
    .map(
      (value) =>
        `<path d="M36 ${y(value)}H${width}" stroke="#eaeded"/><text x="0" y="${y(value)}" font-size="9" fill="#545b64">${short(value)}</text>`,
    )
    .join('');
  const bound = bounds.map((value) => `<path d="M36 ${y(value)}H${width}" stroke="#d13212" stroke-dasharray="4 3"/>`);
  const drawn = lines.map(({ points }, index) => {
    const colour = COLOURS[index % COLOURS.length];
    const dots = points.map(({ at, value }) => `<circle cx="${x(at)}" cy="${y(value)}" r="2.2" fill="${colour}"/>`);
    const path = points.map(({ at, value }) => `${x(at)},${y(value)}`).join(' ');
    return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="1.3"/>${dots.join('')}`;
  });
  return `<svg width="${width}" height="${height}">${axis}${bound.join('')}${drawn.join('')}</svg>`;
}

function legend(lines: readonly Line[]): string {
  const named = lines
    .map(({ label, points }, index) => ({ label, colour: COLOURS[index % COLOURS.length], points }))
    .filter(({ points }) => points.length);
  const texts = named.map(({ label, colour }) => `<span style="color:${colour}">■</span> ${escaped(label)}`);
  return `<div class="legend">${texts.join(' &nbsp; ')}</div>`;
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
