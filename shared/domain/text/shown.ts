/** Names a value of a program in a message. */

/** Objects that hold their contents elsewhere than in fields: as options they would state nothing. */
const WITHOUT_FIELDS: ReadonlyMap<string, string> = new Map(
  ['Map', 'Set', 'Date', 'Promise'].map((name) => [`[object ${name}]`, `a ${name}`]),
);

/** Such an object by its name; undefined for any other. */
export const withoutFields = (value: object): string | undefined =>
  WITHOUT_FIELDS.get(Object.prototype.toString.call(value));

const MAX_SHOWN = 40;

/** The value for a message; of an object only its kind. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, MAX_SHOWN));
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return withoutFields(value) ?? 'an object';
  return typeof value === 'function' ? 'a function' : String(value).slice(0, MAX_SHOWN);
}
