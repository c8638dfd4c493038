/** Names the places of a JSON value where something was taken out. */

const MAX_PATHS = 100;
const MAX_PATH = 300;

/** As in `accounts[2].key`; `whole` stands for the value itself. A name that held a secret is shown without it. */
export function changedPaths(before: unknown, after: unknown, whole: string): string[] {
  const paths: string[] = [];
  const visit = (one: unknown, other: unknown, path: string): void => {
    if (one === other || paths.length >= MAX_PATHS) return;
    if (!isObject(one) || !isObject(other)) {
      paths.push((path || whole).slice(0, MAX_PATH));
      return;
    }
    const from = Object.entries(one);
    for (const [index, [name, value]] of Object.entries(other).entries()) {
      const at = pathOf(path, name, Array.isArray(other));
      const [formerly, was] = from[index] ?? [];
      if (formerly === name) visit(was, value, at);
      else paths.push(at.slice(0, MAX_PATH));
    }
  };
  visit(before, after, '');
  return paths;
}

function pathOf(parent: string, name: string, isIndex: boolean): string {
  if (isIndex) return `${parent}[${name}]`;
  return parent ? `${parent}.${name}` : name;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
