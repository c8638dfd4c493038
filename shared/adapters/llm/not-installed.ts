/** Names the package that a model's adapter lacks. */

/** For `catch` behind the import of an optional package: bundlers then leave out what is not installed. */
export const notInstalled =
  (name: string) =>
  (cause: unknown): never => {
    throw new Error(`${name} could not be loaded: npm install ${name}`, { cause });
  };
