/**
 * Names registered senders in SSM: `<path>/<agents|operators>/<name>/<id>`.
 * `cdk/` writes them, the functions read them.
 */

export type SenderKind = 'agents' | 'operators';

/** SSM allows no colon in a name, so that `a:b` is written `a_cb`, and `_` is written `__`. */
export function senderParameter(path: string, kind: SenderKind, name: string, id: string): string {
  return [path, kind, name.replaceAll('_', '__').replaceAll(':', '_c'), id].join('/');
}

/** Undefined if the parameter is not of this form. */
export function readSenderParameter(
  path: string,
  parameter: string,
): { readonly kind: SenderKind; readonly name: string } | undefined {
  if (!parameter.startsWith(`${path}/`)) return undefined;
  const [kind, name, ...rest] = parameter.slice(path.length + 1).split('/');
  if ((kind !== 'agents' && kind !== 'operators') || !name || rest.length !== 1) return undefined;
  return { kind, name: name.replace(/_[_c]/g, (pair) => (pair === '__' ? '_' : ':')) };
}
