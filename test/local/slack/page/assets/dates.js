/** Writes dates as Slack does: its tokens, in the reader's zone, on a clock of twelve hours. */

const HALF_YEAR_MS = 183 * 24 * 60 * 60 * 1_000;

/**
 * `<!date^…>` and date elements in the words of one reader; `fallback` where the time is none.
 *
 * @param {number} seconds since 1970
 * @param {string} format text with tokens such as `{date_short_pretty}` and `{time}`
 * @param {{ now: number, zone?: string, fallback?: string }} reader milliseconds since 1970, and an IANA zone (default: this machine's)
 */
export function dateText(seconds, format, { now, zone, fallback }) {
  const date = new Date(seconds * 1_000);
  if (Number.isNaN(date.getTime())) return fallback ?? format;
  const part = partsIn(zone);
  const words = {
    date_num: () => part(date, { year: 'numeric', month: '2-digit', day: '2-digit' }, 'en-CA'),
    date_slash: () => part(date, { year: 'numeric', month: '2-digit', day: '2-digit' }),
    date: () => withYear(`${part(date, { month: 'long' })} ${ordinal(dayOf(date))}`),
    date_short: () => withYear(`${part(date, { month: 'short' })} ${dayOf(date)}`),
    date_long: () => `${longDay()}, ${yearOf(date)}`,
    date_long_full: () => part(date, { year: 'numeric', month: 'long', day: 'numeric' }),
    day_divider_pretty: () => (yearOf(date) === yearOf(new Date(now)) ? longDay() : `${longDay()}, ${yearOf(date)}`),
    time: () => part(date, { hour: 'numeric', minute: '2-digit', hour12: true }),
    time_secs: () => part(date, { hour: 'numeric', minute: '2-digit', second: '2-digit', hour12: true }),
    ago: () => agoText(now - date.getTime()),
  };
  return format.replaceAll(/\{([a-z_]+)\}/g, (token, name, at) => {
    const usual = name.replace(/_pretty$/, '');
    const near = name.endsWith('_pretty') ? nearDay(date, now, part) : undefined;
    if (near !== undefined) return at === 0 ? near[0].toUpperCase() + near.slice(1) : near;
    const say = Object.hasOwn(words, name) ? words[name] : Object.hasOwn(words, usual) ? words[usual] : undefined;
    return say === undefined ? token : say().replaceAll('\u202f', ' ');
  });

  function longDay() {
    return `${part(date, { weekday: 'long' })}, ${part(date, { month: 'long' })} ${ordinal(dayOf(date))}`;
  }
  function dayOf(one) {
    return Number(part(one, { day: 'numeric' }));
  }
  function yearOf(one) {
    return part(one, { year: 'numeric' });
  }
  function withYear(day) {
    return Math.abs(now - date.getTime()) < HALF_YEAR_MS ? day : `${day}, ${yearOf(date)}`;
  }
}

const partsIn =
  (timeZone) =>
  (date, options, locale = 'en-US') =>
    date.toLocaleString(locale, { ...options, ...(timeZone === undefined ? {} : { timeZone }) });

/** `today`, `yesterday` or `tomorrow` by the reader's calendar. */
function nearDay(date, now, part) {
  const calendar = (ms) => part(new Date(ms), { year: 'numeric', month: '2-digit', day: '2-digit' }, 'en-CA');
  const days = Math.round((Date.parse(calendar(date.getTime())) - Date.parse(calendar(now))) / 86_400_000);
  return { [-1]: 'yesterday', 0: 'today', 1: 'tomorrow' }[days];
}

function ordinal(day) {
  const suffix = day % 100 > 10 && day % 100 < 14 ? 'th' : ({ 1: 'st', 2: 'nd', 3: 'rd' }[day % 10] ?? 'th');
  return `${day}${suffix}`;
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

function agoText(ms) {
  const [unit, size] = UNITS.find(([, one]) => Math.abs(ms) >= one) ?? ['second', 1_000];
  const count = Math.round(Math.abs(ms) / size);
  const words = `${count} ${unit}${count === 1 ? '' : 's'}`;
  return ms < 0 ? `in ${words}` : `${words} ago`;
}
