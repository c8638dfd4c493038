/** Checks a workflow's definition: no state waits for ever, no output holds the token. */

/** Amazon States Language, as far as it is looked at. */
interface State {
  readonly Type?: string;
  readonly TimeoutSeconds?: unknown;
  readonly TimeoutSecondsPath?: unknown;
  readonly Branches?: readonly Machine[];
  readonly ItemProcessor?: Machine;
  readonly Iterator?: Machine;
  readonly [field: string]: unknown;
}
interface Machine {
  readonly States?: Readonly<Record<string, State>>;
}

/** Fields that go on to the next state, into variables or out of the execution. */
const CARRIED = ['Output', 'Assign', 'ResultPath', 'ResultSelector', 'OutputPath'];

/** Returns the problems of a definition, a line for each state; empty if there are none. */
export function lintDefinition(definition: Readonly<Record<string, unknown>>): string[] {
  const states = Object.entries((definition as Machine).States ?? {});
  if (!states.length) return ['the definition has no states'];
  return states.flatMap(([name, state]) => [
    ...(state.Type === 'Task' && !bounded(state) ? [`${name}: a task without a time-out may wait for ever`] : []),
    ...(handsOnToken(state) ? [`${name}: its output would hold the task token`] : []),
    ...[...(state.Branches ?? []), state.ItemProcessor, state.Iterator]
      .filter((inner) => inner !== undefined)
      .flatMap((inner) => lintDefinition(inner as Readonly<Record<string, unknown>>))
      .map((problem) => `${name}/${problem}`),
  ]);
}

/** A whole number of seconds, or an expression or path that gives one. */
function bounded({ TimeoutSeconds: seconds, TimeoutSecondsPath: path }: State): boolean {
  if (typeof seconds === 'number') return Number.isInteger(seconds) && seconds > 0;
  if (typeof seconds === 'string') return /^\{%.*\S.*%\}$/s.test(seconds);
  return typeof path === 'string' && path.startsWith('$');
}

function handsOnToken(state: State): boolean {
  const catches = Array.isArray(state['Catch']) ? (state['Catch'] as readonly State[]) : [];
  return [state, ...catches].some((one) =>
    CARRIED.some((field) => JSON.stringify(one[field] ?? '').includes('Task.Token')),
  );
}
