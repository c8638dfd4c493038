/** Tells cases of the area slack that are data from the others, which are scenarios in words. */

const SHAPES = ['approval', 'click', 'http', 'render'];

export function isSlackData(one: { readonly area?: string; readonly given?: unknown }): boolean {
  const { scenario } = (one.given ?? {}) as { readonly scenario?: unknown };
  const isObject = typeof scenario === 'object' && scenario !== null;
  return one.area === 'slack' && isObject && SHAPES.some((key) => Object.hasOwn(scenario, key));
}
