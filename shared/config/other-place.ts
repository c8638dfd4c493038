/** Finds the section of the policy file that has a key which was written into another one. */
import { policyFileSchema } from './json-schema.ts';

/** A part of a JSON Schema. */
interface Part {
  readonly properties?: Readonly<Record<string, Part>>;
  readonly additionalProperties?: Part | boolean;
  readonly items?: Part;
  readonly anyOf?: readonly Part[];
  readonly $ref?: string;
}

/** Policies nest without an end: their keys are found in those that stand by themselves. */
const MAX_DEPTH = 6;

/**
 * The end of a message about a key that is unknown at `path`: the sections of the file that have one of that name. Of many only those that speak of
 * the same thing, such as `guardrails.tools.<name>` for a key in `tools.<name>`.
 */
export function orElsewhere(path: readonly (string | number)[], key: string): string {
  const places = [...new Set(placesOf(key, policyFileSchema(), []))];
  const alike = places.filter((place) => place.split('.').includes(String(path[0])));
  const [only, ...others] = alike.length ? alike : places;
  return only && !others.length ? `; ${key} stands under ${only}` : '';
}

/** Sections with `key`, each by its path. */
function placesOf(key: string, part: Part, path: readonly string[]): readonly string[] {
  if (path.length > MAX_DEPTH) return [];
  const { properties = {}, additionalProperties, items, anyOf = [] } = part;
  return [
    ...(Object.hasOwn(properties, key) ? [path.join('.')] : []),
    ...Object.entries(properties).flatMap(([name, inner]) => placesOf(key, inner, [...path, name])),
    ...(typeof additionalProperties === 'object' ? placesOf(key, additionalProperties, [...path, '<name>']) : []),
    ...[...(items ? [items] : []), ...anyOf].flatMap((inner) => placesOf(key, inner, path)),
  ];
}
