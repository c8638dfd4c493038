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

/** Names that a file or an address may have as a package: `https://r.example/evil/-/evil-1.0.tgz`, `git+https://r.example/x#egg=evil`. */
export function addressNames(word: string): readonly string[] {
  if (word.startsWith('@') || !/[/:]|\.(?:tgz|whl|gem|zip|rb|deb|rpm|gz)$/.test(word)) return [];
  const parts = word.split(/[/:#=]/);
  return (word.includes(':') ? parts.slice(1) : parts.slice(-1)).map((part) =>
    part.replace(/@.*|[-_]v?\d.*|\.(?:git|tgz|whl|gem|zip|rb|deb|rpm|tar\.\w+)$/s, ''),
  );
}

/** Names of Packagist and NuGet. */
export const smallLetters = (name: string): string => name.toLowerCase();

/** Names of PyPI, which takes capitals for small letters, and each run of `-`, `_` and `.` for one. */
export const pythonName = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-');
