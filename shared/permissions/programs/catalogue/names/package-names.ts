/** Reads the names of programs in words such as `cowsay@1`, `ruff==0.1` and `nixpkgs#cowsay`. */

/** `cowsay@latest`, `ruff>=0.1`, `ruff[extra]`. */
const VERSIONED = /^(@?[^-@=<>~![][^@=<>~![]*)(?:@(.*)|[=~!]=.*|=\d.*|[<>].*|\[.*)$/;
/** A host: the name before it in `git@host.example` and `git@10.0.0.1` is a user's. */
const HOST = /^(?:[a-z0-9-]+\.)+[a-z]{2,}$|^\d+(?:\.\d+){3}$/i;

/** Further names that the last part of a word may have as a package; none for most words. */
export function packageNames(word: string): readonly string[] {
  if (!/[@#:=<>[]/.test(word)) return [];
  const parts = word.includes('=') ? [word] : word.split(/[#:]/);
  return parts.flatMap((part) => {
    const [, name, version = ''] = VERSIONED.exec(part) ?? [];
    if (name !== undefined) return HOST.test(version) ? [] : [name];
    return parts.length > 1 && part !== '' ? [part] : [];
  });
}

/** Names of Packagist and NuGet. */
export const smallLetters = (name: string): string => name.toLowerCase();

/** Names of PyPI, which takes capitals for small letters, and each run of `-`, `_` and `.` for one. */
export const pythonName = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-');
