/** Gives the last part of a path, trailing slashes ignored. */
export function baseName(word: string): string {
  let end = word.length;
  while (end > 1 && word[end - 1] === '/') end--;
  const at = word.lastIndexOf('/', end - 1);
  return word.slice(at + 1, end);
}
