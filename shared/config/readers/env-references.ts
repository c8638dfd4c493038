/** Reads the references to environment variables in the `env` of an MCP server: `${NAME}`. */

const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]{0,127})\}/g;

/** The text without its references: what the policy file itself holds of the value. */
export const withoutReferences = (value: string): string => value.replace(REFERENCE, '');

/** The first variable that the text refers to and that is not set, or empty. */
export const missingVariable = (value: string, setTo: (name: string) => string | undefined): string | undefined =>
  [...value.matchAll(REFERENCE)].map(([, name = '']) => name).find((name) => !setTo(name));

/** The text with the variables in place of the references. */
export const resolvedReferences = (value: string, setTo: (name: string) => string | undefined): string =>
  value.replace(REFERENCE, (_, name: string) => setTo(name) ?? '');
